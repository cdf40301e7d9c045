import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { redactSentEmailsOfRecords } from '../messages/redact-emails.ts'

/** Removes used or expired one-time codes and links from the stored texts of sent emails. Emails in transit are processed later. */
const blankEmails = (db: Db, which: RawBuilder<unknown>) =>
  redactSentEmailsOfRecords(
    db,
    'oneTimeCode',
    sql`select c.tenant_id, c.id from one_time_codes c where ${which} and c.code_hash is null and c.link_hash is null`,
  )

export async function redactUsedCodesInEmails(db: Db, tenantId: number, codes: readonly { id: string }[]): Promise<void> {
  if (codes.length > 0) await blankEmails(db, sql`c.tenant_id = ${tenantId} and c.id = any(${codes.map(({ id }) => id)})`)
}

/**
 * Removes codes and links from all emails that no longer need them: codes that were never used, and emails that were in transit when the
 * code was used.
 */
export async function redactAllUsedCodesInEmails(db: Db): Promise<void> {
  await blankEmails(db, sql`true`)
}
