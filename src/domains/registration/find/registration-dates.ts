import { sql } from 'kysely'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { RegistrationContext } from '../event-snapshot.ts'

/** Reads when participants registered, by participant id: the completion time, or the start time of an unfinished registration. */
export async function readRegistrationDates(ctx: RegistrationContext, ids: readonly string[]): Promise<Map<string, Date>> {
  const rows = await eventDb(ctx)
    .selectFrom('participants')
    .select(['id', sql<Date>`coalesce(completed_at, created_at)`.as('at')])
    .where('id', '=', sql<string>`any(${ids})`)
    .execute()
  return new Map(rows.map(({ id, at }) => [id, at]))
}
