import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Context } from '../../kernel/context.ts'
import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { DELIVERY_LOG_DAYS } from './deliveries.ts'
import type { EndpointRow } from './endpoints.ts'
import { MAX_ATTEMPTS } from './schedule.ts'
import type { DeliveryStatus } from './tables.ts'

const MAX_REPLAYED_MESSAGES = 10_000

interface ReplayRange {
  from: Date
  until: Date
  status?: DeliveryStatus | undefined
}

/** Sends a delivery again, with the same message id and body. A pending delivery is sent immediately. */
const RESET_DELIVERY = sql`set status = 'pending', ended_at = null, tries_left = ${MAX_ATTEMPTS}, next_attempt_at = lanyard_now(), replayed_at = lanyard_now()`

const IS_IN_LOG = sql`created_at > lanyard_now() - make_interval(days => ${DELIVERY_LOG_DAYS})`

export async function replayMessage(ctx: Context, endpoint: EndpointRow, messageId: string): Promise<void> {
  assertActive(endpoint)
  const { rows } = await sql`
    update webhook_deliveries ${RESET_DELIVERY}
    where tenant_id = ${ctx.tenantId} and endpoint_id = ${endpoint.id} and message_id = ${messageId} and ${IS_IN_LOG} returning 1`.execute(
    ctx.db,
  )
  if (rows.length === 0) throw notFound(`No message ${messageId} was sent to this webhook in the last ${DELIVERY_LOG_DAYS} days`)
  recordChange(ctx, { kind: 'webhook', id: endpoint.id, after: { replayed: messageId } })
}

/**
 * Sends the messages of a time range again, oldest first. `more` is true if the range has more messages than one call may replay; the
 * next call continues after them.
 */
export async function replayRange(
  ctx: Context,
  endpoint: EndpointRow,
  { from, until, status }: ReplayRange,
): Promise<{ replayed: number; more: boolean }> {
  assertActive(endpoint)
  const { rows } = await sql<{ replayed: number; found: number }>`
    with chosen as (
      select message_id from webhook_deliveries
      where tenant_id = ${ctx.tenantId} and endpoint_id = ${endpoint.id} and created_at >= ${from} and created_at < ${until} and ${IS_IN_LOG}
        and (${status ?? null}::text is null or status = ${status ?? null}) and kind <> 'webhook.test'
      order by created_at, message_id limit ${MAX_REPLAYED_MESSAGES + 1}
    ), again as (
      update webhook_deliveries d ${RESET_DELIVERY}
      where d.tenant_id = ${ctx.tenantId} and d.endpoint_id = ${endpoint.id}
        and d.message_id in (select message_id from chosen limit ${MAX_REPLAYED_MESSAGES}) returning 1)
    select (select count(*)::int from again) as replayed, (select count(*)::int from chosen) as found`.execute(ctx.db)
  const { replayed, found } = rows[0]!
  if (replayed > 0) recordChange(ctx, { kind: 'webhook', id: endpoint.id, after: { replayed } })
  return { replayed, more: found > replayed }
}

function assertActive({ status }: EndpointRow): void {
  if (status !== 'active') throw preconditionFailed(`This webhook is ${status}. Activate it before you replay messages.`)
}
