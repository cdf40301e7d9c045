import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'

const MAX_UNUSED_APPS = 100_000

/**
 * Deletes expired data. Used codes are kept for a day and rotated refresh tokens until they expire, to detect a second use. Apps that
 * ever had a grant are kept. Above the limit, the oldest unused apps are deleted first.
 */
export async function cleanUpOauth(db: Db, { maxUnused = MAX_UNUSED_APPS } = {}): Promise<void> {
  await sql`delete from oauth_requests where expires_at < lanyard_now()`.execute(db)
  await sql`delete from oauth_codes where expires_at < lanyard_now() - interval '1 day'`.execute(db)
  await sql`delete from oauth_tokens where expires_at < lanyard_now() - case kind when 'access' then interval '1 hour' else interval '1 day' end`.execute(
    db,
  )
  await sql`
    delete from oauth_clients a
    where a.first_grant_at is null and not exists (select from oauth_grants g where g.client_id = a.id)
      and (coalesce(a.fetched_at, a.created_at) < lanyard_now() - interval '30 days'
        or a.id in (select id from oauth_clients where first_grant_at is null order by created_at desc, id offset ${maxUnused}))`.execute(
    db,
  )
}
