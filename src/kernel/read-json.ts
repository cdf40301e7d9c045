import { runTaskSynchronously, type CooperativeTask } from './cooperative.ts'

/** Maximum nesting depth. No legitimate message nests deeper, and recursive code would overflow the stack. */
const MAX_DEPTH = 64

/** The maximum number of keys and values of a JSON text. The time of all later processing is proportional to this number. */
export interface JsonLimits {
  keys: number
  values: number
}

export const REQUEST_JSON_LIMITS: JsonLimits = { keys: 10_000, values: 20_000 }
/** JSON limits for event configurations: 2 MiB with 30 flows, 2,000 widgets, 1,000 products and translations have about 65,000 keys. */
export const CONFIGURATION_JSON_LIMITS: JsonLimits = { keys: 100_000, values: 200_000 }

export type JsonReadResult = { value: unknown } | { problem: 'syntax' | 'depth' | 'size' | 'duplicate' | 'prototype'; detail: string }

/**
 * Limits for non-blank characters outside strings, and for escape sequences. Each costs about as much to parse as a thousand plain
 * characters.
 */
const MAX_STRUCTURAL_CHARACTERS = 4_000_000
const MAX_ESCAPES = 2_500_000
const BLANK = 32
/**
 * Maximum number of keys of one object: an event has about ten thousand translations per language, and all operations on larger objects
 * are slow.
 */
const MAX_KEYS_PER_OBJECT = 25_000
/** Number of characters that are scanned before the task yields, which takes a few milliseconds. */
const CHARACTERS_PER_STEP = 400_000

/**
 * Parses JSON after bounding its depth and size. Duplicate keys and __proto__ are rejected, because two parsers could read such a message
 * as two different calls.
 */
export function* readJsonSteps(text: string, limits: JsonLimits): CooperativeTask<JsonReadResult> {
  const pairs = yield* countWrittenKeys(text, limits)
  if (typeof pairs === 'string') return { problem: pairs, detail: detailOf(pairs, limits) }
  yield
  let value: unknown
  try {
    value = JSON.parse(text) as unknown
  } catch (error) {
    return { problem: 'syntax', detail: `is not JSON: ${(error as Error).message.slice(0, 120)}` }
  }
  yield
  const keys = countParsedKeys(value)
  if (keys === 'prototype') return { problem: keys, detail: 'has a key named __proto__' }
  if (keys === 'size') return { problem: keys, detail: `has an object of more than ${MAX_KEYS_PER_OBJECT.toLocaleString('en')} keys` }
  // The parser keeps only the last of two equal keys, so fewer keys than were written reveal a duplicate.
  return keys === pairs ? { value } : { problem: 'duplicate', detail: 'has a key twice in one object' }
}

export const readJson = (text: string, limits: JsonLimits): JsonReadResult => runTaskSynchronously(readJsonSteps(text, limits))

const detailOf = (problem: 'depth' | 'size', { keys, values }: JsonLimits) =>
  problem === 'depth'
    ? `is nested deeper than ${MAX_DEPTH}`
    : `exceeds the limits: at most ${keys.toLocaleString('en')} keys, ${values.toLocaleString('en')} values and ${MAX_STRUCTURAL_CHARACTERS.toLocaleString('en')} characters outside of strings`

/**
 * Counts the keys as colons outside strings, or stops as soon as the text is too deep or too large. For invalid JSON the result does not
 * matter.
 */
function* countWrittenKeys(text: string, limits: JsonLimits): CooperativeTask<number | 'depth' | 'size'> {
  let [depth, pairs, commas, structural, escapes] = [0, 0, 0, 0, 0]
  let slash = text.indexOf('\\', 0)
  let nextYieldAt = CHARACTERS_PER_STEP
  for (let i = 0; i < text.length; i++) {
    if (i > nextYieldAt) {
      yield
      nextYieldAt = i + CHARACTERS_PER_STEP
    }
    const character = text.charCodeAt(i)
    if (character > BLANK && ++structural > MAX_STRUCTURAL_CHARACTERS) return 'size'
    switch (character) {
      case 34: // "
        i = text.indexOf('"', i + 1)
        for (; slash >= 0 && (i < 0 || slash < i); escapes++) {
          if (escapes > MAX_ESCAPES) return 'size'
          if (slash > nextYieldAt) {
            yield
            nextYieldAt = slash + CHARACTERS_PER_STEP
          }
          // Skips the character after a backslash, which neither ends the string nor starts another escape sequence.
          if (i === slash + 1) i = text.indexOf('"', slash + 2)
          slash = text.indexOf('\\', slash + 2)
        }
        if (i < 0) return pairs
        break
      case 92: // \, which is invalid JSON here
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

/** Counts the parsed keys, or reports a key named __proto__ or an object with too many keys. */
function countParsedKeys(value: unknown): number | 'prototype' | 'size' {
  if (value === null || typeof value !== 'object') return 0
  const names = Object.keys(value)
  if (!Array.isArray(value) && names.length > MAX_KEYS_PER_OBJECT) return 'size'
  let keys = Array.isArray(value) ? 0 : names.length
  for (const key of names) {
    if (key === '__proto__') return 'prototype'
    const within = countParsedKeys((value as Record<string, unknown>)[key])
    if (typeof within === 'string') return within
    keys += within
  }
  return keys
}

/** Whether a parsed JSON value exceeds the limits. Counting stops at the first exceeded limit. */
export function exceedsJsonLimits(value: unknown, { keys, values }: JsonLimits): boolean {
  let [keysLeft, valuesLeft] = [keys, values]
  const fits = (part: unknown): boolean => {
    if (part === null || typeof part !== 'object') return true
    const inside: unknown[] = Array.isArray(part) ? part : Object.values(part)
    if (!Array.isArray(part)) keysLeft -= inside.length > MAX_KEYS_PER_OBJECT ? Infinity : inside.length
    valuesLeft -= inside.length
    return keysLeft >= 0 && valuesLeft >= 0 && inside.every(fits)
  }
  return !fits(value)
}
