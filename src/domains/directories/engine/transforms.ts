import type { CountryCode } from 'libphonenumber-js'
import { normalizeTextForComparison } from '../../../kernel/conditions.ts'
import { findMostSimilarName } from '../../../kernel/nearest.ts'
import { cleanText } from '../../../kernel/clean-text.ts'
import { loadPhoneNumberLibrary } from '../../configuration/phone-numbers.ts'
import { findCountryCode } from '../../../kernel/country-names.ts'
import { readDate, checkDateFormat } from './dates.ts'

export interface TransformContext {
  /** ISO alpha-2 code of the country of the venue, used for phone numbers without a country code. */
  country?: string | null | undefined
}

/** The unparsed text in brackets or braces after the transform's name. */
type TransformArguments = { brackets: string | null; braces: string | null }

interface Transform {
  /** Example of the transform's syntax, for error messages and the list of all transforms. */
  usage: string
  /** Returns what is wrong with the transform's arguments, or null. */
  wrong: (given: TransformArguments) => string | null
  /** Returns `undefined` if the value cannot be converted. Never called with null. */
  apply: (value: unknown, given: TransformArguments, context: TransformContext) => unknown
  /** True if the transform converts a list as a whole; other transforms convert each member of the list. */
  ofList?: boolean
}

const MAX_LENGTH = 2000
const MAX_CHAIN = 5

const rejectArguments = ({ brackets, braces }: TransformArguments) => (brackets === null && braces === null ? null : 'takes no arguments')
const ofText = (change: (text: string) => unknown) => (value: unknown) => {
  const text = toScalarText(value)
  return text === null ? undefined : change(text)
}

