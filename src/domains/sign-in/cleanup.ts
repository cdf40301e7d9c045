import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { liveSessionSql } from './sessions.ts'

/** Deletes ended sessions, after storing each user's last activity, and links a day after they became invalid. */
export async function cleanUpSignIn(db: Db): Promise<void> {
  const over = sql.raw(`not ${liveSessionSql('s')}`)
  await sql`
    update users u set last_seen_at = greatest(u.last_seen_at, ended.at)
    from (select s.user_id, max(s.last_seen_at) as at from browser_sessions s where ${over} and not s.totp_pending group by s.user_id) ended
    where u.id = ended.user_id`.execute(db)
  await sql`delete from browser_sessions s where ${over}`.execute(db)
  await sql`delete from password_links where expires_at < lanyard_now() - interval '1 day'`.execute(db)
}
