import { createHash } from 'node:crypto'

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
