import { truncate } from './labels.ts'

const MAX_EXCERPT = 160
/** The number of characters that an excerpt shows before the search match. */
const CONTEXT_CHARACTERS = 40

/** Shortens a text to an excerpt that contains the search match. */
export function buildExcerpt(written: string, locateMatch: (text: string) => [number, number]): string {
  const text = written.replace(/\s+/g, ' ').trim()
  if (text.length <= MAX_EXCERPT) return text
  const [start] = locateMatch(text)
  const from = start <= CONTEXT_CHARACTERS ? 0 : text.indexOf(' ', start - CONTEXT_CHARACTERS)
  // If the preceding word is longer than the context, there is no space to start after, so the excerpt starts at the match.
  const begin = from < 0 || from > start ? start : from === 0 ? 0 : from + 1
  return (begin > 0 ? '…' : '') + truncate(text.slice(begin), begin > 0 ? MAX_EXCERPT - 1 : MAX_EXCERPT)
}
