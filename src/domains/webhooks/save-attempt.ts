import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { DeliveryAttempt } from './attempt.ts'
import type { LeasedDelivery } from './lease-deliveries.ts'
import { computeSecondsToNextAttempt } from './schedule.ts'
import { DELIVERY_STATES } from './states.ts'

/** The outcome of an attempt. `lost` means that another worker has taken over the lease, so the attempt was not saved. */
export type DeliveryAttemptOutcome = 'delivered' | 'later' | 'exhausted' | 'lost'

/**
 * The minimum interval between updates of the endpoint row after successful deliveries, because all deliveries to an endpoint share the
 * row.
 */
const SUCCESS_UPDATE_SECONDS = 60

const PENDING = 'pending'
const DELIVERED = DELIVERY_STATES.move(PENDING, 'delivered')
const EXHAUSTED = DELIVERY_STATES.move(PENDING, 'exhausted')
const DROPPED = DELIVERY_STATES.move(PENDING, 'dropped')

const matchesDelivery = ({ tenantId, endpointId, messageId }: LeasedDelivery) =>
  sql`tenant_id = ${tenantId} and endpoint_id = ${endpointId} and message_id = ${messageId}`

const isLeased = (held: LeasedDelivery) => sql`${matchesDelivery(held)} and status = ${PENDING} and lease_token = ${held.lease}`

/** Saves the result of an attempt in one statement, if the lease is still valid. */
export async function saveDeliveryAttempt(db: Db, held: LeasedDelivery, attempt: DeliveryAttempt): Promise<DeliveryAttemptOutcome> {
  const wait = attempt.delivered ? null : computeSecondsToNextAttempt({ ...held, retryAfter: attempt.retryAfter })
  const status = attempt.delivered ? DELIVERED : wait === null ? EXHAUSTED : PENDING
  const { tenantId, endpointId, messageId, replay } = held
  const { rows } = await sql`
    with settled as (
      update webhook_deliveries set status = ${status}, attempts = attempts + 1, tries_left = tries_left - 1, lease_token = null, lease_until = null,
        next_attempt_at = case when ${wait !== null} then lanyard_now() + make_interval(secs => ${wait ?? 0}::float8) else next_attempt_at end,
        ended_at = case when ${status !== PENDING} then lanyard_now() end
      where ${isLeased(held)} returning attempts
    ), noted as (${updateEndpointHealth(held, attempt)})
    insert into webhook_attempts (tenant_id, endpoint_id, message_id, number, at, status, ms, error, body, replay)
    select ${tenantId}, ${endpointId}, ${messageId}, attempts, ${held.now}::timestamptz, ${attempt.status}::integer, ${attempt.ms}::integer,
      ${attempt.error}::text, ${attempt.body}::text, ${replay}::boolean
    from settled returning 1`.execute(db)
  if (rows.length === 0) return 'lost'
  return status === PENDING ? 'later' : status
}

/** Records at the endpoint whether it is failing. A failed test message does not mark it as failing. */
function updateEndpointHealth({ tenantId, endpointId, kind }: LeasedDelivery, { delivered }: DeliveryAttempt) {
  const endpoint = sql`tenant_id = ${tenantId} and id = ${endpointId} and exists (select from settled)`
  return delivered
    ? sql`update webhook_endpoints set last_success_at = lanyard_now(), failing_since = null where ${endpoint}
        and (failing_since is not null or last_success_at is null or last_success_at < lanyard_now() - make_interval(secs => ${SUCCESS_UPDATE_SECONDS}))`
    : sql`update webhook_endpoints set failing_since = lanyard_now() where ${endpoint} and failing_since is null and ${kind !== 'webhook.test'}`
}

/** Drops a delivery. Called if the API account no longer has access to the record that the message is about. */
export async function dropDelivery(db: Db, held: LeasedDelivery): Promise<void> {
  await sql`
    update webhook_deliveries set status = ${DROPPED}, ended_at = lanyard_now(), lease_token = null, lease_until = null
    where ${isLeased(held)}`.execute(db)
}
