import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'

/** Empties bodies after 90 days; that the mail was sent, to whom and about what stays. What may still go out keeps its body. */
export async function tidyMessages(db: Db): Promise<void> {
  await sql`
    update messages set text_body = '', html_body = null
    where (text_body <> '' or html_body is not null) and queued_at < lanyard_now() - interval '90 days'
      and status not in ('queued', 'claimed', 'handed', 'held')`.execute(db)
}
