import { stemEnglish } from './english-stems.ts'
import { folded } from './folded.ts'
import { stemGerman } from './german-stems.ts'
import { STOP_WORDS } from './stop-words.ts'

const STEMMERS: Readonly<Record<string, (word: string) => string>> = { en: stemEnglish, de: stemGerman }

// Written without blanks between words, so that two signs side by side are the nearest thing to a word.
const UNSPACED = '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Bopo}ー々]'
const RUNS = new RegExp(`(${UNSPACED}+)|(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}])+`, 'gu')

const languageOf = (locale: string) => locale.toLowerCase().split('-')[0]!

export interface Term {
  term: string
  /** As it stands in the text, but for its case. */
  word: string
}

/** The words of a text in the order they stand in: folded, without those that say nothing in its language, each with its stem. */
export function wordsOf(text: string, locale: string): Term[] {
  const language = languageOf(locale)
  const stem = STEMMERS[language] ?? ((word: string) => word)
  const stops = STOP_WORDS[language]
  const terms: Term[] = []
  for (const [run, unspaced] of folded(text).matchAll(RUNS)) {
    if (unspaced !== undefined) terms.push(...pairsOf(unspaced).map((pair) => ({ term: pair, word: pair })))
    else if (!stops?.has(run)) terms.push({ term: stem(run), word: run })
  }
  return terms
}

/** The stems alone. */
export const termsOf = (text: string, locale: string): string[] => wordsOf(text, locale).map(({ term }) => term)

function pairsOf(run: string): string[] {
  const signs = [...run]
  return signs.length === 1 ? signs : signs.slice(1).map((sign, index) => signs[index]! + sign)
}
