import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { emptyEverySpentMail } from './spent-mails.ts'
import type {} from './tables.ts'

/** Codes stay two days for the limits that are counted from them, without what could be guessed at once they are too old, and without what their mails told. Sessions go when they are over. */
export async function tidyCodes(db: Db): Promise<void> {
  await sql`
    update one_time_codes set code_hash = null, link_hash = null
    where expires_at <= lanyard_now() and (code_hash is not null or link_hash is not null)`.execute(db)
  await emptyEverySpentMail(db)
  await sql`delete from one_time_codes where created_at < lanyard_now() - interval '48 hours'`.execute(db)
  await sql`delete from person_sessions where expires_at <= lanyard_now()`.execute(db)
}
