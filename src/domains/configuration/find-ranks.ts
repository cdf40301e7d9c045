import type { CompiledPattern } from '../../kernel/patterns.ts'
import { normalizeForSearch, getSearchableText, type SearchEntry } from './search-index.ts'

/** Ranks of a search match, best first: in the key, the whole text, the start of a word, inside a word. */
export const SEARCH_MATCH_RANKS = { key: 0, whole: 1, start: 2, inside: 3 } as const
export type SearchMatchRank = (typeof SEARCH_MATCH_RANKS)[keyof typeof SEARCH_MATCH_RANKS]

/** A search query: ranks keys and texts, and locates the match within a text. */
export interface SearchQuery {
  inKey: (entry: SearchEntry) => SearchMatchRank | null
  inText: (entry: SearchEntry) => SearchMatchRank | null
  /** Returns the [start, end) range of the match within the given text, which may be an excerpt of the searched text. */
  locateMatch: (text: string, entry: SearchEntry) => [number, number]
}

const isWordPart = (letter: string | undefined) => letter !== undefined && /[\p{L}\p{N}]/u.test(letter)

function startsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (!isWordPart(text[at - 1])) return true
  return false
}

const settings = new Map<string, { name: string; words: string }>()

/** Splits a camel-case setting name into words, so that `refundUntil` matches by its name and by its words. */
function settingOf(segment: string) {
  const known = settings.get(segment)
  if (known) return known
  const named = { name: segment.toLowerCase(), words: normalizeForSearch(segment.replace(/([a-z0-9])([A-Z])/g, '$1 $2')) }
  settings.set(segment, named)
  return named
}

/** Builds a query that matches texts containing all words, in any order, ignoring case and accents. */
export function buildWordQuery(text: string): SearchQuery {
  const whole = normalizeForSearch(text)
  const words = [...new Set(whole.split(' '))]
  const rank = (folded: string): SearchMatchRank | null => {
    if (!words.every((word) => folded.includes(word))) return null
    if (folded === whole) return SEARCH_MATCH_RANKS.whole
    return words.every((word) => startsWord(folded, word)) ? SEARCH_MATCH_RANKS.start : SEARCH_MATCH_RANKS.inside
  }
  return {
    inKey(entry) {
      if (entry.key === 'item') {
        const found = rank(normalizeForSearch(entry.segment))
        return found === SEARCH_MATCH_RANKS.whole ? SEARCH_MATCH_RANKS.key : found
      }
      const { name, words: settingWords } = settingOf(entry.segment)
      if (name === whole || settingWords === whole) return SEARCH_MATCH_RANKS.key
      // Finding only the middle of a word in a setting's name is not a match, so that "act" does not find contactEmail.
      return rank(settingWords) === SEARCH_MATCH_RANKS.start ? SEARCH_MATCH_RANKS.start : null
    },
    inText(entry) {
      const folded = getSearchableText(entry)
      return folded === null ? null : rank(folded)
    },
    locateMatch: (written) => findWordRange(written, words),
  }
}

/**
 * Finds the range of the matched words in the original text. Removing case and accents may change the length of a text, so it is done
 * character by character.
 */
function findWordRange(written: string, words: readonly string[]): [number, number] {
  const folded = normalizeForSearch(written)
  const starts = words.map((word) => folded.indexOf(word)).filter((at) => at >= 0)
  const first = Math.min(...starts)
  if (starts.length === 0) return [0, 0]
  const length = words.find((word) => folded.startsWith(word, first))!.length
  let [at, passed, start] = [0, 0, 0]
  for (const letter of written) {
    if (passed <= first) start = at
    if (passed >= first + length) break
    passed += normalizeForSearch(letter).length || (/\s/.test(letter) ? 1 : 0)
    at += letter.length
  }
  return [start, at]
}

/** Budget for regular expression matching, in characters times program instructions, about 20 ms. Matching blocks the event loop. */
const MAX_SPANS = 500_000
/** Added to the instruction count of every regular expression, because even a short expression has a fixed cost. */
const PROGRAM_OVERHEAD = 30
/**
 * Number of characters of a match that are stored, to locate the match again in the displayed text, which has less whitespace and no tags.
 */
const REMEMBERED_CHARACTERS = 60

/**
 * Builds a query that matches texts by a regular expression, case-sensitively. The position of the match is computed once per text, until
 * the budget is used up.
 */
export const buildPatternQuery = (pattern: CompiledPattern): SearchQuery => {
  let left = MAX_SPANS
  const matches = new Map<SearchEntry, string>()
  const rank = (entry: SearchEntry, text: string, whole: SearchMatchRank): SearchMatchRank | null => {
    // Testing for a match is cheaper than locating it, and most texts do not match.
    if (!pattern.finds(text)) return null
    left -= text.length * (pattern.size + PROGRAM_OVERHEAD)
    const span = left < 0 ? null : pattern.span(text)
    if (!span) return SEARCH_MATCH_RANKS.inside
    matches.set(entry, text.slice(span[0], Math.min(span[1], span[0] + REMEMBERED_CHARACTERS)))
    if (span[0] === 0 && span[1] === text.length) return whole
    return isWordPart(text[span[0] - 1]) ? SEARCH_MATCH_RANKS.inside : SEARCH_MATCH_RANKS.start
  }
  // Few distinct setting names occur, each many times, so their ranks are cached.
  const keys = new Map<string, SearchMatchRank | null>()
  return {
    inKey(entry) {
      const { segment } = entry
      if (!keys.has(segment)) keys.set(segment, rank(entry, segment, SEARCH_MATCH_RANKS.key))
      return keys.get(segment)!
    },
    inText: (entry) => (entry.text === null ? null : rank(entry, entry.text, SEARCH_MATCH_RANKS.whole)),
    locateMatch(shown, entry) {
      const match = matches.get(entry)?.replace(/\s+/g, ' ') ?? ''
      const at = shown.indexOf(match)
      return at < 0 ? [0, 0] : [at, at + match.length]
    },
  }
}
