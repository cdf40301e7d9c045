import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { isPendingEmailSql } from './pending.ts'

/** Deletes the content of sent emails about the given records. `sources` is a query that selects `tenant_id` and `id` of these records. */
export async function redactSentEmailsOfRecords(db: Db, sourceKind: string, sources: RawBuilder<unknown>): Promise<void> {
  await sql`
    update messages set text_body = '', html_body = null from (${sources}) s
    where messages.tenant_id = s.tenant_id and source_kind = ${sourceKind} and source_id = s.id and resend_of is null
      and text_body <> '' and not ${isPendingEmailSql}`.execute(db)
}
