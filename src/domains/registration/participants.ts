import { sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import type {} from './tables.ts'

/** Complete registrations by event, test data left out; events without any are absent. */
export async function countComplete(ctx: Context, eventIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await ctx.db
    .selectFrom('participants')
    .select(['event_id', (eb) => eb.fn.countAll<number>().as('complete')])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', sql<string>`any(${eventIds})`)
    .where('status', '=', 'complete')
    .where('is_test_data', '=', false)
    .groupBy('event_id')
    .execute()
  return new Map(rows.map((row) => [row.event_id, row.complete]))
}