/** Matches the letters to capitalize: also the N of O'Neil after its apostrophe, but not the s of women's. */
const WORD_START = /(?<![\p{L}\p{M}\p{N}])(?!(?<=\p{L}['’])(?:[sdmt]|ll|re|ve)(?![\p{L}\p{M}\p{N}]))\p{L}/gu

const TRANSFORMS: Readonly<Record<string, Transform>> = {
  trim: { usage: 'trim', wrong: rejectArguments, apply: ofText((text) => text.trim().replace(/\s+/g, ' ')) },
  lower: { usage: 'lower', wrong: rejectArguments, apply: ofText((text) => text.toLowerCase()) },
  upper: { usage: 'upper', wrong: rejectArguments, apply: ofText((text) => text.toUpperCase()) },
  title: {
    usage: 'title',
    wrong: rejectArguments,
    apply: ofText((text) => text.toLowerCase().replace(WORD_START, (letter) => letter.toUpperCase())),
  },
  date: {
    usage: 'date(DD.MM.YYYY)',
    wrong: ({ brackets, braces }) => (braces === null ? checkDateFormat(brackets ?? 'ISO') : 'takes its format in brackets'),
    apply: (value, { brackets }) => readDate(toScalarText(value) ?? '', brackets ?? 'ISO') ?? undefined,
  },
  number: { usage: 'number', wrong: rejectArguments, apply: (value) => (typeof value === 'number' ? value : ofText(readNumber)(value)) },
  boolean: {
    usage: 'boolean(Y,Yes,1)',
    wrong: ({ brackets, braces }) =>
      braces === null && brackets?.trim() !== '' ? null : 'takes the values that mean true, as in boolean(Y,Yes,1)',
    apply: (value, { brackets }) => {
      const wanted = (brackets ?? 'true,1,yes,y').split(',').map((one) => normalizeTextForComparison(one.trim()))
      return ofText((text) => wanted.includes(normalizeTextForComparison(text.trim())))(value)
    },
  },
  country: { usage: 'country', wrong: rejectArguments, apply: ofText((text) => findCountryCode(text) ?? undefined) },
  phone: {
    usage: 'phone',
    wrong: rejectArguments,
    apply: (value, _, { country }) =>
      ofText((text) => {
        const number = loadPhoneNumberLibrary().parsePhoneNumberFromString(text, (country ?? undefined) as CountryCode | undefined)
        return number?.isValid() ? number.number : undefined
      })(value),
  },
  map: {
    usage: 'map{"A":"active","*":"other"}',
    wrong: ({ braces }) => (mapOf(braces) ? null : 'takes an object of texts, as in map{"A":"active"}'),
    apply: (value, { braces }) => ofText((text) => mapped(mapOf(braces) ?? {}, text))(value),
  },
  split: {
    usage: 'split(;,0)',
    wrong: ({ brackets }) => (splitOf(brackets) ? null : 'takes a separator and a position, as in split(;,0)'),
    apply: (value, { brackets }) => {
      const [separator, index] = splitOf(brackets) ?? [',', 0]
      return ofText((text) => text.split(separator).at(index)?.trim() ?? null)(value)
    },
  },
  first: {
    usage: 'first',
    wrong: rejectArguments,
    ofList: true,
    apply: (value) => (Array.isArray(value) ? (value.find((one) => one !== null && one !== undefined && one !== '') ?? null) : value),
  },
}

export const TRANSFORM_USAGE_TEXTS: readonly string[] = Object.values(TRANSFORMS).map(({ usage }) => usage)

/** Returns what is wrong with a transform expression, or null. Several transforms are joined with |. */
export function checkTransform(text: string): string | null {
  const read = readChain(text)
  return typeof read === 'string' ? read : null
}

/** Applies a transform expression to a value. `null` stays null; `undefined` means that the value cannot be converted. */
export function applyTransform(text: string, value: unknown, context: TransformContext = {}): unknown {
  const chain = readChain(text)
  if (typeof chain === 'string') return undefined
  return chain.reduce<unknown>((current, { name, given }) => {
    const { apply, ofList } = TRANSFORMS[name]!
    if (current === null || current === undefined) return current
    if (!Array.isArray(current) || ofList) return apply(current, given, context)
    return current
      .map((one: unknown) => (one === null ? null : apply(one, given, context)))
      .filter((one) => one !== undefined && one !== null)
  }, value)
}

const STEP = /^\s*([A-Za-z]+)\s*/

function readChain(text: string): { name: string; given: TransformArguments }[] | string {
  if (text.length > MAX_LENGTH) return `a transform has at most ${MAX_LENGTH} characters`
  const chain: { name: string; given: TransformArguments }[] = []
  let rest: string | null = text
  while (rest !== null) {
    const [head, name = ''] = STEP.exec(rest) ?? []
    if (head === undefined) return `${JSON.stringify(cleanText(text, 60))} is not a transform; known: ${TRANSFORM_USAGE_TEXTS.join(', ')}`
    const transform = Object.hasOwn(TRANSFORMS, name) ? TRANSFORMS[name] : undefined
    if (!transform) return unknownTransform(name)
    const { inside, length } = readGiven(rest.slice(head.length))
    if (inside === undefined) return `${name} has a bracket that is not closed`
    const wrong = transform.wrong(inside)
    if (wrong) return `${name} ${wrong}`
    chain.push({ name, given: inside })
    const after: string = rest.slice(head.length + length).trimStart()
    if (after !== '' && !after.startsWith('|'))
      return `${JSON.stringify(cleanText(after, 40))} is not expected after ${name}; join transforms with |`
    if (chain.length > MAX_CHAIN) return `at most ${MAX_CHAIN} transforms can be joined`
    rest = after === '' ? null : after.slice(1)
  }
  return chain
}

function unknownTransform(name: string): string {
  const near = findMostSimilarName(name, Object.keys(TRANSFORMS))
  return `unknown transform ${cleanText(name, 40)}; ${near ? `did you mean ${near}?` : `known: ${TRANSFORM_USAGE_TEXTS.join(', ')}`}`
}

/** Splits off the arguments of a transform. Brackets end at the matching bracket outside quotes; braces contain JSON. */
function readGiven(rest: string): { inside: TransformArguments | undefined; length: number } {
  const open = rest[0]
  if (open !== '(' && open !== '{') return { inside: { brackets: null, braces: null }, length: 0 }
  let quoted = false
  let depth = 0
  for (let at = 0; at < rest.length; at++) {
    const sign = rest[at]
    if (quoted && sign === '\\') at++
    else if (sign === '"') quoted = !quoted
    else if (!quoted && sign === open) depth++
    else if (!quoted && sign === (open === '(' ? ')' : '}') && --depth === 0) {
      const text = rest.slice(0, at + 1)
      return { inside: open === '(' ? { brackets: text.slice(1, -1), braces: null } : { brackets: null, braces: text }, length: at + 1 }
    }
  }
  return { inside: undefined, length: 0 }
}

function mapOf(braces: string | null): Record<string, string> | null {
  try {
    const map: unknown = JSON.parse(braces ?? 'null')
    const isMap =
      map !== null && typeof map === 'object' && !Array.isArray(map) && Object.values(map).every((one) => typeof one === 'string')
    return isMap && Object.keys(map).length > 0 ? (map as Record<string, string>) : null
  } catch {
    return null
  }
}

function mapped(map: Record<string, string>, text: string): string | undefined {
  if (Object.hasOwn(map, text)) return map[text]
  const folded = normalizeTextForComparison(text.trim())
  const key = Object.keys(map).find((one) => normalizeTextForComparison(one.trim()) === folded)
  return key === undefined ? (Object.hasOwn(map, '*') ? map['*'] : undefined) : map[key]
}

function splitOf(brackets: string | null): [separator: string, index: number] | null {
  const text = brackets ?? ''
  const comma = text.lastIndexOf(',')
  const [before, index] = [text.slice(0, Math.max(comma, 0)), text.slice(comma + 1).trim()]
  if (before === '' || !/^-?\d{1,3}$/.test(index)) return null
  // A separator made only of spaces stands for a single space.
  return [unquoted(before.trim()) || before.slice(-1), Number(index)]
}

const unquoted = (text: string): string =>
  text.length > 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replace(/\\(.)/gs, '$1') : text

const WITH_POINT = /^[+-]?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$/
const WITH_COMMA = /^[+-]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$/

/**
 * Parses a number; 1,234.50 and 1.234,50 are the same. If ambiguous, a single point is a decimal point, and a single comma before three
 * digits is a thousands separator.
 */
function readNumber(text: string): number | undefined {
  const digits = text.replace(/[\s\u00A0\u202F'’]/g, '')
  if (WITH_POINT.test(digits)) return Number(digits.replaceAll(',', ''))
  return WITH_COMMA.test(digits) ? Number(digits.replaceAll('.', '').replace(',', '.')) : undefined
}

/** Returns a scalar as text; null for lists and objects. */
export function toScalarText(value: unknown): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}
