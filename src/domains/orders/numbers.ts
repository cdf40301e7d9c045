import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import type {} from './tables.ts'

export type Numbering = Pick<EventContext, 'tenantId' | 'event' | 'db'>

/** A applications for booths, H reservations, R orders, CN credit notes, INV invoices, RC receipts. Where one transaction needs several, it takes them in this order, but an application after all others. */
export type Series = 'A' | 'H' | 'R' | 'CN' | 'INV' | 'RC'

/** Rows of test data and of imports are numbered by themselves, so that real numbers have no gaps. */
export type Origin = 'real' | 'test' | 'import'

const PREFIXES: Record<Origin, string> = { real: '', test: 'T-', import: 'IMP-' }

/**
 * The next number of a series. Counted in the caller's transaction, so that a number that was not used never was; everybody else who
 * needs one waits until that transaction has ended, which is why numbers are taken last.
 */
export async function takeNumber(ctx: Numbering, series: Series, origin: Origin, year?: string): Promise<string> {
  const { rows } = await sql<{ number: string }>`select ${nextNumber(ctx, series, origin, year)} as number`.execute(ctx.db)
  return rows[0]!.number
}

/** The same within the statement that uses it, so that others wait for one round trip less. */
export const nextNumber = ({ tenantId, event }: Numbering, series: Series, origin: Origin, year?: string) =>
  sql<string>`number_take(${tenantId}, ${event.id}, ${`${PREFIXES[origin]}${series}`}, ${writtenBefore(series, origin, year)})`

const writtenBefore = (series: Series, origin: Origin, year?: string) =>
  `${PREFIXES[origin]}${series}-${year === undefined ? '' : `${year}-`}`

/** The next ones, each to be written with a year or without. */
export async function takeNumbers(ctx: Numbering, series: Series, origin: Origin, many: number): Promise<((year?: string) => string)[]> {
  if (many === 0) return []
  const last = await count(ctx, `${PREFIXES[origin]}${series}`, many)
  const written = (number: number) => (year?: string) => `${writtenBefore(series, origin, year)}${String(number).padStart(6, '0')}`
  return Array.from({ length: many }, (_, index) => written(last - many + 1 + index))
}

/** A place in a line: ever increasing, never given again. */
export const takePosition = (ctx: Numbering, line: string): Promise<number> => count(ctx, line)

async function count({ tenantId, event, db }: Numbering, series: string, many = 1): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    insert into number_series as s (tenant_id, event_id, series, last) values (${tenantId}, ${event.id}, ${series}, ${many}::bigint)
    on conflict (tenant_id, event_id, series) do update set last = s.last + excluded.last returning last`.execute(db)
  return rows[0]!.last
}
