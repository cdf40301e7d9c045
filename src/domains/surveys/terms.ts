import { SURVEY_STOP_WORDS } from './stop-words/index.ts'

/** The maximum number of terms per answer, so that a long text does not take too much storage. */
const MAX_TERMS = 400

const segmenters = new Map<string, Intl.Segmenter>()

function segmenterFor(language: string): Intl.Segmenter {
  const segmenter = segmenters.get(language) ?? new Intl.Segmenter(language, { granularity: 'word' })
  segmenters.set(language, segmenter)
  return segmenter
}

/**
 * Lists the distinct terms of a text: words and pairs of adjacent words, in lower case. Stop words are left out, and words separated by
 * punctuation are not a pair.
 */
export function extractWordsAndWordPairs(text: string, locale: string): string[] {
  const language = locale.split('-')[0]!
  const stopWords = SURVEY_STOP_WORDS[language] ?? new Set<string>()
  const terms = new Set<string>()
  let previous: string | null = null
  for (const { segment, isWordLike } of segmenterFor(SURVEY_STOP_WORDS[language] ? language : 'en').segment(text.normalize('NFKC'))) {
    if (!isWordLike) {
      if (segment.trim() !== '') previous = null
      continue
    }
    const word = foldWord(segment, language)
    if (stopWords.has(word) || !/\p{L}/u.test(word)) {
      previous = null
      continue
    }
    terms.add(word)
    if (previous !== null) terms.add(`${previous} ${word}`)
    previous = word
    if (terms.size >= MAX_TERMS) break
  }
  return [...terms]
}

/** Matches articles and pronouns that French and Italian join to the next word. */
const ELIDED = /^(?:[cdjlmnst]|qu|un|(?:da|de|a|ne|su|que)ll)'(?=\p{L})/u

/** Normalizes case and typographic apostrophes, and removes an elided article: "L’accueil" becomes "accueil". */
function foldWord(word: string, language: string): string {
  const folded = word.toLocaleLowerCase(language).replaceAll('’', "'")
  return language === 'fr' || language === 'it' ? folded.replace(ELIDED, '') : folded
}
