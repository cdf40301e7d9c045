import type { Pattern } from '../../kernel/patterns.ts'
import { fold, foldedOf, type Spot } from './search-texts.ts'

/** How well something fits, the best first. */
export const RANKS = { key: 0, whole: 1, start: 2, inside: 3 } as const
export type Rank = (typeof RANKS)[keyof typeof RANKS]

/** What is looked for: how well keys and texts fit it, and where in a text it stands. */
export interface Wanted {
  inKey: (spot: Spot) => Rank | null
  inText: (spot: Spot) => Rank | null
  /** Of what was written, or what is shown of it, as [start, end). */
  place: (text: string, spot: Spot) => [number, number]
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

/** In signs times instructions, some twenty milliseconds: meanwhile nobody else is served. */
const MAX_SPANS = 500_000
/** A small program costs more than its size says. */
const OVERHEAD = 30
/** Enough of a match to find it again in what is shown, where blanks and tags are left out. */
const REMEMBERED = 60

/** As the pattern says, to the letter. Where in a text it fits is found out once, and for as many texts as there is time. */
export const wantedPattern = (pattern: Pattern): Wanted => {
  let left = MAX_SPANS
  const matches = new Map<Spot, string>()
  const rank = (spot: Spot, text: string, whole: Rank): Rank | null => {
    // Whether is found out faster than where, and most texts do not.
    if (!pattern.finds(text)) return null
    left -= text.length * (pattern.size + OVERHEAD)
    const span = left < 0 ? null : pattern.span(text)
    if (!span) return RANKS.inside
    matches.set(spot, text.slice(span[0], Math.min(span[1], span[0] + REMEMBERED)))
    if (span[0] === 0 && span[1] === text.length) return whole
    return isWordPart(text[span[0] - 1]) ? RANKS.inside : RANKS.start
  }
  // A document has few names of settings, each many times.
  const keys = new Map<string, Rank | null>()
  return {
    inKey(spot) {
      const { segment } = spot
      if (!keys.has(segment)) keys.set(segment, rank(spot, segment, RANKS.key))
      return keys.get(segment)!
    },
    inText: (spot) => (spot.text === null ? null : rank(spot, spot.text, RANKS.whole)),
    place(shown, spot) {
      const match = matches.get(spot)?.replace(/\s+/g, ' ') ?? ''
      const at = shown.indexOf(match)
      return at < 0 ? [0, 0] : [at, at + match.length]
    },
  }
}
