import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db, Tables } from './columns.ts'

/**
 * Lists report exact totals up to this number. Beyond it they report a lower bound, because counting all rows would make every page slow.
 */
export const MAX_EXACT_TOTAL = 10_000

export interface CappedTotal {
  total?: number
  totalAtLeast?: number
}

/** Counts rows, but stops at `MAX_EXACT_TOTAL`. */
export function buildCappedRowCountSql<Names extends keyof Tables, Row>(rows: SelectQueryBuilder<Tables, Names, Row>): RawBuilder<number> {
  const some = rows
    .clearSelect()
    .select(sql`1`.as('one'))
    .limit(MAX_EXACT_TOTAL + 1)
  return sql<number>`(select count(*) from (${some}) as counted)`
}

export const toCappedTotal = (counted: number): CappedTotal =>
  counted > MAX_EXACT_TOTAL ? { totalAtLeast: MAX_EXACT_TOTAL } : { total: counted }

export async function countCappedTotal<Names extends keyof Tables, Row>(
  ctx: { db: Db },
  rows: SelectQueryBuilder<Tables, Names, Row>,
): Promise<CappedTotal> {
  const { counted } = await ctx.db.selectNoFrom(buildCappedRowCountSql(rows).as('counted')).executeTakeFirstOrThrow()
  return toCappedTotal(counted)
}
