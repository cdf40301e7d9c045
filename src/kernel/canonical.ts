import { createHash } from 'node:crypto'
import type { CooperativeTask } from './cooperative.ts'

/** JSON with sorted keys and without undefined values. Equal values give equal text, so the text can be hashed and compared. */
export const toCanonicalJson = (value: unknown): string => JSON.stringify(sortKeys(value))

function sortKeys(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if ('toJSON' in value && typeof value.toJSON === 'function') return sortKeys(value.toJSON())
  if (Array.isArray(value)) return value.map(sortKeys)
  // Objects are copied without a prototype, so that a key named __proto__ is an ordinary key.
  const copy = Object.create(null) as Record<string, unknown>
  for (const key of Object.keys(value).sort()) copy[key] = sortKeys((value as Record<string, unknown>)[key])
  return copy
}

export const hashCanonicalJson = (value: unknown): Buffer => createHash('sha256').update(toCanonicalJson(value)).digest()

/** The number of list items or object entries that are serialized before the task yields to the event loop. */
const ITEMS_PER_STEP = 20
/** How many levels of nested lists and objects are serialized item by item. Deeper levels are serialized without yielding. */
const YIELD_DEPTH = 2

/** Like `toCanonicalJson`, but yields to the event loop in between. For large plain data that was parsed from JSON. */
export function* canonicalJsonSteps(value: unknown, depth = YIELD_DEPTH): CooperativeTask<string> {
  if (value === null || typeof value !== 'object' || depth === 0) return toCanonicalJson(value)
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (index % ITEMS_PER_STEP === 0) yield
      parts.push(yield* canonicalJsonSteps(item ?? null, depth - 1))
    }
    return `[${parts.join(',')}]`
  }
  for (const [index, key] of Object.keys(value).sort().entries()) {
    if (index % ITEMS_PER_STEP === 0) yield
    const part = (value as Record<string, unknown>)[key]
    if (part !== undefined) parts.push(`${JSON.stringify(key)}:${yield* canonicalJsonSteps(part, depth - 1)}`)
  }
  return `{${parts.join(',')}}`
}
