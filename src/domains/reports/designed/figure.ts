import { toMinorUnits, toMoney } from '../../../kernel/money.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import type { DataQuery } from '../../figures/query/data-query.ts'
import { runDataQuery } from '../../figures/query/run-query.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import { roundPercent } from '../../figures/query/values.ts'
import type { ReportColumn, ReportValue } from '../../figures/report-table.ts'
import { runQueriesAtOtherEvent } from './compared-event.ts'
import { toPreviousPeriodQuery } from './previous-period.ts'

export interface KeyFigureComparison {
  kind: 'previousPeriod' | 'event'
  /** The name of the event that the value is compared with. */
  eventName?: string
  value: ReportValue
  difference: ReportValue
  /** The difference as a percentage of the value that is compared with; null if that value is 0. */
  percent: number | null
}

export interface ComputedKeyFigure {
  column: ReportColumn
  value: ReportValue
  comparison: KeyFigureComparison | null
}

/** Computes the single value that a figure widget shows, and the value that it is compared with. */
export async function computeKeyFigure(
  snapshot: QuerySnapshot,
  query: DataQuery,
  compareWith: string | undefined,
): Promise<ComputedKeyFigure> {
  const { column, value } = await readValue(snapshot, query)
  if (compareWith === undefined) return { column, value, comparison: null }
  if (compareWith === 'previousPeriod') {
    const { event, scope } = snapshot
    const days = { today: toDayInZone(event.timezone, scope.asOf), start: event.startsOn, end: event.endsOn }
    const previous = await readValue(snapshot, toPreviousPeriodQuery(query, days))
    return { column, value, comparison: { kind: 'previousPeriod', ...compare(value, previous.value) } }
  }
  const comparison = await runQueriesAtOtherEvent(snapshot, compareWith, async (other, eventName): Promise<KeyFigureComparison> => {
    const { value: compared } = await readValue(other, query)
    return { kind: 'event', eventName, ...compare(value, compared) }
  })
  return { column, value, comparison }
}

async function readValue(snapshot: QuerySnapshot, query: DataQuery): Promise<{ column: ReportColumn; value: ReportValue }> {
  const { columns, rows } = await runDataQuery(snapshot, query)
  const named = query.calculate?.length ? columns.findLast(({ name }) => name !== 'suppressed') : columns.find(({ name }) => isValue(name))
  const column = named ?? columns[0]!
  return { column, value: rows[0]?.[column.name] ?? null }
}

/**
 * Whether a column contains the value of the figure. The other columns are the currency, and the flags for test data and for hidden small
 * groups.
 */
const isValue = (name: string) => !['currency', 'isTestData', 'suppressed'].includes(name)

function compare(value: ReportValue, compared: ReportValue): Pick<KeyFigureComparison, 'value' | 'difference' | 'percent'> {
  const [now, before] = [toNumber(value), toNumber(compared)]
  if (now === null || before === null || currencyOf(value) !== currencyOf(compared))
    return { value: compared, difference: null, percent: null }
  const currency = currencyOf(value)
  const difference = currency === null ? Number((now - before).toFixed(4)) : toMoney(now - before, currency)
  return { value: compared, difference, percent: before === 0 ? null : roundPercent((100 * (now - before)) / Math.abs(before)) }
}

const isMoney = (value: ReportValue): value is Extract<ReportValue, { amount: string }> =>
  typeof value === 'object' && value !== null && 'amount' in value
const currencyOf = (value: ReportValue): string | null => (isMoney(value) ? value.currency : null)
/** Converts a value to a number, in minor units if it is an amount. */
const toNumber = (value: ReportValue): number | null =>
  isMoney(value) ? toMinorUnits(value.amount, value.currency) : typeof value === 'number' ? value : null
