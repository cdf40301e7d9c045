import { type RawBuilder, sql } from 'kysely'
import { yieldToEventLoop } from '../../../kernel/cooperative.ts'
import { newId } from '../../../kernel/ids.ts'
import { computeLazyValues } from './lazy-values.ts'
import { explainReportLimit } from './limit-errors.ts'
import type { QuerySnapshot } from './snapshot.ts'

/** The number of rows that are read at once. */
export const QUERY_BATCH_ROWS = 2_000
/** The number of rows after which other requests are served. */
const UNINTERRUPTED = 32

/** Reads the rows of a statement with a database cursor, so that they are sorted once and never all in memory. */
export async function* readInBatches<Row>(
  snapshot: Pick<QuerySnapshot, 'db' | 'ctx'>,
  statement: RawBuilder<Row>,
  size = QUERY_BATCH_ROWS,
): AsyncIterable<Row> {
  for await (const rows of readBatches(snapshot, statement, size)) yield* yieldRows(rows)
}

/** Yields the rows of a batch, and serves other requests between them. */
export async function* yieldRows<Row>(rows: readonly Row[]): AsyncIterable<Row> {
  for (const [i, row] of rows.entries()) {
    if (i % UNINTERRUPTED === 0) await yieldToEventLoop()
    yield row
  }
}

/** Reads the rows of a statement with a database cursor, and returns them in batches. */
export async function* readBatches<Row>(
  { db, ctx }: Pick<QuerySnapshot, 'db' | 'ctx'>,
  statement: RawBuilder<Row>,
  size = QUERY_BATCH_ROWS,
): AsyncIterable<Row[]> {
  const cursor = sql.id(`report_${newId()}`)
  let isFailed = false
  try {
    await sql`declare ${cursor} no scroll cursor for ${statement}`.execute(db)
    for (;;) {
      const { rows } = await sql<Row>`fetch ${sql.raw(String(size))} from ${cursor}`.execute(db)
      yield rows
      if (rows.length < size) break
    }
  } catch (error) {
    isFailed = true
    throw explainReportLimit(error, ctx.queryLimits)
  } finally {
    // After an error nothing closes the cursor explicitly, because it ends with the transaction.
    if (!isFailed) await sql`close ${cursor}`.execute(db)
  }
}

/** Converts SQL text with placeholders, and its values, to an SQL expression of Kysely. */
export async function toKyselyExpression<Row>(text: string, values: readonly unknown[]): Promise<RawBuilder<Row>> {
  const bound = await computeLazyValues(values)
  const parts = text.split(/\$(\d+)(?=::)/)
  return sql<Row>`${sql.join(
    parts.map((part, i) => (i % 2 === 0 ? sql.raw(part) : sql`${bound[Number(part) - 1]}`)),
    sql.raw(''),
  )}`
}
