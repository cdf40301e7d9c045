import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import { newId } from '../../../kernel/ids.ts'

const BATCH = 2_000

/** Reads the rows of a statement with a cursor of the transaction, so that they are sorted once and never all in memory. */
export async function* readInBatches<Row>(db: Db, statement: RawBuilder<Row>): AsyncIterable<Row> {
  const cursor = sql.id(`report_${newId()}`)
  await sql`declare ${cursor} no scroll cursor for ${statement}`.execute(db)
  try {
    for (;;) {
      const { rows } = await sql<Row>`fetch ${sql.raw(String(BATCH))} from ${cursor}`.execute(db)
      yield* rows
      if (rows.length < BATCH) break
    }
  } finally {
    await sql`close ${cursor}`.execute(db)
  }
}

/** Turns text with placeholders into a part that can be embedded in other statements. */
export function toRawBuilder<Row>(text: string, values: readonly unknown[]): RawBuilder<Row> {
  const parts = text.split(/\$(\d+)(?=::)/)
  return sql<Row>`${sql.join(
    parts.map((part, i) => (i % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)),
    sql.raw(''),
  )}`
}
