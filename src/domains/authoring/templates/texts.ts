import { chooseLanguage } from '../../../kernel/language/negotiation.ts'
import { germanTemplateTexts } from './texts/de.ts'
import { englishTemplateTexts } from './texts/en.ts'
import { spanishTemplateTexts } from './texts/es.ts'
import { frenchTemplateTexts } from './texts/fr.ts'
import { italianTemplateTexts } from './texts/it.ts'
import { dutchTemplateTexts } from './texts/nl.ts'
import { portugueseTemplateTexts } from './texts/pt.ts'

export type TemplateTexts = Record<keyof typeof englishTemplateTexts, string>

/** Languages of the event templates. To add one, create a file in `texts` and list it here. */
export const TEMPLATE_TEXTS: Record<string, TemplateTexts> = {
  en: englishTemplateTexts,
  de: germanTemplateTexts,
  fr: frenchTemplateTexts,
  es: spanishTemplateTexts,
  it: italianTemplateTexts,
  nl: dutchTemplateTexts,
  pt: portugueseTemplateTexts,
}

/** The texts for an event whose main language is `locale`; English if the templates lack the language. */
export const getTemplateTexts = (locale: string): TemplateTexts =>
  TEMPLATE_TEXTS[chooseLanguage([locale], Object.keys(TEMPLATE_TEXTS)) ?? 'en']!
