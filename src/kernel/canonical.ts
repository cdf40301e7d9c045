import { createHash } from 'node:crypto'
import type { InParts } from './turns.ts'

/** JSON with sorted keys and without undefined values: equal for equal meaning, so it can be hashed and compared. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value))

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if ('toJSON' in value && typeof value.toJSON === 'function') return sorted(value.toJSON())
  if (Array.isArray(value)) return value.map(sorted)
  // Without a prototype, so that a key called __proto__ is a key like any other.
  const copy = Object.create(null) as Record<string, unknown>
  for (const key of Object.keys(value).sort()) copy[key] = sorted((value as Record<string, unknown>)[key])
  return copy
}

export const digestOf = (value: unknown): Buffer => createHash('sha256').update(canonicalJson(value)).digest()

/** So many items, or entries, are written at once. */
const AT_ONCE = 20
/** In lists and objects, how far down others get their turn. */
const DEPTH = 2

/** The same text for what may be large: plain data, as it comes from JSON. */
export function* canonicalTextInParts(value: unknown, depth = DEPTH): InParts<string> {
  if (value === null || typeof value !== 'object' || depth === 0) return canonicalJson(value)
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (index % AT_ONCE === 0) yield
      parts.push(yield* canonicalTextInParts(item ?? null, depth - 1))
    }
    return `[${parts.join(',')}]`
  }
  for (const [index, key] of Object.keys(value).sort().entries()) {
    if (index % AT_ONCE === 0) yield
    const part = (value as Record<string, unknown>)[key]
    if (part !== undefined) parts.push(`${JSON.stringify(key)}:${yield* canonicalTextInParts(part, depth - 1)}`)
  }
  return `{${parts.join(',')}}`
}
