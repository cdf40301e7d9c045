import { AppError } from '../../kernel/errors.ts'
import { getCurrencyDecimals, type Money, toMinorUnits, toMoney } from '../../kernel/money.ts'
import { formatMoney } from '../../kernel/language/format.ts'
import type { ChartColumn, ChartRow, ChartValue } from './chart.ts'

/** A numeric column, with the functions that read, add up and format its values. */
export interface ChartMeasure {
  column: ChartColumn
  /** The label of the column with its unit, such as "Net (EUR)". */
  label: string
  read: (row: ChartRow) => number | null
  /** Formats a value with its unit. */
  format: (value: number) => string
  /** Formats a value without its currency, for labels inside a chart. */
  formatShort: (value: number) => string
  /** Formats a value for error messages, in the same notation as in query results. */
  formatPlain: (value: number) => string
  formatTick: (value: number) => string
  sum: (values: readonly number[]) => number
  /** Converts a number to a value of a table row: an amount with its currency if the column contains money. */
  toValue: (value: number) => ChartValue
  wholeNumbers: boolean
}

const NUMBER_TYPES = new Set(['integer', 'decimal', 'percent', 'money'])

export const isNumericChartColumn = ({ type }: ChartColumn) => NUMBER_TYPES.has(type)

/** Creates the error for data that the kind of chart cannot show. */
export const createUnsuitableDataError = (message: string) => new AppError('precondition_failed', message)

export const isMoney = (value: unknown): value is Money => typeof value === 'object' && value !== null && 'amount' in value

export function createChartMeasure(column: ChartColumn, rows: readonly ChartRow[], locale: string): ChartMeasure {
  if (!isNumericChartColumn(column)) throw createUnsuitableDataError(`${column.name} holds no numbers, but ${column.type} values`)
  return column.type === 'money' ? moneyMeasure(column, rows, locale) : numberMeasure(column, rows, locale)
}

function moneyMeasure(column: ChartColumn, rows: readonly ChartRow[], locale: string): ChartMeasure {
  const amounts = rows.map((row) => row[column.name]).filter(isMoney)
  const currencies = [...new Set(amounts.map(({ currency }) => currency))]
  if (currencies.length > 1)
    throw createUnsuitableDataError(`${column.name} is in ${currencies.toSorted().join(' and ')}; a chart shows one currency`)
  const [currency] = currencies
  if (currency === undefined) return { ...numberMeasure({ ...column, type: 'decimal' }, [], locale), column, read: () => null }
  const digits = getCurrencyDecimals(currency)
  const toMinor = (value: number) => Math.round(value * 10 ** digits)
  const short = new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return {
    column,
    label: `${column.label} (${currency})`,
    read: (row) => {
      const value = row[column.name]
      return isMoney(value) ? toMinorUnits(value.amount, currency) / 10 ** digits : null
    },
    format: (value) => formatMoney(locale, toMoney(toMinor(value), currency)),
    formatShort: (value) => short.format(value),
    formatPlain: (value) => toMoney(toMinor(value), currency).amount,
    formatTick: tickFormat(locale),
    sum: (values) => values.reduce((sum, value) => sum + toMinor(value), 0) / 10 ** digits,
    toValue: (value) => toMoney(toMinor(value), currency),
    wholeNumbers: false,
  }
}

/** Numbers are added as multiples of 1/10,000, so that sums have no rounding errors of binary fractions. */
const DECIMALS = 10_000

function numberMeasure(column: ChartColumn, rows: readonly ChartRow[], locale: string): ChartMeasure {
  const read = (row: ChartRow) => {
    const value = row[column.name]
    return typeof value === 'number' && Number.isFinite(value) ? value : null
  }
  const isPercent = column.type === 'percent'
  const number = isPercent
    ? new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 })
    : new Intl.NumberFormat(locale, { maximumFractionDigits: 4 })
  const format = (value: number) => number.format(isPercent ? value / 100 : value)
  const tick = tickFormat(locale)
  return {
    column,
    label: column.label,
    read,
    format,
    formatShort: format,
    formatPlain: String,
    formatTick: isPercent
      ? (value) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(value / 100)
      : tick,
    sum: (values) => values.reduce((sum, value) => sum + Math.round(value * DECIMALS), 0) / DECIMALS,
    toValue: (value) => value,
    wholeNumbers: column.type === 'integer' || rows.every((row) => Number.isInteger(read(row) ?? 0)),
  }
}

/** Returns a number format for tick labels, which shortens large numbers, such as 1.5M. */
function tickFormat(locale: string): (value: number) => string {
  const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: 6 })
  const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 2 })
  return (value) => (Math.abs(value) < 1_000_000 ? plain : compact).format(value)
}
