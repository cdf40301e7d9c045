import { createHash } from 'node:crypto'

/** JSON with sorted keys and without undefined values: equal for equal meaning, so it can be hashed and compared. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

export const digestOf = (value: unknown): Buffer => createHash('sha256').update(canonicalJson(value)).digest()
