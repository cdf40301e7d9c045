import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { saveLastActiveTimes } from '../access/user-profiles.ts'
import { isValidSessionSql } from './sessions.ts'

/** Deletes ended browser sessions, after storing each user's last activity, and deletes password links a day after they became invalid. */
export async function cleanUpSignInData(db: Db): Promise<void> {
  const over = sql.raw(`not ${isValidSessionSql('s')}`)
  await saveLastActiveTimes(
    db,
    sql`select s.user_id, max(s.last_seen_at) as at from browser_sessions s where ${over} and not s.totp_pending group by s.user_id`,
  )
  await sql`delete from browser_sessions s where ${over}`.execute(db)
  await sql`delete from password_links where expires_at < lanyard_now() - interval '1 day'`.execute(db)
}
