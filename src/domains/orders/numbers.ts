import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'

export type RecordNumberContext = Pick<EventContext, 'tenantId' | 'event' | 'db'>

/**
 * Series of consecutive numbers. A: booth applications, BR: block requests, H: reservations, R: orders, CN: credit notes, INV: invoices,
 * RC: receipts, S: submissions, RFP: requests for proposals, K: contracts with suppliers. A transaction takes several numbers in the order
 * H, R, CN, INV, RC, A, BR, S, RFP, K to avoid deadlocks.
 */
export type RecordNumberSeries = 'A' | 'BR' | 'H' | 'R' | 'CN' | 'INV' | 'RC' | 'S' | 'RFP' | 'K'

/** Whether a number is for real data, test data or imported data. Each has its own series, so that real numbers have no gaps. */
export type RecordNumberOrigin = 'real' | 'test' | 'import'

const ORIGIN_PREFIXES: Record<RecordNumberOrigin, string> = { real: '', test: 'T-', import: 'IMP-' }

/**
 * Takes the next number of a series in the caller's transaction, so that a rollback leaves no gap. Callers take the number as late as
 * possible, because other transactions wait for the row lock on the counter.
 */
export async function takeNextRecordNumber(
  ctx: RecordNumberContext,
  series: RecordNumberSeries,
  origin: RecordNumberOrigin,
  year?: string,
): Promise<string> {
  const { rows } = await sql<{ number: string }>`select ${buildNextRecordNumberSql(ctx, series, origin, year)} as number`.execute(ctx.db)
  return rows[0]!.number
}

/** SQL expression for the next number, to use in the statement that stores it. A separate query would lock the counter for longer. */
export const buildNextRecordNumberSql = (
  { tenantId, event }: RecordNumberContext,
  series: RecordNumberSeries,
  origin: RecordNumberOrigin,
  year?: string,
) =>
  sql<string>`number_take(${tenantId}, ${event.id}, ${`${ORIGIN_PREFIXES[origin]}${series}`}, ${numberPrefix(series, origin, year)}, ${DIGITS[series] ?? 6}::integer)`

/** The number of digits in each number series that does not have the default length. */
const DIGITS: Partial<Record<RecordNumberSeries, number>> = { RFP: 4, K: 4 }

const numberPrefix = (series: RecordNumberSeries, origin: RecordNumberOrigin, year?: string) =>
  `${ORIGIN_PREFIXES[origin]}${series}-${year === undefined ? '' : `${year}-`}`

/** Takes several numbers of a series; each is formatted with or without a year. */
export async function takeNextRecordNumbers(
  ctx: RecordNumberContext,
  series: RecordNumberSeries,
  origin: RecordNumberOrigin,
  many: number,
): Promise<((year?: string) => string)[]> {
  if (many === 0) return []
  const last = await incrementSeries(ctx, `${ORIGIN_PREFIXES[origin]}${series}`, many)
  const formatNumber = (number: number) => (year?: string) => `${numberPrefix(series, origin, year)}${String(number).padStart(6, '0')}`
  return Array.from({ length: many }, (_, index) => formatNumber(last - many + 1 + index))
}

/** Takes the next position on a waiting list. Positions increase and are never reused. */
export const takeNextWaitlistPosition = (ctx: RecordNumberContext, line: string): Promise<number> => incrementSeries(ctx, line)

async function incrementSeries({ tenantId, event, db }: RecordNumberContext, series: string, many = 1): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    insert into number_series as s (tenant_id, event_id, series, last) values (${tenantId}, ${event.id}, ${series}, ${many}::bigint)
    on conflict (tenant_id, event_id, series) do update set last = s.last + excluded.last returning last`.execute(db)
  return rows[0]!.last
}
