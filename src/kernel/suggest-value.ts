import type { ArgumentTextKind } from './args.ts'
import { COUNTRIES } from './countries.ts'
import { toEmailAddress } from './email-address.ts'
import { toSlug } from './ids.ts'
import type { InputShape } from './input-shape.ts'
import { makeLazy } from './lazy.ts'
import { getCurrencyDecimals, extractAmountFromText, isCurrency } from './money.ts'
import { findMostSimilarName } from './nearest.ts'
import { parseNaturalLanguageDays, parseNaturalLanguageInstants, parseNaturalLanguageTime } from './natural-dates.ts'
import { findValueSynonym } from './synonyms.ts'

/**
 * Maximum length of a text that gets a suggestion, because the time of some patterns grows with the square of the length and blocks the
 * event loop.
 */
const MAX_TEXT_LENGTH = 300
const MAX_LIST_LENGTH = 5000

/**
 * The values that a wrong value most likely means, best first: `"12 March 2027"` means 2027-03-12, `"yes"` means true, and one value
 * means a list of one. Tools refuse such values, because a guess can be wrong, but the error names the value to send. Empty if nothing is
 * likely.
 */
export function suggestCorrectedValues(shape: InputShape, value: unknown, today = new Date().toISOString().slice(0, 10)): unknown[] {
  if (value === null || value === undefined) return []
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : null
  if (text !== null && text.length > (shape.type === 'array' ? MAX_LIST_LENGTH : MAX_TEXT_LENGTH)) return []
  if (shape.allowed) return suggestWord(shape.allowed, value)
  if (shape.type === 'array') return suggestList(shape, value, today)
  if (Array.isArray(value)) return value.length === 1 ? [value[0], ...suggestCorrectedValues(shape, value[0], today)] : []
  if (shape.properties?.amount?.form === 'amount') return text === null ? [] : suggestMoney(text)
  if (shape.type === 'boolean') return suggestFlag(value)
  if (shape.type === 'integer' || shape.type === 'number') return text === null ? [] : suggestNumber(text)
  if (shape.type !== 'string' || text === null || text === '') return []
  return shape.form ? suggestText(shape.form, text, today) : typeof value === 'number' ? [text] : []
}

function suggestWord(allowed: readonly string[], value: unknown): string[] {
  if (typeof value !== 'string') return []
  const meant = findMostSimilarName(value, allowed) ?? findValueSynonym(value, allowed)
  return meant === null ? [] : [meant]
}

/** Suggests a list where the caller sent a single value or words separated by commas. */
function suggestList({ items = {} }: InputShape, value: unknown, today: string): unknown[] {
  if (Array.isArray(value) || typeof value === 'boolean') return []
  const parts = typeof value === 'string' && items.type === 'string' ? value.split(',').map((part) => part.trim()) : [value]
  return [parts.map((part) => (isOf(items, part) ? part : (suggestCorrectedValues(items, part, today)[0] ?? part)))]
}

const isOf = ({ type, allowed }: InputShape, value: unknown) =>
  allowed ? allowed.includes(String(value)) : type === 'integer' ? Number.isSafeInteger(value) : type === typeof value

const FLAGS: Record<string, boolean> = {
  true: true,
  yes: true,
  on: true,
  y: true,
  1: true,
  false: false,
  no: false,
  off: false,
  n: false,
  0: false,
}

function suggestFlag(value: unknown): boolean[] {
  const word = String(value).trim().toLowerCase()
  return Object.hasOwn(FLAGS, word) ? [FLAGS[word]!] : []
}

const NUMBER_WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']

function suggestNumber(text: string): number[] {
  const word = NUMBER_WORDS.indexOf(text.toLowerCase())
  if (word >= 0) return [word]
  const [, digits] = /^(?:v|#)?(-?\d+(?:\.\d+)?)\s*(?:%|\p{L}+)?$/u.exec(text.replaceAll(/(\d)[ ,'](?=\d{3}\b)/g, '$1')) ?? []
  return digits === undefined ? [] : [Number(digits)]
}

/** Suggests an amount with its currency for a text such as "€12.50" or "12,50 EUR". */
function suggestMoney(text: string): unknown[] {
  const [, sign] = /([A-Za-z]{3}|[€$£¥])/.exec(text) ?? []
  const [currency] = sign === undefined ? [] : suggestText('currency', sign, '')
  if (currency === undefined) return []
  const amount = extractAmountFromText(text, getCurrencyDecimals(currency))
  return amount === null ? [] : [{ amount, currency }]
}

function suggestText(form: ArgumentTextKind, text: string, today: string): string[] {
  switch (form) {
    case 'day':
      return parseNaturalLanguageDays(text, today)
    case 'instant':
      return parseNaturalLanguageInstants(text, today)
    case 'time':
      return some(parseNaturalLanguageTime(text))
    case 'code':
      return [toSlug(text)]
    case 'email':
      return some(toEmailAddress(/[^\s<>"():]+@[^\s<>"()]+\.[^\s<>"().,;]+/.exec(text)?.[0] ?? ''))
    case 'amount':
      return some(extractAmountFromText(text, 2))
    case 'currency':
      return some(isCurrency(text.toUpperCase()) ? text.toUpperCase() : findByName(currencyNames(), text))
    case 'country':
      return some(findByName(countryNames(), text))
    case 'locale':
      return some(findByName(languageNames(), text) ?? canonicalTag(text))
    case 'zone':
      return some(findByName(zoneNames(), text))
  }
}

const some = (text: string | null | undefined): string[] => (text ? [text] : [])

/** Normalizes a name for comparison: without case, accents and punctuation, and without a plural s. */
const plain = (name: string) =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}€$£¥]+/gu, '')
    .replace(/s$/, '')

const findByName = (names: ReadonlyMap<string, string>, text: string): string | null => names.get(plain(text)) ?? null

const NAMED_IN = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt']

function namesOf(type: 'currency' | 'region' | 'language', codes: readonly string[], more: Record<string, string>) {
  const names = new Map(Object.entries(more).map(([name, code]) => [plain(name), code]))
  for (const locale of NAMED_IN) {
    const display = new Intl.DisplayNames(locale, { type, fallback: 'none' })
    for (const code of codes) {
      const name = display.of(code)
      if (name !== undefined && !names.has(plain(name))) names.set(plain(name), code)
    }
  }
  return names
}

const currencyNames = makeLazy(() =>
  namesOf('currency', Intl.supportedValuesOf('currency'), { '€': 'EUR', $: 'USD', '£': 'GBP', '¥': 'JPY' }),
)
const countryNames = makeLazy(() =>
  namesOf('region', [...COUNTRIES.keys()], {
    USA: 'US',
    'United States of America': 'US',
    UK: 'GB',
    England: 'GB',
    'Great Britain': 'GB',
    Holland: 'NL',
    ...Object.fromEntries([...COUNTRIES].map(([two, three]) => [three, two])),
  }),
)
const languageNames = makeLazy(() => namesOf('language', LANGUAGE_CODES, {}))

const LANGUAGE_CODES =
  'ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl no pl pt ro ru sk sl sr sv th tr uk ur vi zh'.split(' ')

const zoneNames = makeLazy(() => {
  const zones = Intl.supportedValuesOf('timeZone')
  return new Map([
    ...zones.map((zone) => [plain(zone.split('/').at(-1)!), zone] as const),
    ...zones.map((zone) => [plain(zone), zone] as const),
  ])
})

function canonicalTag(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0] ?? null
  } catch {
    return null
  }
}
