/** Keys whose values grant access; the examples show that they exist but not their values. */
const SECRET_KEYS = new Set(['confirmToken', 'nextCursor', 'token', 'jwt'])

/** Durations differ in each run and say nothing about the tool. */
const DURATIONS = new Set(['ms', 'p50Ms', 'p95Ms'])

const TOKENS: readonly (readonly [RegExp, string])[] = [
  [/\b(l[a-z]{2})_[A-Za-z0-9_-]{43}/g, '$1_…'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJ…'],
  // Encrypted values, as in invoice addresses.
  [/(?:[\w-]+\.)?[A-Za-z0-9_-]{80,}/g, '…'],
  [/([?&](?:token|signature|sig|s|t)=)[^&"\s]+/g, '$1…'],
]

/** A response without secrets, random values and durations. */
export function concealSecrets(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    if (SECRET_KEYS.has(key)) return '…'
    return TOKENS.reduce((text, [pattern, instead]) => text.replaceAll(pattern, instead), value)
  }
  if (typeof value === 'number') return DURATIONS.has(key) ? 12 : value
  if (Array.isArray(value)) return value.map((item) => concealSecrets(item, key))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, concealSecrets(part, name)]))
}
