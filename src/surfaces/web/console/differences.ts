import { cleanText } from '../../../kernel/outside-text.ts'

export interface Difference {
  path: string
  before: string | null
  after: string | null
}

const MAX_TEXT = 500
const MAX_PER_TARGET = 60

type Fields = Record<string, { before?: unknown; after?: unknown }>

/** What really differs, down to single values: of a long document only the lines that changed are worth reading. */
export function differencesOf(fields: Fields): Difference[] {
  const found = Object.entries(fields).flatMap(([name, { before, after }]) => between(name, before, after))
  if (found.length <= MAX_PER_TARGET) return found
  return [...found.slice(0, MAX_PER_TARGET), { path: `and ${found.length - MAX_PER_TARGET} more`, before: null, after: null }]
}

const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function between(path: string, before: unknown, after: unknown): Difference[] {
  if (!isHolder(before) || !isHolder(after) || Array.isArray(before) !== Array.isArray(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before: written(before), after: written(after) }]
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => between(`${path}.${name}`, before[name], after[name]))
}

function written(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  const text = typeof value === 'string' ? value : isHolder(value) ? JSON.stringify(value, null, 1) : JSON.stringify(value)
  const clean = cleanText(text, MAX_TEXT)
  return text.length > MAX_TEXT ? `${clean}…` : clean
}
