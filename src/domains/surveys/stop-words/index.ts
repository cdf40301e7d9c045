import { germanStopWords } from './de.ts'
import { englishStopWords } from './en.ts'
import { spanishStopWords } from './es.ts'
import { frenchStopWords } from './fr.ts'
import { italianStopWords } from './it.ts'
import { dutchStopWords } from './nl.ts'
import { portugueseStopWords } from './pt.ts'

const toSet = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Stop words, which are ignored in text answers, by language. They are in lower case and have straight apostrophes. */
export const SURVEY_STOP_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  de: toSet(germanStopWords),
  en: toSet(englishStopWords),
  es: toSet(spanishStopWords),
  fr: toSet(frenchStopWords),
  it: toSet(italianStopWords),
  nl: toSet(dutchStopWords),
  pt: toSet(portugueseStopWords),
}
