import type { Pattern } from '../../kernel/patterns.ts'
import { fold, foldedOf, type Spot } from './search-texts.ts'

/** How well something fits, the best first. */
export const RANKS = { key: 0, whole: 1, start: 2, inside: 3 } as const
export type Rank = (typeof RANKS)[keyof typeof RANKS]

/** What is looked for: how well keys and texts fit it, and where in a text it stands. */
export interface Wanted {
  inKey: (spot: Spot) => Rank | null
  inText: (spot: Spot) => Rank | null
  /** Of what was written, as [start, end). */
  place: (text: string) => [number, number]
}

const isWordPart = (letter: string | undefined) => letter !== undefined && /[\p{L}\p{N}]/u.test(letter)

function startsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (!isWordPart(text[at - 1])) return true
  return false
}

const settings = new Map<string, { name: string; words: string }>()

/** `refundUntil` is found by its name and by its words. */
function settingOf(segment: string) {
  const known = settings.get(segment)
  if (known) return known
  const named = { name: segment.toLowerCase(), words: fold(segment.replace(/([a-z0-9])([A-Z])/g, '$1 $2')) }
  settings.set(segment, named)
  return named
}

/** All words in any order, whatever their case and accents. */
export function wantedWords(text: string): Wanted {
  const whole = fold(text)
  const words = [...new Set(whole.split(' '))]
  const rank = (folded: string): Rank | null => {
    if (!words.every((word) => folded.includes(word))) return null
    if (folded === whole) return RANKS.whole
    return words.every((word) => startsWord(folded, word)) ? RANKS.start : RANKS.inside
  }
  return {
    inKey(spot) {
      if (spot.key === 'item') {
        const found = rank(fold(spot.segment))
        return found === RANKS.whole ? RANKS.key : found
      }
      const { name, words: spoken } = settingOf(spot.segment)
      if (name === whole || spoken === whole) return RANKS.key
      // Inside the name of a setting a few letters mean nothing: "act" is not looking for contactEmail.
      return rank(spoken) === RANKS.start ? RANKS.start : null
    },
    inText(spot) {
      const folded = foldedOf(spot)
      return folded === null ? null : rank(folded)
    },
    place: (written) => placeOfWords(written, words),
  }
}

/** Folding may change lengths, so letters are folded one by one up to where the first word begins. */
function placeOfWords(written: string, words: readonly string[]): [number, number] {
  const folded = fold(written)
  const starts = words.map((word) => folded.indexOf(word)).filter((at) => at >= 0)
  const first = Math.min(...starts)
  if (starts.length === 0) return [0, 0]
  const length = words.find((word) => folded.startsWith(word, first))!.length
  let [at, passed, start] = [0, 0, 0]
  for (const letter of written) {
    if (passed <= first) start = at
    if (passed >= first + length) break
    passed += fold(letter).length || (/\s/.test(letter) ? 1 : 0)
    at += letter.length
  }
  return [start, at]
}

/** As the pattern says, to the letter. */
export const wantedPattern = (pattern: Pattern): Wanted => {
  const rank = (text: string, whole: Rank): Rank | null => {
    // Whether is found out faster than where, and most texts do not.
    const span = pattern.finds(text) ? pattern.span(text) : null
    if (!span) return null
    if (span[0] === 0 && span[1] === text.length) return whole
    return isWordPart(text[span[0] - 1]) ? RANKS.inside : RANKS.start
  }
  // A document has few names of settings, each many times.
  const keys = new Map<string, Rank | null>()
  return {
    inKey({ segment }) {
      if (!keys.has(segment)) keys.set(segment, rank(segment, RANKS.key))
      return keys.get(segment)!
    },
    inText: ({ text }) => (text === null ? null : rank(text, RANKS.whole)),
    place: (written) => pattern.span(written) ?? [0, 0],
  }
}
