import { cleanText } from '../../kernel/clean-text.ts'
import { isCalendarDay, parseInstant } from '../../kernel/time.ts'
import type { SampleValuePath } from './tables.ts'

const MAX_SOURCES = 100
const MAX_DEPTH = 6
const PLAIN_KEY = /^[\p{L}\p{N}_$-]+$/u

export const appendJsonPathKey = (at: string, key: string): string =>
  PLAIN_KEY.test(key) ? `${at}.${key}` : `${at}['${key.replace(/[\\']/g, '\\$&')}']`

/**
 * Lists the JSONPath expressions and types of all values in a directory record, without the values. Keys with control or invisible
 * characters are left out.
 */
export function listRecordValuePaths(record: unknown): SampleValuePath[] {
  const found: SampleValuePath[] = []
  const visit = (value: unknown, at: string, depth: number): void => {
    if (found.length >= MAX_SOURCES || value === undefined || at.length > 500) return
    const holds = value !== null && typeof value === 'object'
    if (!holds || depth === MAX_DEPTH) {
      if (depth > 0) found.push({ expression: at, sampleType: sampleTypeOf(value) })
    } else if (!Array.isArray(value)) {
      for (const [key, part] of Object.entries(value)) if (cleanText(key) === key) visit(part, appendJsonPathKey(at, key), depth + 1)
    } else if (value.every((item) => item === null || typeof item !== 'object')) found.push({ expression: at, sampleType: 'list' })
    else visit(value[0], `${at}[*]`, depth + 1)
  }
  visit(record, '$', 0)
  return found
}

function sampleTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value
  if (value !== null && typeof value === 'object') return 'object'
  return typeof value === 'string' && (isCalendarDay(value) || parseInstant(value) !== null) ? 'date' : 'text'
}
