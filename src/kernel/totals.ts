import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db, Tables } from './columns.ts'

/** Up to here a list says exactly how many there are; beyond it only that there are more, or every page would cost as much as all rows. */
export const MAX_TOTAL = 10_000

export interface Total {
  total?: number
  totalAtLeast?: number
}

/** How many rows there are, not looking at more of them than it takes to know that they are too many to count. */
export function countOf<Names extends keyof Tables, Row>(rows: SelectQueryBuilder<Tables, Names, Row>): RawBuilder<number> {
  const some = rows
    .clearSelect()
    .select(sql`1`.as('one'))
    .limit(MAX_TOTAL + 1)
  return sql<number>`(select count(*) from (${some}) as counted)`
}

export const toTotal = (counted: number): Total => (counted > MAX_TOTAL ? { totalAtLeast: MAX_TOTAL } : { total: counted })

export async function totalOf<Names extends keyof Tables, Row>(
  ctx: { db: Db },
  rows: SelectQueryBuilder<Tables, Names, Row>,
): Promise<Total> {
  const { counted } = await ctx.db.selectNoFrom(countOf(rows).as('counted')).executeTakeFirstOrThrow()
  return toTotal(counted)
}
