import type { EventContext } from '../../kernel/context.ts'
import { csvLine } from '../sheets/csv.ts'

const PAGE = 1000

const HEADER = ['sheet', 'row', 'column', 'value', 'code', 'message']

const line = (cells: readonly (string | number)[]) => Buffer.from(csvLine(cells))

/** The errors of a run as comma-separated text, in the order of the file. */
export async function* errorLines(
  { db, tenantId, event }: Pick<EventContext, 'db' | 'tenantId'> & { event: { id: string } },
  runId: string,
): AsyncGenerator<Buffer> {
  yield line(HEADER)
  for (let after = -1; ;) {
    const rows = await db
      .selectFrom('import_errors')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('event_id', '=', event.id)
      .where('run_id', '=', runId)
      .where('position', '>', after)
      .orderBy('position')
      .limit(PAGE)
      .execute()
    if (rows.length === 0) return
    after = rows.at(-1)!.position
    yield Buffer.concat(rows.map((row) => line([row.sheet, row.row_number, row.column_name, row.value, row.code, row.message])))
  }
}
