import { createHash } from 'node:crypto'
import { toCanonicalJson } from '../../kernel/canonical.ts'
import { getCurrencyDecimals } from '../../kernel/money.ts'
import { wallTimeToInstant, startOfDay } from '../../kernel/time.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { formatCell, type SheetRow } from '../sheets/cells.ts'
import { parseDate } from '../sheets/dates.ts'
import { findCurrencyCode } from '../sheets/numbers.ts'
import { readNumberCell } from '../sheets/values.ts'
import type { ImportErrorRow } from './runs.ts'
import { readCell, readCellText, type SheetReadingPlan } from './sheet-plan.ts'
import type { ImportQuestionAnswers } from './propose.ts'

/** The event configuration that imported rows are validated against. */
export interface ImportReadingContext {
  config: EventConfig
  timezone: string
  currency: string
  values: ImportQuestionAnswers['values']
  /** Whether a sheet of the import contains order lines. If not, each imported payment creates an order line for its amount. */
  linesGiven: boolean
}

const MAX_QUOTED = 200

/** Collects the errors of a row with column and value. */
export function createRowErrorCollector(plan: SheetReadingPlan, row: SheetRow) {
  const errors: ImportErrorRow[] = []
  const refuse = (field: string, code: string, message: string): null => {
    const column = plan.at.get(field)
    errors.push({
      sheet: plan.name,
      row: row.number,
      column: column?.name ?? field,
      value: formatCell(column && row.cells[column.index]).slice(0, MAX_QUOTED),
      code,
      message,
    })
    return null
  }
  return { errors, refuse }
}

type Refuse = ReturnType<typeof createRowErrorCollector>['refuse']

/** Reads an amount cell, in minor units. Null for a blank cell, and for an invalid one after recording an error. */
export function readAmountCell(
  plan: SheetReadingPlan,
  row: SheetRow,
  field: string,
  { currency }: ImportReadingContext,
  refuse: Refuse,
): number | null {
  const cell = readCell(plan, row, field)
  if (cell === null) return null
  const named = typeof cell === 'string' ? findCurrencyCode(cell) : null
  const isOther = (code: string | null) => code !== null && code !== currency
  const refuseOther = (column: string) => refuse(column, 'currency', `The currency of the event is ${currency}.`)
  if (isOther(named)) return refuseOther(field)
  if (isOther(findCurrencyCode(readCellText(plan, row, 'currency').toUpperCase()))) return refuseOther('currency')
  const decimal = readNumberCell(cell, plan.at.get(field)!.written)
  if (decimal === null) return refuse(field, 'amount', 'This is not an amount.')
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.')
  const kept = fraction.replace(/0+$/, '')
  if (kept.length > getCurrencyDecimals(currency))
    return refuse(field, 'amount', `${currency} has ${getCurrencyDecimals(currency)} decimals.`)
  const minor = Number(`${whole}${kept.padEnd(getCurrencyDecimals(currency), '0')}`)
  if (decimal.startsWith('-') && minor > 0) return refuse(field, 'amount', 'Amounts must not be negative.')
  return minor
}

/** Reads a date or time cell. A date without a time means the start of that day in the given time zone. */
export function readDateTimeCell(
  plan: SheetReadingPlan,
  row: SheetRow,
  field: string,
  { timezone }: ImportReadingContext,
  refuse: Refuse,
): Date | null {
  const cell = readCell(plan, row, field)
  if (cell === null) return null
  const date = parseDate(cell, plan.at.get(field)!.written.dates)
  if (!date) return refuse(field, 'date', 'This is not a date.')
  if (date.time === null) return startOfDay(timezone, date.day)
  return date.offset === null ? wallTimeToInstant(timezone, `${date.day}T${date.time}`) : new Date(`${date.day}T${date.time}${date.offset}`)
}

export const hashRowContent = (content: unknown): Buffer => createHash('sha256').update(toCanonicalJson(content)).digest()
