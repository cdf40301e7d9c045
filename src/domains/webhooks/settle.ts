import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { Attempt } from './attempt.ts'
import type { HeldDelivery } from './claim.ts'
import { secondsToNext } from './schedule.ts'

/** What an attempt came to: `lost` when somebody else has the delivery meanwhile, and nothing was written. */
export type Settled = 'delivered' | 'later' | 'exhausted' | 'lost'

/** How often a success is noted at the endpoint: its row is everybody's. */
const NOTED_SECONDS = 60

const ofDelivery = ({ tenantId, endpointId, messageId }: HeldDelivery) =>
  sql`tenant_id = ${tenantId} and endpoint_id = ${endpointId} and message_id = ${messageId}`

const isHeld = (held: HeldDelivery) => sql`${ofDelivery(held)} and status = 'pending' and lease_token = ${held.lease}`

/** Writes down how it went, once, in one statement. */
export async function settleAttempt(db: Db, held: HeldDelivery, attempt: Attempt): Promise<Settled> {
  const wait = attempt.delivered ? null : secondsToNext({ ...held, retryAfter: attempt.retryAfter })
  const status = attempt.delivered ? 'delivered' : wait === null ? 'exhausted' : 'pending'
  const { tenantId, endpointId, messageId, replay } = held
  const { rows } = await sql`
    with settled as (
      update webhook_deliveries set status = ${status}, attempts = attempts + 1, tries_left = tries_left - 1, lease_token = null, lease_until = null,
        next_attempt_at = case when ${wait !== null} then lanyard_now() + make_interval(secs => ${wait ?? 0}::float8) else next_attempt_at end,
        ended_at = case when ${status !== 'pending'} then lanyard_now() end
      where ${isHeld(held)} returning attempts
    ), noted as (${noteAtEndpoint(held, attempt)})
    insert into webhook_attempts (tenant_id, endpoint_id, message_id, number, at, status, ms, error, body, replay)
    select ${tenantId}, ${endpointId}, ${messageId}, attempts, ${held.now}::timestamptz, ${attempt.status}::integer, ${attempt.ms}::integer,
      ${attempt.error}::text, ${attempt.body}::text, ${replay}::boolean
    from settled returning 1`.execute(db)
  if (rows.length === 0) return 'lost'
  return status === 'pending' ? 'later' : status
}

/** A trial that fails says nothing of what happens with real messages. */
function noteAtEndpoint({ tenantId, endpointId, kind }: HeldDelivery, { delivered }: Attempt) {
  const endpoint = sql`tenant_id = ${tenantId} and id = ${endpointId} and exists (select from settled)`
  return delivered
    ? sql`update webhook_endpoints set last_success_at = lanyard_now(), failing_since = null where ${endpoint}
        and (failing_since is not null or last_success_at is null or last_success_at < lanyard_now() - make_interval(secs => ${NOTED_SECONDS}))`
    : sql`update webhook_endpoints set failing_since = lanyard_now() where ${endpoint} and failing_since is null and ${kind !== 'webhook.test'}`
}

/** The account may not know it any more. */
export async function dropHeld(db: Db, held: HeldDelivery): Promise<void> {
  await sql`
    update webhook_deliveries set status = 'dropped', ended_at = lanyard_now(), lease_token = null, lease_until = null
    where ${isHeld(held)}`.execute(db)
}
