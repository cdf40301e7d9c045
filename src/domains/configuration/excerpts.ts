import { truncate } from './labels.ts'

const MAX_EXCERPT = 160
/** Characters shown before the match. */
const CONTEXT_CHARACTERS = 40

/** Shortens a text to an excerpt that contains the match. */
export function excerptAround(written: string, locateMatch: (text: string) => [number, number]): string {
  const text = written.replace(/\s+/g, ' ').trim()
  if (text.length <= MAX_EXCERPT) return text
  const [start] = locateMatch(text)
  const from = start <= CONTEXT_CHARACTERS ? 0 : text.indexOf(' ', start - CONTEXT_CHARACTERS)
  // The preceding word is longer than the context, so there is no space to start at.
  const begin = from < 0 || from > start ? start : from === 0 ? 0 : from + 1
  return (begin > 0 ? '…' : '') + truncate(text.slice(begin), begin > 0 ? MAX_EXCERPT - 1 : MAX_EXCERPT)
}
