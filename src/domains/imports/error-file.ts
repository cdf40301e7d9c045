import type { EventContext } from '../../kernel/context.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { formatCsvLine } from '../sheets/csv.ts'

const ROWS_PER_PAGE = 1000

const HEADER = ['sheet', 'row', 'column', 'value', 'code', 'message']

const line = (cells: readonly (string | number)[]) => Buffer.from(formatCsvLine(cells))

/** Streams the row errors of an import run as CSV, in the order of the imported file. */
export async function* streamErrorCsv(
  ctx: Pick<EventContext, 'db' | 'tenantId'> & { event: { id: string } },
  runId: string,
): AsyncGenerator<Buffer> {
  yield line(HEADER)
  for (let after = -1; ;) {
    const rows = await eventDb(ctx)
      .selectFrom('import_errors')
      .selectAll()
      .where('run_id', '=', runId)
      .where('position', '>', after)
      .orderBy('position')
      .limit(ROWS_PER_PAGE)
      .execute()
    if (rows.length === 0) return
    after = rows.at(-1)!.position
    yield Buffer.concat(rows.map((row) => line([row.sheet, row.row_number, row.column_name, row.value, row.code, row.message])))
  }
}
