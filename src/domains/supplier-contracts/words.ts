import { diffArrays } from 'diff'

/** A hunk of a text difference. Equal and deleted hunks give the old text, equal and inserted hunks the new text. */
export interface TextDiffHunk {
  op: 'equal' | 'insert' | 'delete'
  text: string
}

/** Matches words and numbers as a whole; an amount such as 30,000.00 is one number. */
const TOKEN = /\s+|\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu

/** The maximum number of changed words in a difference. Texts with more changes are shown as replaced as a whole. */
const MAX_EDITS = 800

export const splitTextIntoWords = (text: string): string[] => text.match(TOKEN) ?? []

/**
 * Compares two texts word by word (Myers' algorithm). The algorithm always runs from the smaller text to the larger one, so that the
 * difference in the other direction is its mirror image.
 */
export function diffWords(from: string, to: string): TextDiffHunk[] {
  if (from === to) return from === '' ? [] : [{ op: 'equal', text: from }]
  const isSwapped = to < from
  const hunks = tidy(compare(isSwapped ? to : from, isSwapped ? from : to))
  return isSwapped ? tidy(hunks.map(invertDiffHunk)) : hunks
}

const MIRRORED = { equal: 'equal', insert: 'delete', delete: 'insert' } as const
export const invertDiffHunk = ({ op, text }: TextDiffHunk): TextDiffHunk => ({ op: MIRRORED[op], text })

function compare(from: string, to: string): TextDiffHunk[] {
  const [a, b] = [splitTextIntoWords(from), splitTextIntoWords(to)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  const changes = diffArrays(left, right, { maxEditLength: MAX_EDITS })
  const middle: TextDiffHunk[] = changes
    ? changes.map(({ added, removed, value }) => ({ op: added ? 'insert' : removed ? 'delete' : 'equal', text: value.join('') }))
    : [
        { op: 'delete', text: left.join('') },
        { op: 'insert', text: right.join('') },
      ]
  return [{ op: 'equal', text: a.slice(0, start).join('') }, ...middle, { op: 'equal', text: a.slice(a.length - end).join('') }]
}

/**
 * Joins neighbouring hunks: each change becomes one deletion followed by one insertion, and whitespace between two changes belongs to both.
 */
function tidy(hunks: readonly TextDiffHunk[]): TextDiffHunk[] {
  const tidied: TextDiffHunk[] = []
  let [deleted, inserted] = ['', '']
  const flush = () => {
    if (deleted !== '') tidied.push({ op: 'delete', text: deleted })
    if (inserted !== '') tidied.push({ op: 'insert', text: inserted })
    deleted = ''
    inserted = ''
  }
  hunks.forEach(({ op, text }, index) => {
    const isBlank = op === 'equal' && /^\s*$/.test(text)
    const next = hunks.slice(index + 1).find((one) => one.text !== '')
    const joins = isBlank && deleted !== '' && inserted !== '' && next !== undefined && next.op !== 'equal'
    if (op === 'delete' || joins) deleted += text
    if (op === 'insert' || joins) inserted += text
    if (op !== 'equal' || joins || text === '') return
    flush()
    const last = tidied.at(-1)
    if (last?.op === 'equal') last.text += text
    else tidied.push({ op, text })
  })
  flush()
  return tidied
}
