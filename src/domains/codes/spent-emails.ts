import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { isStillPending } from '../messages/pending.ts'

/** Removes code and link from sent emails once they are no longer valid. Emails still in transit are processed later. */
const blankEmails = (db: Db, which: RawBuilder<unknown>) =>
  sql`
    update messages set text_body = '', html_body = null from one_time_codes c
    where ${which} and c.code_hash is null and c.link_hash is null
      and messages.tenant_id = c.tenant_id and source_kind = 'oneTimeCode' and source_id = c.id and resend_of is null
      and text_body <> '' and not ${isStillPending}`.execute(db)

export async function blankSpentEmails(db: Db, tenantId: number, codes: readonly { id: string }[]): Promise<void> {
  if (codes.length > 0) await blankEmails(db, sql`c.tenant_id = ${tenantId} and c.id = any(${codes.map(({ id }) => id)})`)
}

/** Covers codes that were never used, and emails that were in transit when the code was used. */
export async function blankAllSpentEmails(db: Db): Promise<void> {
  await blankEmails(db, sql`true`)
}
