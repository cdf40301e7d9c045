import { sql } from 'kysely'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { EventScope } from '../event-snapshot.ts'

/** When these people registered: the completion of the registration, or its start while it is not complete. By participant id. */
export async function readRegistrationDates(ctx: EventScope, ids: readonly string[]): Promise<Map<string, Date>> {
  const rows = await eventDb(ctx)
    .selectFrom('participants')
    .select(['id', sql<Date>`coalesce(completed_at, created_at)`.as('at')])
    .where('id', '=', sql<string>`any(${ids})`)
    .execute()
  return new Map(rows.map(({ id, at }) => [id, at]))
}
