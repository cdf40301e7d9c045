import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type {} from './tables.ts'

/** When each was last in the console, as far as their sessions tell: one that was signed out is forgotten. */
export async function lastSeenOf(db: Db, userIds: readonly string[]): Promise<Map<string, Date>> {
  const { rows } = await sql<{ userId: string; at: Date }>`
    select user_id as "userId", max(last_seen_at) as at from browser_sessions
    where user_id = any(${[...userIds]}) and not totp_pending group by user_id`.execute(db)
  return new Map(rows.map((row) => [row.userId, row.at]))
}
