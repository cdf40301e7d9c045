import { sql } from 'kysely'
import type { Context } from '../../../kernel/context.ts'
import { tenantDb } from '../../../kernel/scoped-db.ts'

/** Counts the complete registrations per event, without test data. Events without registrations are absent. */
export async function countCompleteRegistrationsByEvent(ctx: Context, eventIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await tenantDb(ctx)
    .selectFrom('participants')
    .select(['event_id', (eb) => eb.fn.countAll<number>().as('complete')])
    .where('event_id', '=', sql<string>`any(${eventIds})`)
    .where('status', '=', 'complete')
    .where('is_test_data', '=', false)
    .groupBy('event_id')
    .execute()
  return new Map(rows.map((row) => [row.event_id, row.complete]))
}
