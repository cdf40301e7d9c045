import { chooseLanguage, directionOf } from './choose.ts'
import { formatNumber, pluralOf } from './format.ts'
import { de } from './words/de.ts'
import { en } from './words/en.ts'

/** A text with `{names}` to fill in, or one text per plural form of `{count}`. */
export type Message = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>)

export type Key = keyof typeof en

/** Another language's words. What it lacks is said in English, and a test names it. */
export type Catalogue = Partial<Record<Key, Message>>

/** Every language that pages and mails speak. A further one is a file in `words` and its name here. */
export const CATALOGUES: Record<string, Catalogue> & { en: typeof en } = { en, de }

export const LANGUAGES: readonly string[] = Object.keys(CATALOGUES)

type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type Values<K extends Key> = Names<(typeof en)[K] extends { other: infer Text } ? Text : (typeof en)[K]>
type Given<K extends Key> = [Values<K>] extends [never] ? [] : [values: Record<Values<K>, string | number>]

/** The words of one language, with numbers as people of that region write them. */
export interface Words {
  locale: string
  direction: 'ltr' | 'rtl'
  say: <K extends Key>(key: K, ...given: Given<K>) => string
}

/** In English where the language is not spoken here; `locale` says which it became. */
export function wordsIn(wanted: string): Words {
  const language = chooseLanguage([wanted], LANGUAGES)
  const locale = language === null ? 'en' : wanted
  const catalogue = CATALOGUES[language ?? 'en']!
  return {
    locale,
    direction: directionOf(locale),
    say: (key, ...[values]) => {
      const own = catalogue[key]
      return own === undefined ? filledIn(en[key], 'en', values) : filledIn(own, locale, values)
    },
  }
}

/** One pass: a value that looks like a name stays as it is. */
export function filledIn(message: Message, locale: string, values: Record<string, string | number> = {}): string {
  const text = typeof message === 'string' ? message : (message[pluralOf(locale, Number(values.count))] ?? message.other)
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name]! : whole
    return typeof value === 'number' ? formatNumber(locale, value) : value
  })
}
