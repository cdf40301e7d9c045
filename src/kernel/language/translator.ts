import { chooseLanguage, textDirectionOf } from './negotiation.ts'
import { formatNumber, selectPluralForm } from './format.ts'
import { germanTexts } from './words/de.ts'
import { englishTexts } from './words/en.ts'
import { spanishTexts } from './words/es.ts'
import { frenchTexts } from './words/fr.ts'
import { italianTexts } from './words/it.ts'
import { dutchTexts } from './words/nl.ts'
import { portugueseTexts } from './words/pt.ts'

/** A text with `{placeholders}`, or one text per plural form of `{count}`. */
export type MessageTemplate = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>)

export type MessageKey = keyof typeof englishTexts

/** The texts of another language. Missing keys fall back to English, and a test reports them. */
export type MessageCatalogue = Partial<Record<MessageKey, MessageTemplate>>

/** All languages of pages and emails. To add a language, add a file in `words` and list it here. */
export const MESSAGE_CATALOGUES: Record<string, MessageCatalogue> & { en: typeof englishTexts } = {
  en: englishTexts,
  de: germanTexts,
  fr: frenchTexts,
  es: spanishTexts,
  it: italianTexts,
  nl: dutchTexts,
  pt: portugueseTexts,
}

export const LANGUAGES: readonly string[] = Object.keys(MESSAGE_CATALOGUES)

type PlaceholderNames<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | PlaceholderNames<Rest> : never
type PlaceholdersOf<K extends MessageKey> = PlaceholderNames<
  (typeof englishTexts)[K] extends { other: infer Text } ? Text : (typeof englishTexts)[K]
>
type PlaceholderValues<K extends MessageKey> = [PlaceholdersOf<K>] extends [never]
  ? []
  : [values: Record<PlaceholdersOf<K>, string | number>]

/** Texts of one language, with numbers formatted for the locale. */
export interface Translator {
  locale: string
  direction: 'ltr' | 'rtl'
  say: <K extends MessageKey>(key: K, ...given: PlaceholderValues<K>) => string
}

/** Returns the texts of a language, or the English texts if the language is unsupported. `locale` is the language in use. */
export function chooseTranslator(wanted: string): Translator {
  const language = chooseLanguage([wanted], LANGUAGES)
  const locale = language === null ? 'en' : wanted
  const catalogue = MESSAGE_CATALOGUES[language ?? 'en']!
  return {
    locale,
    direction: textDirectionOf(locale),
    say: (key, ...[values]) => {
      const own = catalogue[key]
      return own === undefined ? fillPlaceholders(englishTexts[key], 'en', values) : fillPlaceholders(own, locale, values)
    },
  }
}

/** Fills the placeholders of a message in a single pass, so that braces inside values are not replaced again. */
export function fillPlaceholders(message: MessageTemplate, locale: string, values: Record<string, string | number> = {}): string {
  const text = typeof message === 'string' ? message : (message[selectPluralForm(locale, Number(values.count))] ?? message.other)
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name]! : whole
    return typeof value === 'number' ? formatNumber(locale, value) : value
  })
}
