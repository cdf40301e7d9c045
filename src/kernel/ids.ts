import { createHash, randomBytes } from 'node:crypto'

/** A code or slug: what people type. */
export const CODE_PATTERN = /^[a-z0-9][a-z0-9-]{0,62}$/
const CODE_LENGTH = 63

const ID_PATTERN = /^[0-9a-f]{24}$/
const RANDOM_SPACE = 2 ** 48
const CLOCK_SLACK_MS = 1_000

let lastMs = 0
let lastRandom = 0

/**
 * 48 bits of milliseconds, then 48 random bits. Ids of one process strictly increase, so that rows made in the same millisecond list in the
 * order of their making: there the random part goes up by a random step of 40 bits, which leaves the next id as unguessable as it need be.
 */
export function newId(now = Date.now()): string {
  // A clock that was set back far is followed, or every id until it catches up would carry a wrong time.
  const clockMoved = now > lastMs || now < lastMs - CLOCK_SLACK_MS
  const next = lastRandom + 1 + randomBytes(5).readUIntBE(0, 5)
  if (!clockMoved && next < RANDOM_SPACE) {
    lastRandom = next
  } else {
    lastMs = clockMoved ? now : lastMs + 1
    lastRandom = randomBytes(6).readUIntBE(0, 6)
  }
  return hex48(lastMs) + hex48(lastRandom)
}

/** No id made since then comes before it. */
export const firstIdAt = (ms: number): string => hex48(ms) + hex48(0)

export function isId(text: unknown): text is string {
  return typeof text === 'string' && ID_PATTERN.test(text)
}

/** A code made from a name. A name without Latin letters or digits gets one from its hash: stable, and different for different names. */
export function slugOf(name: string): string {
  const ascii = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[ßæœøłđðþı]/g, (letter) => UNDECOMPOSED[letter] ?? '')
    .replace(/[\p{M}'’]/gu, '')
  const slug = trimDashes(trimDashes(ascii.replace(/[^a-z0-9]+/g, '-')).slice(0, CODE_LENGTH))
  return slug || `n-${createHash('sha256').update(name.normalize('NFKC')).digest('hex').slice(0, 8)}`
}

// Letters that Unicode does not take apart into a base letter and a mark.
const UNDECOMPOSED: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }

const trimDashes = (text: string) => text.replace(/^-|-$/g, '')

const hex48 = (value: number) => value.toString(16).padStart(12, '0')
