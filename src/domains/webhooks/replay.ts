import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Context } from '../../kernel/context.ts'
import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { KEPT_DAYS } from './deliveries.ts'
import type { EndpointRow } from './endpoints.ts'
import { MOST_ATTEMPTS } from './schedule.ts'
import type { DeliveryStatus } from './tables.ts'

const MOST_AT_ONCE = 10_000

interface Range {
  from: Date
  until: Date
  status?: DeliveryStatus | undefined
}

/** Tells again what was told, under the same id and to the letter. What is on its way goes at once. */
const AGAIN = sql`set status = 'pending', ended_at = null, tries_left = ${MOST_ATTEMPTS}, next_attempt_at = lanyard_now(), replayed_at = lanyard_now()`

const KEPT = sql`created_at > lanyard_now() - make_interval(days => ${KEPT_DAYS})`

export async function replayMessage(ctx: Context, endpoint: EndpointRow, messageId: string): Promise<void> {
  refuseStopped(endpoint)
  const { rows } = await sql`
    update webhook_deliveries ${AGAIN}
    where tenant_id = ${ctx.tenantId} and endpoint_id = ${endpoint.id} and message_id = ${messageId} and ${KEPT} returning 1`.execute(
    ctx.db,
  )
  if (rows.length === 0) throw notFound(`No message ${messageId} was sent to this webhook in the last ${KEPT_DAYS} days`)
  recordChange(ctx, { kind: 'webhook', id: endpoint.id, after: { replayed: messageId } })
}

/** The oldest first; `more` where there are more than one call takes: the next call begins where this one ended. */
export async function replayRange(
  ctx: Context,
  endpoint: EndpointRow,
  { from, until, status }: Range,
): Promise<{ replayed: number; more: boolean }> {
  refuseStopped(endpoint)
  const { rows } = await sql<{ replayed: number; found: number }>`
    with chosen as (
      select message_id from webhook_deliveries
      where tenant_id = ${ctx.tenantId} and endpoint_id = ${endpoint.id} and created_at >= ${from} and created_at < ${until} and ${KEPT}
        and (${status ?? null}::text is null or status = ${status ?? null}) and kind <> 'webhook.test'
      order by created_at, message_id limit ${MOST_AT_ONCE + 1}
    ), again as (
      update webhook_deliveries d ${AGAIN}
      where d.tenant_id = ${ctx.tenantId} and d.endpoint_id = ${endpoint.id}
        and d.message_id in (select message_id from chosen limit ${MOST_AT_ONCE}) returning 1)
    select (select count(*)::int from again) as replayed, (select count(*)::int from chosen) as found`.execute(ctx.db)
  const { replayed, found } = rows[0]!
  if (replayed > 0) recordChange(ctx, { kind: 'webhook', id: endpoint.id, after: { replayed } })
  return { replayed, more: found > replayed }
}

function refuseStopped({ status }: EndpointRow): void {
  if (status !== 'active') throw preconditionFailed(`This webhook is ${status}: make it active before anything is told again`)
}
