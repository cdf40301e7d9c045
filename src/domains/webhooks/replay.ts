import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Context } from '../../kernel/context.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { DELIVERY_LOG_RETENTION_DAYS } from './deliveries.ts'
import type { WebhookEndpointRow } from './endpoints.ts'
import { MAX_DELIVERY_ATTEMPTS } from './schedule.ts'
import type { WebhookDeliveryStatus } from './tables.ts'

const MAX_REPLAYED_MESSAGES = 10_000

interface ReplayRange {
  from: Date
  until: Date
  status?: WebhookDeliveryStatus | undefined
}

/** SQL that resets a delivery, so that it is sent again immediately with the same message id and body. */
const RESET_DELIVERY = sql`set status = 'pending', ended_at = null, tries_left = ${MAX_DELIVERY_ATTEMPTS}, next_attempt_at = lanyard_now(), replayed_at = lanyard_now()`

const IS_IN_LOG = sql`created_at > lanyard_now() - make_interval(days => ${DELIVERY_LOG_RETENTION_DAYS})`

export async function replayMessage(ctx: Context, endpoint: WebhookEndpointRow, messageId: string): Promise<void> {
  assertActive(endpoint)
  const isMessageId = messageId.startsWith('msg_') && isId(messageId.slice(4))
  const { rows } = await sql`
    update webhook_deliveries ${RESET_DELIVERY}
    where tenant_id = ${ctx.tenantId} and endpoint_id = ${endpoint.id} and message_id = ${isMessageId ? messageId : ''} and ${IS_IN_LOG} returning 1`.execute(
    ctx.db,
  )
  if (rows.length === 0)
    throw notFound(`No message ${cleanText(messageId, 40)} was sent to this webhook in the last ${DELIVERY_LOG_RETENTION_DAYS} days`)
  recordChange(ctx, { kind: 'webhook', id: endpoint.id, after: { replayed: messageId } })
}

/**
 * If the same time range is replayed again within this time, messages that were already replayed are left out, so that several calls can
 * work through a long range.
 */
const CONTINUATION_HOURS = 24

/**
 * Sends the messages of a time range again, oldest first. `more` is true if the range has more messages than one call may replay. Repeating
 * the call continues after them, because it leaves out messages that were replayed within a day. Messages that have failed again are
 * replayed again, after those that were not replayed yet.
 */
export async function replayMessagesInRange(
  ctx: Context,
  endpoint: WebhookEndpointRow,
  { from, until, status }: ReplayRange,
  limit = MAX_REPLAYED_MESSAGES,
): Promise<{ replayed: number; more: boolean }> {
  assertActive(endpoint)
  const isInRange = sql`tenant_id = ${ctx.tenantId} and endpoint_id = ${endpoint.id} and created_at >= ${from} and created_at < ${until}
    and ${IS_IN_LOG} and kind <> 'webhook.test'`
  const { rows: chosen } = await sql<{ id: string }>`
    with size as (
      select count(*) > ${limit} as is_large
      from (select from webhook_deliveries where ${isInRange} limit ${limit + 1}) counted)
    select message_id as id from webhook_deliveries
    where ${isInRange} and (${status ?? null}::text is null or status = ${status ?? null})
      and (replayed_at is null or status = 'exhausted' or replayed_at <= lanyard_now() - make_interval(hours => ${CONTINUATION_HOURS})
        or not (select is_large from size))
    order by replayed_at nulls first, created_at, message_id limit ${limit + 1}`.execute(ctx.db)
  const ids = chosen.slice(0, limit).map(({ id }) => id)
  if (ids.length === 0) return { replayed: 0, more: false }
  // The ids are passed as an array, so that PostgreSQL looks up each row by the primary key, whatever the planner estimates.
  await sql`
    update webhook_deliveries ${RESET_DELIVERY}
    where tenant_id = ${ctx.tenantId} and endpoint_id = ${endpoint.id} and message_id = any(${ids})`.execute(ctx.db)
  recordChange(ctx, { kind: 'webhook', id: endpoint.id, after: { replayed: ids.length } })
  return { replayed: ids.length, more: chosen.length > ids.length }
}

function assertActive({ status }: WebhookEndpointRow): void {
  if (status !== 'active') throw preconditionFailed(`This webhook is ${status}. Activate it before you replay messages.`)
}
