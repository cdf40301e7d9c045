import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { KEPT_DAYS } from './deliveries.ts'

const MOST_AT_ONCE = 20_000

/** Messages go with all that was noted of them, unless one is just being told again. */
export async function tidyWebhooks(db: Db): Promise<void> {
  await sql`
    delete from webhook_messages where (tenant_id, id) in (
      select m.tenant_id, m.id from webhook_messages m
      where m.created_at < lanyard_now() - make_interval(days => ${KEPT_DAYS}) and not exists (
        select from webhook_deliveries d where d.tenant_id = m.tenant_id and d.message_id = m.id and d.status = 'pending')
      order by m.created_at limit ${MOST_AT_ONCE})`.execute(db)
}
