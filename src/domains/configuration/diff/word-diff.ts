import { cleanText } from '../../../kernel/outside-text.ts'
import { commonPairs } from './sequences.ts'

/** Words, blanks and single signs. */
const TOKENS = /\s+|[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]/gu
/** Of what stayed, so much is shown around a change. */
const CONTEXT = 40

export interface Run {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/** Two texts in one: `The [-old-]{+new+} word`. */
export const wordDiff = (before: string, after: string): string =>
  wordRuns(before, after)
    .map(({ kind, text }) => (kind === 'removed' ? `[-${text}-]` : kind === 'added' ? `{+${text}+}` : text))
    .join('')

/** What went, came and stayed, front to back. What stayed is cut to what surrounds the changes. */
export function wordRuns(before: string, after: string): Run[] {
  const runs = runsOf(before.match(TOKENS) ?? [], after.match(TOKENS) ?? [])
  return runs.map((run, index) =>
    run.kind === 'same' ? { ...run, text: shortened(run.text, { first: index === 0, last: index === runs.length - 1 }) } : run,
  )
}

function runsOf(a: readonly string[], b: readonly string[]): Run[] {
  const numbers = new Map<string, number>()
  const numberOf = (token: string) => {
    const number = numbers.get(token) ?? numbers.size
    numbers.set(token, number)
    return number
  }
  const runs: Run[] = []
  const add = (kind: Run['kind'], tokens: readonly string[]) => {
    if (tokens.length === 0) return
    const last = runs.at(-1)
    if (last?.kind === kind) last.text += tokens.join('')
    else runs.push({ kind, text: tokens.join('') })
  }
  let [fromA, fromB] = [0, 0]
  for (const [i, j] of [...commonPairs(a.map(numberOf), b.map(numberOf)), [a.length, b.length] as const]) {
    add('removed', a.slice(fromA, i))
    add('added', b.slice(fromB, j))
    add('same', a.slice(i, i + 1))
    ;[fromA, fromB] = [i + 1, j + 1]
  }
  return runs
}

function shortened(text: string, { first, last }: { first: boolean; last: boolean }): string {
  if (text.length <= (first || last ? 1 : 2) * CONTEXT) return text
  // A cut may fall between the halves of one character.
  return `${first ? '' : cleanText(text.slice(0, CONTEXT))}…${last ? '' : cleanText(text.slice(-CONTEXT))}`
}
