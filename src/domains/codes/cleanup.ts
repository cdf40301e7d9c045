import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { redactAllUsedCodesInEmails } from './spent-emails.ts'

/**
 * Keeps one-time codes for two days, because rate limits count them, but erases their hashes and emails once they expire. Deletes ended
 * sessions.
 */
export async function cleanUpCodes(db: Db): Promise<void> {
  await sql`
    update one_time_codes set code_hash = null, link_hash = null
    where expires_at <= lanyard_now() and (code_hash is not null or link_hash is not null)`.execute(db)
  await redactAllUsedCodesInEmails(db)
  await sql`delete from one_time_codes where created_at < lanyard_now() - interval '48 hours'`.execute(db)
  await sql`delete from person_sessions where expires_at <= lanyard_now()`.execute(db)
}
