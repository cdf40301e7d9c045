import { createHash } from 'node:crypto'
import { canonicalJson } from '../../kernel/canonical.ts'
import { digitsOf } from '../../kernel/money.ts'
import { atWallTime, startOfDay } from '../../kernel/time.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { shownCell, type SheetRow } from '../sheets/cells.ts'
import { dateOf } from '../sheets/dates.ts'
import { currencyIn } from '../sheets/numbers.ts'
import { numberIn } from '../sheets/values.ts'
import type { ErrorRow } from './runs.ts'
import { cellAt, type SheetPlan } from './sheet-plan.ts'
import type { Answered } from './propose.ts'

/** What rows are read by. */
export interface ReadingRules {
  config: EventConfig
  timezone: string
  currency: string
  values: Answered['values']
  /** Some sheet says what was bought, so what was paid need not say it. */
  linesGiven: boolean
}

const MAX_QUOTED = 200

/** Notes what is wrong with cells of a row, by the column that they stand in. */
export function errorsOf(plan: SheetPlan, row: SheetRow) {
  const errors: ErrorRow[] = []
  const refuse = (field: string, code: string, message: string): null => {
    const column = plan.at.get(field)
    errors.push({
      sheet: plan.name,
      row: row.number,
      column: column?.name ?? field,
      value: shownCell(column && row.cells[column.index]).slice(0, MAX_QUOTED),
      code,
      message,
    })
    return null
  }
  return { errors, refuse }
}

type Refuse = ReturnType<typeof errorsOf>['refuse']

/** In minor units; null for a blank cell, and for a wrong one, which is noted. */
export function amountAt(plan: SheetPlan, row: SheetRow, field: string, { currency }: ReadingRules, refuse: Refuse): number | null {
  const cell = cellAt(plan, row, field)
  if (cell === null) return null
  const named = typeof cell === 'string' ? currencyIn(cell) : null
  if (named !== null && named !== currency) return refuse(field, 'currency', `The event is in ${currency}.`)
  const decimal = numberIn(cell, plan.at.get(field)!.written)
  if (decimal === null) return refuse(field, 'amount', 'This is no amount.')
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.')
  const kept = fraction.replace(/0+$/, '')
  if (kept.length > digitsOf(currency)) return refuse(field, 'amount', `${currency} has ${digitsOf(currency)} decimals.`)
  const minor = Number(`${whole}${kept.padEnd(digitsOf(currency), '0')}`)
  if (decimal.startsWith('-') && minor > 0) return refuse(field, 'amount', 'Amounts are not negative.')
  return minor
}

/** A day without a time is its start where the event is. */
export function momentAt(plan: SheetPlan, row: SheetRow, field: string, { timezone }: ReadingRules, refuse: Refuse): Date | null {
  const cell = cellAt(plan, row, field)
  if (cell === null) return null
  const date = dateOf(cell, plan.at.get(field)!.written.dates)
  if (!date) return refuse(field, 'date', 'This is no date.')
  if (date.time === null) return startOfDay(timezone, date.day)
  return date.offset === null ? atWallTime(timezone, `${date.day}T${date.time}`) : new Date(`${date.day}T${date.time}${date.offset}`)
}

export const hashOf = (content: unknown): Buffer => createHash('sha256').update(canonicalJson(content)).digest()
