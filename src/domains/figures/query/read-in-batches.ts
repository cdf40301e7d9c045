import { type RawBuilder, sql } from 'kysely'
import { newId } from '../../../kernel/ids.ts'
import { explainLimitError } from './limit-errors.ts'
import type { QuerySnapshot } from './snapshot.ts'

const BATCH = 2_000

/** Reads the rows of a statement with a database cursor, so that they are sorted once and never all in memory. */
export async function* readInBatches<Row>(snapshot: Pick<QuerySnapshot, 'db' | 'ctx'>, statement: RawBuilder<Row>): AsyncIterable<Row> {
  for await (const rows of readBatches(snapshot, statement)) yield* rows
}

/** Reads the rows of a statement with a database cursor, and returns them in batches. */
export async function* readBatches<Row>({ db, ctx }: Pick<QuerySnapshot, 'db' | 'ctx'>, statement: RawBuilder<Row>): AsyncIterable<Row[]> {
  const cursor = sql.id(`report_${newId()}`)
  let isFailed = false
  try {
    await sql`declare ${cursor} no scroll cursor for ${statement}`.execute(db)
    for (;;) {
      const { rows } = await sql<Row>`fetch ${sql.raw(String(BATCH))} from ${cursor}`.execute(db)
      yield rows
      if (rows.length < BATCH) break
    }
  } catch (error) {
    isFailed = true
    const advice = 'Narrow it with its parameters, such as from and until.'
    throw explainLimitError(error, {
      time: `This report took over ${ctx.queryLimits.timeoutMs / 1000} s. ${advice}`,
      files: `This report needs more temporary disk space than allowed. ${advice}`,
    })
  } finally {
    // After an error nothing closes the cursor explicitly, because it ends with the transaction.
    if (!isFailed) await sql`close ${cursor}`.execute(db)
  }
}

/** Converts SQL text with placeholders, and its values, to an SQL expression of Kysely. */
export function toRawBuilder<Row>(text: string, values: readonly unknown[]): RawBuilder<Row> {
  const parts = text.split(/\$(\d+)(?=::)/)
  return sql<Row>`${sql.join(
    parts.map((part, i) => (i % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)),
    sql.raw(''),
  )}`
}
