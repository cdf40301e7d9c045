import { type RawBuilder, sql } from 'kysely'
import { AppError } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Snapshot } from './snapshot.ts'

const BATCH = 2_000

const QUERY_CANCELED = '57014'

/** Reads the rows of a statement with a database cursor, so that they are sorted once and never all in memory. */
export async function* readInBatches<Row>({ db, ctx }: Pick<Snapshot, 'db' | 'ctx'>, statement: RawBuilder<Row>): AsyncIterable<Row> {
  const cursor = sql.id(`report_${newId()}`)
  let isFailed = false
  try {
    await sql`declare ${cursor} no scroll cursor for ${statement}`.execute(db)
    for (;;) {
      const { rows } = await sql<Row>`fetch ${sql.raw(String(BATCH))} from ${cursor}`.execute(db)
      yield* rows
      if (rows.length < BATCH) break
    }
  } catch (error) {
    isFailed = true
    if ((error as { code?: string }).code !== QUERY_CANCELED) throw error
    throw new AppError(
      'limit_exceeded',
      `This report took over ${ctx.queryLimits.timeoutMs / 1000} s. Narrow it with its parameters, such as from and until.`,
    )
  } finally {
    // An error ends the transaction and with it the cursor.
    if (!isFailed) await sql`close ${cursor}`.execute(db)
  }
}

/** Converts SQL text with placeholders to a part that can be embedded in other statements. */
export function toRawBuilder<Row>(text: string, values: readonly unknown[]): RawBuilder<Row> {
  const parts = text.split(/\$(\d+)(?=::)/)
  return sql<Row>`${sql.join(
    parts.map((part, i) => (i % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)),
    sql.raw(''),
  )}`
}
