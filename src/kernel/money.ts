import { invalidArguments } from './errors.ts'
import { cleanText } from './clean-text.ts'

export interface Money {
  amount: string
  currency: string
}

/** An exact decimal number: units / 10^digits. */
export interface Decimal {
  units: bigint
  digits: number
}

// Currencies whose number of decimals is not 2 by ISO 4217. Intl differs from it for HUF, IDR, COP, PKR, IQD and others (CLDR).
const DECIMALS_BY_CURRENCY = new Map<string, number>([
  ...['BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'].map(
    (code) => [code, 0] as const,
  ),
  ...['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((code) => [code, 3] as const),
])
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))

export const isCurrency = (code: string) => CURRENCIES.has(code)

export function getCurrencyDecimals(currency: string): number {
  if (!isCurrency(currency)) throw invalid(`${quote(currency)} is not a currency; use an ISO 4217 code such as "EUR"`)
  return DECIMALS_BY_CURRENCY.get(currency) ?? 2
}

/**
 * Converts an amount to minor units. Rejects an amount with more decimals than the currency has, even zeros: rounding user input would
 * hide a mistake.
 */
export function toMinorUnits(amount: string, currency: string, path = ''): number {
  const digits = getCurrencyDecimals(currency)
  const decimal = parseDecimal(amount)
  const example = `"${toMoney(125 * 10 ** digits, currency).amount}"`
  if (!decimal) {
    const meant = extractAmountFromText(amount, digits)
    throw invalid(
      `${quote(amount)} is not an amount; write a decimal such as ${example}${meant === null ? '' : ` — did you mean "${meant}"?`}`,
      path,
    )
  }
  if (decimal.digits > digits) throw invalid(`${quote(amount)} has more decimals than ${currency} has (${digits})`, path)
  const minor = Number(decimal.units * 10n ** BigInt(digits - decimal.digits))
  if (!Number.isSafeInteger(minor)) throw invalid(`${quote(amount)} is too large`, path)
  return minor
}

/** The amount in a text such as "€12.50", "12,50" or "1.250,00 EUR", with the decimals of its currency; null if there is none. */
export function extractAmountFromText(text: string, digits: number): string | null {
  const [number] = /-?\d[\d.,' ]*/.exec(text) ?? []
  if (number === undefined) return null
  const [, whole, decimals = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(number.trim())!
  const units = whole!.replaceAll(/[^\d-]/g, '')
  if (units === '' || decimals.length > digits) return null
  return digits === 0 ? units : `${units}.${decimals.padEnd(digits, '0')}`
}

export function toMoney(minor: number, currency: string): Money {
  const digits = getCurrencyDecimals(currency)
  const text = String(Math.abs(requireSafeInteger(minor))).padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  const amount = digits === 0 ? whole : `${whole}.${text.slice(-digits)}`
  return { amount: minor < 0 ? `-${amount}` : amount, currency }
}

/** Divides numerator by denominator and rounds to whole minor units, halves away from zero. */
export function divideAndRoundHalfAway(numerator: bigint, denominator: bigint): number {
  const negative = numerator < 0n !== denominator < 0n
  const [n, d] = [magnitude(numerator), magnitude(denominator)]
  const rounded = (2n * n + d) / (2n * d)
  return requireSafeInteger(Number(negative ? -rounded : rounded))
}

/** Returns a percentage of an amount in minor units. Example: `computePercentOfAmount(14999, '15')` is 2250. */
export function computePercentOfAmount(minor: number, percent: string): number {
  const rate = parseDecimal(percent)
  if (!rate) throw invalid(`${quote(percent)} is not a percentage; write a decimal such as "19" or "9.975"`)
  return divideAndRoundHalfAway(BigInt(minor) * rate.units, 100n * 10n ** BigInt(rate.digits))
}

/** Adds amounts in minor units. Checked at every step: a sum beyond the safe integers could silently become wrong. */
export function sumMinorUnits(list: readonly number[]): number {
  return list.reduce((sum, minor) => requireSafeInteger(sum + requireSafeInteger(minor)), 0)
}

/** Multiplies an amount in minor units by a count. Throws if the result is not a safe integer. */
export const multiplyMinorUnits = (minor: number, count: number): number => requireSafeInteger(requireSafeInteger(minor) * count)

/**
 * Splits an amount by weights (Hamilton's method): whole shares first, then one unit each to the largest remainders; ties go to the
 * earlier item.
 */
export function splitByWeights(minor: number, weights: readonly (bigint | number)[]): number[] {
  const shares = weights.map(BigInt)
  const whole = shares.reduce((sum, share) => sum + share, 0n)
  if (minor < 0 || shares.some((share) => share < 0n)) throw new RangeError('a negative amount or weight cannot be split')
  if (whole === 0n) return weights.map(() => 0)
  const parts = shares.map((share, index) => {
    const scaled = BigInt(requireSafeInteger(minor)) * share
    return { index, amount: Number(scaled / whole), remainder: scaled % whole }
  })
  const left = minor - sumMinorUnits(parts.map(({ amount }) => amount))
  const next = parts.toSorted((a, b) => (a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1))
  for (const part of next.slice(0, left)) part.amount += 1
  return parts.map(({ amount }) => amount)
}

/** Parses a decimal number. Null unless the text is in canonical form: `"01"` and `"1e3"` are text, `"1.50"` is a number. */
export function parseDecimal(text: string): Decimal | null {
  const match = text.length > 40 ? null : /^(-?(?:0|[1-9]\d*))(?:\.(\d+))?$/.exec(text)
  if (!match) return null
  const [, whole = '', fraction = ''] = match
  return { units: BigInt(whole + fraction), digits: fraction.length }
}

export function compareDecimals(a: Decimal, b: Decimal): number {
  const difference = a.units * 10n ** BigInt(b.digits) - b.units * 10n ** BigInt(a.digits)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

const magnitude = (value: bigint) => (value < 0n ? -value : value)
const quote = (text: string) => JSON.stringify(cleanText(text, 40))
const invalid = (message: string, path = '') => invalidArguments([{ path, message }])

function requireSafeInteger(minor: number): number {
  if (!Number.isSafeInteger(minor)) throw new RangeError(`not an exact number of minor units: ${minor}`)
  return minor
}
