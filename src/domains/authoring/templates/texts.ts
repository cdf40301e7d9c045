import { chooseLanguage } from '../../../kernel/language/negotiation.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'
import { es } from './texts/es.ts'
import { fr } from './texts/fr.ts'
import { it } from './texts/it.ts'
import { nl } from './texts/nl.ts'
import { pt } from './texts/pt.ts'

export type TemplateTexts = Record<keyof typeof en, string>

/** Languages of the event templates. To add one, create a file in `texts` and list it here. */
export const TEMPLATE_TEXTS: Record<string, TemplateTexts> = { en, de, fr, es, it, nl, pt }

/** The texts for an event whose main language is `locale`; English if the templates lack the language. */
export const getTemplateTexts = (locale: string): TemplateTexts =>
  TEMPLATE_TEXTS[chooseLanguage([locale], Object.keys(TEMPLATE_TEXTS)) ?? 'en']!
