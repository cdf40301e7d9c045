import { toMoney } from '../../../kernel/money.ts'
import type { FieldType } from '../dictionary/types.ts'
import type { ReportValue } from '../report-table.ts'

/** Converts a database value to the form in which query results contain it. */
export function toReportValue(value: unknown, type: FieldType, currency: string): ReportValue {
  if (value === null || value === undefined) return null
  if (type === 'money') return toMoney(Number(value), currency)
  if (type === 'integer' || type === 'decimal') return Number(value)
  if (type === 'percent') return roundPercent(Number(value))
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value as string[]
  return typeof value === 'boolean' ? value : String(value)
}

/** Rounds to an integer, halves away from zero, as amounts are rounded everywhere. `Math.round` rounds negative halves up. */
export const roundHalfAwayFromZero = (value: number): number => (value < 0 ? 0 - Math.round(-value) : Math.round(value))

/** Rounds to one decimal, halves away from zero. */
export const roundPercent = (value: number): number => (Math.sign(value) * Math.round((Math.abs(value) + Number.EPSILON) * 10)) / 10
