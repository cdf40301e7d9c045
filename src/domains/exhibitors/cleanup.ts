import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'

/** Deletes expired layouts and assignment proposals of all events. They can no longer be read or applied. */
export async function deleteExpiredLayoutsAndProposals(db: Db): Promise<void> {
  await sql`delete from floor_plan_layouts where expires_at <= lanyard_now()`.execute(db)
  await sql`delete from assignment_proposals where expires_at <= lanyard_now()`.execute(db)
}
