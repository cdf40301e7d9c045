import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { deleteUnusedOauthClients } from '../access/oauth-clients.ts'
import { deleteExpiredTokens } from '../access/oauth-tokens.ts'

const MAX_UNUSED_APPS = 100_000

/**
 * Deletes expired OAuth data. Used authorization codes are kept for a day and used refresh tokens until they expire, so that a second use
 * is detected. Apps that ever had a grant are kept. Above the limit, the oldest unused apps are deleted first.
 */
export async function cleanUpOauth(db: Db, { maxUnused = MAX_UNUSED_APPS } = {}): Promise<void> {
  await sql`delete from oauth_requests where expires_at < lanyard_now()`.execute(db)
  await sql`delete from oauth_codes where expires_at < lanyard_now() - interval '1 day'`.execute(db)
  await deleteExpiredTokens(db)
  await deleteUnusedOauthClients(db, maxUnused)
}
