import { cutTo } from './labels.ts'

const MAX = 160
/** How much of what stands before is shown with it. */
const BEFORE = 40

/** A part of a text that is short enough to read and holds what was looked for. */
export function excerptOf(written: string, place: (text: string) => [number, number]): string {
  const text = written.replace(/\s+/g, ' ').trim()
  if (text.length <= MAX) return text
  const [start] = place(text)
  const from = start <= BEFORE ? 0 : text.indexOf(' ', start - BEFORE)
  // A long word has no blank before it.
  const begin = from < 0 || from > start ? start : from === 0 ? 0 : from + 1
  return (begin > 0 ? '…' : '') + cutTo(text.slice(begin), begin > 0 ? MAX - 1 : MAX)
}
