import { createHash, randomBytes } from 'node:crypto'

/** Pattern of a code or slug (a short readable identifier), as people type it. */
export const CODE_PATTERN = /^[a-z0-9][a-z0-9-]{0,62}$/
const CODE_LENGTH = 63

const ID_PATTERN = /^[0-9a-f]{24}$/
const RANDOM_SPACE = 2 ** 48
const CLOCK_SLACK_MS = 1_000

let lastMs = 0
let lastRandom = 0

/**
 * Creates an id: 48 bits of milliseconds followed by 48 random bits. Ids of one process strictly increase, so that rows created in the
 * same millisecond sort by creation: within a millisecond the random part grows by a random 40-bit step, which keeps the next id
 * unpredictable.
 */
export function newId(now = Date.now()): string {
  // If the clock was set back far, ids use the new time. Otherwise they would carry a wrong time until the clock catches up.
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

/** The smallest id that can be created at or after this time. */
export const buildSmallestIdForTime = (ms: number): string => hex48(ms) + hex48(0)

export function isId(text: unknown): text is string {
  return typeof text === 'string' && ID_PATTERN.test(text)
}

/** Builds a code from a name. A name without Latin letters or digits gets a hash of the name: stable, and different for different names. */
export function toSlug(name: string): string {
  const ascii = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[ßæœøłđðþı]/g, (letter) => UNDECOMPOSED[letter] ?? '')
    .replace(/[\p{M}'’]/gu, '')
  const slug = trimDashes(trimDashes(ascii.replace(/[^a-z0-9]+/g, '-')).slice(0, CODE_LENGTH))
  return slug || `n-${createHash('sha256').update(name.normalize('NFKC')).digest('hex').slice(0, 8)}`
}

// Letters that Unicode does not decompose into a base letter and a mark.
const UNDECOMPOSED: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }

const trimDashes = (text: string) => text.replace(/^-|-$/g, '')

const hex48 = (value: number) => value.toString(16).padStart(12, '0')
