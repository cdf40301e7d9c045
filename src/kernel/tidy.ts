import { sql } from 'kysely'
import type { Db } from './columns.ts'

/**
 * Removes what recognises a repeated call once it need not any more. Keys hold for a day and confirm tokens for ten minutes; each stays
 * an hour longer, so that none goes while a call is looking at it.
 */
export async function tidyRoad(db: Db): Promise<void> {
  await sql`delete from idempotency_keys where created_at < lanyard_now() - interval '25 hours'`.execute(db)
  await sql`delete from confirmations where used_at < lanyard_now() - interval '70 minutes'`.execute(db)
}
