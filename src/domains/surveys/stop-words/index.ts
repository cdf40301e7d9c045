import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { nl } from './nl.ts'
import { pt } from './pt.ts'

const toSet = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Stop words by language, in lower case and with straight apostrophes, which are ignored in the terms of text answers. */
export const SURVEY_STOP_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  de: toSet(de),
  en: toSet(en),
  es: toSet(es),
  fr: toSet(fr),
  it: toSet(it),
  nl: toSet(nl),
  pt: toSet(pt),
}
