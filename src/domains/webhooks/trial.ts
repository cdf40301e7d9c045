import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Context } from '../../kernel/context.ts'
import { databaseTime } from '../../kernel/database-time.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { newLease } from '../../kernel/lease.ts'
import { toInstant } from '../../kernel/time.ts'
import { type HeldDelivery, LEASE_SECONDS } from './claim.ts'
import type { EndpointRow } from './endpoints.ts'
import { keep } from './write-messages.ts'

const KIND = 'webhook.test'

/** Writes a message to try an endpoint with, in the hands of the caller, who sends it when this is kept. It gets that one attempt. */
export async function writeTrial(ctx: Context, endpoint: EndpointRow): Promise<HeldDelivery> {
  const { id: endpointId, status, url, secrets, failing_since } = endpoint
  if (status !== 'active') throw preconditionFailed(`This webhook is ${status}: make it active to try it`)
  const [messageId, lease, now] = [`msg_${newId()}`, newLease(), await databaseTime(ctx)]
  const body = JSON.stringify({ type: KIND, timestamp: toInstant(now), data: {} })
  await keep(ctx, [{ id: messageId, kind: KIND, eventId: null, body, fullBody: null, by: [{ endpointId }] }])
  await sql`
    update webhook_deliveries set tries_left = 1, lease_token = ${lease}, lease_until = lanyard_now() + make_interval(secs => ${LEASE_SECONDS})
    where tenant_id = ${ctx.tenantId} and endpoint_id = ${endpointId} and message_id = ${messageId}`.execute(ctx.db)
  recordChange(ctx, { kind: 'webhook', id: endpointId, after: { tried: messageId } })
  return {
    tenantId: ctx.tenantId,
    endpointId,
    messageId,
    lease,
    kind: KIND,
    url,
    secrets,
    body,
    triesLeft: 1,
    replay: false,
    failing: failing_since !== null,
    covered: true,
    now,
  }
}
