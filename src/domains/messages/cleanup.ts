import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { isPendingEmailSql } from './pending.ts'

/** Deletes the content and attachments of emails after 90 days, unless they may still be sent. Recipient, subject and status are kept. */
export async function cleanUpMessages(db: Db): Promise<void> {
  await sql`
    with emptied as (
      update messages set text_body = '', html_body = null
      where (text_body <> '' or html_body is not null) and queued_at < lanyard_now() - interval '90 days'
        and not ${isPendingEmailSql}
      returning tenant_id, id
    )
    update message_attachments a set bytes = null from emptied e where a.tenant_id = e.tenant_id and a.message_id = e.id`.execute(db)
}
