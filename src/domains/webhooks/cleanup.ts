import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { DELIVERY_LOG_RETENTION_DAYS } from './deliveries.ts'

const MAX_DELETED_PER_RUN = 20_000

/** Deletes old webhook messages with their deliveries and attempts, except messages that are being replayed. */
export async function cleanUpWebhooks(db: Db): Promise<void> {
  await sql`
    delete from webhook_messages where (tenant_id, id) in (
      select m.tenant_id, m.id from webhook_messages m
      where m.created_at < lanyard_now() - make_interval(days => ${DELIVERY_LOG_RETENTION_DAYS}) and not exists (
        select from webhook_deliveries d where d.tenant_id = m.tenant_id and d.message_id = m.id and d.status = 'pending')
      order by m.created_at limit ${MAX_DELETED_PER_RUN})`.execute(db)
}
