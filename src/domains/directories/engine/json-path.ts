import { invalidArguments } from '../../../kernel/errors.ts'
import { cleanText } from '../../../kernel/clean-text.ts'

export type PathSegment =
  | { kind: 'key'; key: string }
  | { kind: 'index'; index: number }
  | { kind: 'all' }
  | { kind: 'filter'; keys: readonly string[]; value: Scalar }
export type JsonPath = readonly PathSegment[]
type Scalar = string | number | boolean | null

const MAX_PATH_CHARACTERS = 500
const MAX_SEGMENTS = 32
/** Maximum number of values that a path returns, because wildcards over nested lists multiply the values. */
const MAX_RESULTS = 10_000

const NAME = /^\.([\p{L}\p{N}_$-]+)/u
const QUOTED = /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/
const INDEX = /^\[(\d{1,6})\]/
const FILTER_KEY = /^(?:\.([\p{L}\p{N}_$-]+)|\['((?:[^'\\]|\\.)*)'\])/u
const SCALAR = /^(?:true|false|null|-?\d+(?:\.\d+)?)/

/**
 * Parses a JSONPath expression of the subset `$ .key [n] [*] ['key'] [?(@.key==value)]`. Throws with a readable message for anything
 * else.
 */
export function parseJsonPath(text: string): JsonPath {
  const read = tryParsePath(text.trim())
  if (typeof read === 'string') throw invalidArguments([{ path: '', message: read }])
  return read
}

/** Returns what is wrong with a JSONPath expression, or null if it is valid. */
export function checkJsonPath(text: string): string | null {
  const read = tryParsePath(text.trim())
  return typeof read === 'string' ? read : null
}

function tryParsePath(text: string): JsonPath | string {
  if (text.length > MAX_PATH_CHARACTERS) return `an expression has at most ${MAX_PATH_CHARACTERS} characters`
  if (!text.startsWith('$')) return `${quote(text)} is not an expression: it must start with $, such as $.email`
  const segments: PathSegment[] = []
  let rest = text.slice(1)
  while (rest !== '') {
    const next = readSegment(rest)
    if (!next) return `${quote(text)} cannot be read from ${quote(rest)} on; allowed are .key, [0], [*], ['key'] and [?(@.key==value)]`
    segments.push(next.segment)
    rest = rest.slice(next.length)
    if (segments.length > MAX_SEGMENTS) return `an expression has at most ${MAX_SEGMENTS} segments`
  }
  return segments
}

function readSegment(rest: string): { segment: PathSegment; length: number } | null {
  const [named, key] = NAME.exec(rest) ?? []
  if (named !== undefined) return { segment: { kind: 'key', key: key! }, length: named.length }
  const [indexed, index] = INDEX.exec(rest) ?? []
  if (indexed !== undefined) return { segment: { kind: 'index', index: Number(index) }, length: indexed.length }
  if (rest.startsWith('[*]')) return { segment: { kind: 'all' }, length: 3 }
  if (rest.startsWith('[?(@')) return readFilter(rest)
  const quoted = rest.startsWith('[') ? QUOTED.exec(rest.slice(1)) : null
  if (!quoted || rest[1 + quoted[0].length] !== ']') return null
  return { segment: { kind: 'key', key: unescaped(quoted[1] ?? quoted[2] ?? '') }, length: quoted[0].length + 2 }
}

function readFilter(rest: string): { segment: PathSegment; length: number } | null {
  const keys: string[] = []
  let at = '[?(@'.length
  for (let key = FILTER_KEY.exec(rest.slice(at)); key; key = FILTER_KEY.exec(rest.slice(at))) {
    keys.push(key[1] ?? unescaped(key[2] ?? ''))
    at += key[0].length
  }
  const sign = /^\s*==\s*/.exec(rest.slice(at))
  if (keys.length === 0 || !sign) return null
  at += sign[0].length
  const text = QUOTED.exec(rest.slice(at))
  const scalar = text ? null : SCALAR.exec(rest.slice(at))
  at += (text ?? scalar)?.[0].length ?? 0
  const end = /^\s*\)\]/.exec(rest.slice(at))
  if ((!text && !scalar) || !end) return null
  const value = text ? unescaped(text[1] ?? text[2] ?? '') : (JSON.parse(scalar![0]) as Scalar)
  return { segment: { kind: 'filter', keys, value }, length: at + end[0].length }
}

const unescaped = (text: string) => text.replace(/\\(.)/g, '$1')
const quote = (text: string) => JSON.stringify(cleanText(text, 60))

/**
 * Returns all values that match the path, in document order. Iterates over the path instead of recursing, so a deeply nested document
 * cannot overflow the stack.
 */
export function readJsonPath(value: unknown, path: JsonPath): unknown[] {
  return path.reduce<unknown[]>((found, segment) => found.flatMap((one) => step(one, segment)).slice(0, MAX_RESULTS), [value])
}

function step(value: unknown, segment: PathSegment): unknown[] {
  switch (segment.kind) {
    case 'key':
      return ownKey(value, segment.key)
    case 'index':
      return Array.isArray(value) && segment.index < value.length ? [value[segment.index]] : []
    case 'all':
      return membersOf(value)
    case 'filter':
      return membersOf(value).filter((member) => segment.keys.reduce(ownKeyOf, [member]).includes(segment.value))
  }
}

const ownKeyOf = (found: unknown[], key: string): unknown[] => found.flatMap((one) => ownKey(one, key))

/** Reads only own properties, so that `__proto__` and `constructor` never reach the prototype. */
function ownKey(value: unknown, key: string): unknown[] {
  const holds = value !== null && typeof value === 'object' && !Array.isArray(value) && Object.hasOwn(value, key)
  return holds ? [(value as Record<string, unknown>)[key]] : []
}

function membersOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return value !== null && typeof value === 'object' ? Object.values(value) : []
}

/** Returns the beginning of a JSONPath that matches at most one value: everything before the first wildcard or filter. */
export function cutPathBeforeWildcard(path: JsonPath): JsonPath {
  const spread = path.findIndex(({ kind }) => kind === 'all' || kind === 'filter')
  return spread === -1 ? path : path.slice(0, spread)
}

/** Returns the last key of a JSONPath, which usually names the field. */
export function getLastKey(path: JsonPath): string {
  const last = path.findLast(({ kind }) => kind === 'key')
  return last?.kind === 'key' ? last.key : ''
}
