import { type RawBuilder, sql } from 'kysely'
import type { EventScope } from '../../kernel/scoped-db.ts'

/** Deletes emails about test data. `sourceIds` is an array or subquery of the ids of the records that the emails are about. */
export async function removeTestEmails(
  { db, tenantId, event }: EventScope,
  sourceIds: readonly string[] | RawBuilder<unknown>,
): Promise<void> {
  const sources = Array.isArray(sourceIds) ? sql`${sourceIds}` : sql`array(${sourceIds})`
  await sql`
    delete from messages where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data and source_id = any(${sources})`.execute(
    db,
  )
}
