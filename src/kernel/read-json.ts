import { atOnce, type InParts } from './turns.ts'

/** Deeper than this no honest message is, and recursive code would run out of stack. */
const MAX_DEPTH = 64

/** How many keys a text may have, and how many values beside one another. Whatever comes after reading looks at each of them. */
export interface JsonLimits {
  keys: number
  values: number
}

export const REQUEST_LIMITS: JsonLimits = { keys: 10_000, values: 20_000 }
/** The configuration of an event: 2 MiB with 30 flows, 2,000 widgets, 1,000 products and translations have some 65,000 keys. */
export const DOCUMENT_LIMITS: JsonLimits = { keys: 100_000, values: 200_000 }

export type ReadJson = { value: unknown } | { problem: 'syntax' | 'depth' | 'size' | 'duplicate' | 'prototype'; detail: string }

/** In characters: what stands outside of texts and is no blank, and what is written by an escape. Each of them costs as much as a thousand plain ones. */
const MAX_SIGNS = 4_000_000
const MAX_ESCAPES = 2_500_000
const BLANK = 32
/** Keys of one object: an event has some ten thousand translations in one language, and larger objects are slow whatever is done with them. */
const MAX_OF_ONE = 25_000
/** In characters, some milliseconds. */
const PART = 400_000

/**
 * JSON whose depth and size are bounded before anything walks it, and in which no key stands twice or is __proto__: two readers of such a
 * message could see two different calls.
 */
export function* readInParts(text: string, limits: JsonLimits): InParts<ReadJson> {
  const pairs = yield* countPairs(text, limits)
  if (typeof pairs === 'string') return { problem: pairs, detail: detailOf(pairs, limits) }
  yield
  let value: unknown
  try {
    value = JSON.parse(text) as unknown
  } catch (error) {
    return { problem: 'syntax', detail: `is not JSON: ${(error as Error).message.slice(0, 120)}` }
  }
  yield
  const keys = countKeys(value)
  if (keys === 'prototype') return { problem: keys, detail: 'has a key named __proto__' }
  if (keys === 'size') return { problem: keys, detail: `has an object of more than ${MAX_OF_ONE.toLocaleString('en')} keys` }
  // The parser keeps the last of two equal keys: then fewer are left than were written.
  return keys === pairs ? { value } : { problem: 'duplicate', detail: 'has a key twice in one object' }
}

export const readJson = (text: string, limits: JsonLimits): ReadJson => atOnce(readInParts(text, limits))

const detailOf = (problem: 'depth' | 'size', { keys, values }: JsonLimits) =>
  problem === 'depth'
    ? `is nested deeper than ${MAX_DEPTH}`
    : `is more than can be read: at most ${keys.toLocaleString('en')} keys, ${values.toLocaleString('en')} values and ${MAX_SIGNS.toLocaleString('en')} signs outside of texts`

/**
 * How many keys are written, which is one before each colon outside of texts; or that it is too deep or too much, as soon as that is seen.
 * Where it is not JSON the answer does not matter.
 */
function* countPairs(text: string, limits: JsonLimits): InParts<number | 'depth' | 'size'> {
  let [depth, pairs, commas, signs, escapes] = [0, 0, 0, 0, 0]
  let slash = text.indexOf('\\', 0)
  let pause = PART
  for (let i = 0; i < text.length; i++) {
    if (i > pause) {
      yield
      pause = i + PART
    }
    const sign = text.charCodeAt(i)
    if (sign > BLANK && ++signs > MAX_SIGNS) return 'size'
    switch (sign) {
      case 34: // "
        i = text.indexOf('"', i + 1)
        for (; slash >= 0 && (i < 0 || slash < i); escapes++) {
          if (escapes > MAX_ESCAPES) return 'size'
          if (slash > pause) {
            yield
            pause = slash + PART
          }
          // What follows a backslash neither ends the text nor begins an escape.
          if (i === slash + 1) i = text.indexOf('"', slash + 2)
          slash = text.indexOf('\\', slash + 2)
        }
        if (i < 0) return pairs
        break
      case 92: // \, which is no JSON here
        return pairs
      case 58: // :
        if (++pairs > limits.keys) return 'size'
        break
      case 44: // ,
        if (++commas >= limits.values) return 'size'
        break
      case 123: // {
      case 91: // [
        if (++depth > MAX_DEPTH) return 'depth'
        break
      case 125: // }
      case 93: // ]
        depth--
        break
    }
  }
  return pairs
}

/** How many keys were understood; or that one of them is __proto__, or one object has too many. */
function countKeys(value: unknown): number | 'prototype' | 'size' {
  if (value === null || typeof value !== 'object') return 0
  const names = Object.keys(value)
  if (!Array.isArray(value) && names.length > MAX_OF_ONE) return 'size'
  let keys = Array.isArray(value) ? 0 : names.length
  for (const key of names) {
    if (key === '__proto__') return 'prototype'
    const within = countKeys((value as Record<string, unknown>)[key])
    if (typeof within === 'string') return within
    keys += within
  }
  return keys
}

/** The same of what was read already, looked at no further than it takes to know. */
export function isLargerThan(value: unknown, { keys, values }: JsonLimits): boolean {
  let [keysLeft, valuesLeft] = [keys, values]
  const fits = (part: unknown): boolean => {
    if (part === null || typeof part !== 'object') return true
    const inside: unknown[] = Array.isArray(part) ? part : Object.values(part)
    if (!Array.isArray(part)) keysLeft -= inside.length > MAX_OF_ONE ? Infinity : inside.length
    valuesLeft -= inside.length
    return keysLeft >= 0 && valuesLeft >= 0 && inside.every(fits)
  }
  return !fits(value)
}
