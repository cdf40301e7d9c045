import { sql } from 'kysely'
import type { Tables } from './columns.ts'
import type { EventScope } from './scoped-db.ts'

const DELETE_BATCH_ROWS = 5000

/** Deletes test rows in batches; triggers reject the deletion of real financial rows. Returns the number of deleted rows. */
export async function deleteTestRows(
  { db, tenantId, event }: EventScope,
  table: keyof Tables,
  column: string,
  ids: readonly string[],
): Promise<number> {
  let removed = 0
  for (let at = 0; at < ids.length; at += DELETE_BATCH_ROWS) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data
        and ${sql.ref(column)} = any(${ids.slice(at, at + DELETE_BATCH_ROWS)})`.execute(db)
    removed += Number(numAffectedRows)
  }
  return removed
}
