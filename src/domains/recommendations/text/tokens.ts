import { foldCase } from './folded.ts'
import { STEMMERS } from './stems.ts'
import { RECOMMENDATION_STOP_WORDS } from './stop-words.ts'

// Texts in scripts without spaces between words are split into pairs of characters.
const UNSPACED_SCRIPTS = '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Bopo}ー々]'
const WORD_RUNS = new RegExp(`(${UNSPACED_SCRIPTS}+)|(?:(?!${UNSPACED_SCRIPTS})[\\p{L}\\p{N}\\p{M}])+`, 'gu')

const languageOf = (locale: string) => locale.toLowerCase().split('-')[0]!

export interface TextTerm {
  term: string
  /** The word as it occurs in the text, in lower case, without stemming. */
  word: string
}

/** Splits a text into words in their order: case-folded, without stop words, each with its stem. */
export function tokenize(text: string, locale: string): TextTerm[] {
  const language = languageOf(locale)
  const stem = STEMMERS[language] ?? ((word: string) => word)
  const stops = RECOMMENDATION_STOP_WORDS[language]
  const terms: TextTerm[] = []
  for (const [run, unspaced] of foldCase(text).matchAll(WORD_RUNS)) {
    if (unspaced !== undefined) terms.push(...pairsOf(unspaced).map((pair) => ({ term: pair, word: pair })))
    else if (!stops?.has(run)) terms.push({ term: stem(run), word: run })
  }
  return terms
}

export const listTerms = (text: string, locale: string): string[] => tokenize(text, locale).map(({ term }) => term)

function pairsOf(run: string): string[] {
  const characters = [...run]
  return characters.length === 1 ? characters : characters.slice(1).map((character, index) => characters[index]! + character)
}
