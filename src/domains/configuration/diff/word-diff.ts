import { cleanText } from '../../../kernel/clean-text.ts'
import { findCommonSubsequence } from './sequences.ts'

/** Splits a text into words, whitespace and single symbols. */
const TOKENS = /\s+|[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]/gu
/** The number of unchanged characters that are shown before and after a change. */
const CONTEXT = 40

export interface WordDiffSegment {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/** Shows the old and new text in one, with the changes marked: `The [-old-]{+new+} word`. */
export const formatWordDiff = (before: string, after: string): string =>
  splitIntoWordDiffSegments(before, after)
    .map(({ kind, text }) => (kind === 'removed' ? `[-${text}-]` : kind === 'added' ? `{+${text}+}` : text))
    .join('')

/** Splits two texts into removed, added and unchanged runs, in order. Unchanged runs are shortened to a few words around each change. */
export function splitIntoWordDiffSegments(before: string, after: string): WordDiffSegment[] {
  const runs = buildRuns(before.match(TOKENS) ?? [], after.match(TOKENS) ?? [])
  return runs.map((run, index) =>
    run.kind === 'same' ? { ...run, text: shortened(run.text, { first: index === 0, last: index === runs.length - 1 }) } : run,
  )
}

function buildRuns(a: readonly string[], b: readonly string[]): WordDiffSegment[] {
  const numbers = new Map<string, number>()
  const numberOf = (token: string) => {
    const number = numbers.get(token) ?? numbers.size
    numbers.set(token, number)
    return number
  }
  const runs: WordDiffSegment[] = []
  const add = (kind: WordDiffSegment['kind'], tokens: readonly string[]) => {
    if (tokens.length === 0) return
    const last = runs.at(-1)
    if (last?.kind === kind) last.text += tokens.join('')
    else runs.push({ kind, text: tokens.join('') })
  }
  let [fromA, fromB] = [0, 0]
  for (const [i, j] of [...findCommonSubsequence(a.map(numberOf), b.map(numberOf)), [a.length, b.length] as const]) {
    add('removed', a.slice(fromA, i))
    add('added', b.slice(fromB, j))
    add('same', a.slice(i, i + 1))
    ;[fromA, fromB] = [i + 1, j + 1]
  }
  return runs
}

function shortened(text: string, { first, last }: { first: boolean; last: boolean }): string {
  if (text.length <= (first || last ? 1 : 2) * CONTEXT) return text
  // Shortening the text may cut a surrogate pair in half; cleanText removes the remaining half.
  return `${first ? '' : cleanText(text.slice(0, CONTEXT))}…${last ? '' : cleanText(text.slice(-CONTEXT))}`
}
