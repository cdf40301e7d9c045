import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { isStillPending } from './pending.ts'

/** Deletes the bodies of emails that were sent. `sources` selects `tenant_id` and `id` of the records that the emails are about. */
export async function redactSentEmails(db: Db, sourceKind: string, sources: RawBuilder<unknown>): Promise<void> {
  await sql`
    update messages set text_body = '', html_body = null from (${sources}) s
    where messages.tenant_id = s.tenant_id and source_kind = ${sourceKind} and source_id = s.id and resend_of is null
      and text_body <> '' and not ${isStillPending}`.execute(db)
}
