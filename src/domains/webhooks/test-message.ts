import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Db } from '../../kernel/columns.ts'
import type { Context } from '../../kernel/context.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { newLeaseToken } from '../../kernel/lease.ts'
import { formatInstant } from '../../kernel/time.ts'
import { type LeasedDelivery, DELIVERY_LEASE_SECONDS } from './lease-deliveries.ts'
import type { WebhookEndpointRow } from './endpoints.ts'
import { insertWebhookMessages } from './write-messages.ts'

const TEST_KIND = 'webhook.test'
/** The number of seconds during which only the request that created a test message delivers it, and not a worker. */
const REQUEST_SECONDS = 30

/** Creates a test message with one attempt. The caller makes the attempt after the commit and waits for its result. */
export async function createTestMessage(ctx: Context, { id: endpointId, status }: WebhookEndpointRow): Promise<{ messageId: string }> {
  if (status !== 'active') throw preconditionFailed(`This webhook is ${status}. Activate it before you test it.`)
  const messageId = `msg_${newId()}`
  const body = JSON.stringify({ type: TEST_KIND, timestamp: formatInstant(await getDatabaseTime(ctx)), data: {} })
  await insertWebhookMessages(ctx, [{ id: messageId, kind: TEST_KIND, eventId: null, body, fullBody: null, by: [{ endpointId }] }])
  await sql`
    update webhook_deliveries set tries_left = 1, next_attempt_at = lanyard_now() + make_interval(secs => ${REQUEST_SECONDS})
    where tenant_id = ${ctx.tenantId} and endpoint_id = ${endpointId} and message_id = ${messageId}`.execute(ctx.db)
  recordChange(ctx, { kind: 'webhook', id: endpointId, after: { tried: messageId } })
  return { messageId }
}

/** Leases the delivery of a test message. Returns null if another process has leased it, or its only attempt was already made. */
export async function leaseTestMessage(
  db: Db,
  at: { tenantId: number; endpointId: string; messageId: string },
): Promise<LeasedDelivery | null> {
  const lease = newLeaseToken()
  const { rows } = await sql<Omit<LeasedDelivery, 'lease' | keyof typeof at>>`
    with taken as (
      update webhook_deliveries set lease_token = ${lease}, lease_until = lanyard_now() + make_interval(secs => ${DELIVERY_LEASE_SECONDS})
      where tenant_id = ${at.tenantId} and endpoint_id = ${at.endpointId} and message_id = ${at.messageId} and status = 'pending'
        and lease_token is null returning *)
    select d.kind, w.url, w.secrets, m.body, d.tries_left as "triesLeft", false as replay, w.failing_since is not null as failing,
      true as covered, lanyard_now() as now
    from taken d join webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
    join webhook_messages m on m.tenant_id = d.tenant_id and m.id = d.message_id`.execute(db)
  return rows[0] ? { ...rows[0], ...at, lease } : null
}
