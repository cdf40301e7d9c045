import { tenantDb } from './scoped-db.ts'
import { sql } from 'kysely'
import type { Db } from './columns.ts'
import { newLeaseToken } from './lease.ts'
import { EXTERNAL_CALL_STATES } from './work-states.ts'

const WAITING = EXTERNAL_CALL_STATES.initial
const CALLING = EXTERNAL_CALL_STATES.move(WAITING, 'calling')

/** An external call that this process has leased. */
export interface LeasedExternalCall {
  tenantId: number
  callId: string
  lease: string
  kind: string
  input: unknown
  /** Number of attempts, including the current one. */
  attempts: number
  /** The response of the other system, if it arrived but could not be applied; otherwise null. */
  answer: unknown
  ageSeconds: number
  clientId: string | null
  eventId: string | null
  startedBy: { id: string; name: string }
}

/** Leases an external call. Null if the call has ended, is not yet due, or another worker has leased it. */
export async function leaseExternalCall(
  db: Db,
  { tenantId, callId }: { tenantId: number; callId: string },
  leaseSeconds: (kind: string) => number,
): Promise<LeasedExternalCall | null> {
  const kind = await tenantDb({ db, tenantId }).selectFrom('outside_calls').select('kind').where('id', '=', callId).executeTakeFirst()
  if (!kind) return null
  const lease = newLeaseToken()
  const { rows } = await sql<Omit<LeasedExternalCall, 'startedBy'> & { createdBy: string; createdByName: string }>`
    update outside_calls set status = ${CALLING}, attempts = attempts + 1, lease_token = ${lease},
      lease_until = lanyard_now() + make_interval(secs => ${leaseSeconds(kind.kind)})
    where tenant_id = ${tenantId} and id = ${callId} and status in ('waiting', 'calling')
      and next_attempt_at <= lanyard_now() and (lease_until is null or lease_until <= lanyard_now())
    returning tenant_id as "tenantId", id as "callId", lease_token as lease, kind, input, attempts, answer,
      extract(epoch from lanyard_now() - created_at)::float8 as "ageSeconds", client_id as "clientId", event_id as "eventId",
      created_by as "createdBy", created_by_name as "createdByName"`.execute(db)
  if (!rows[0]) return null
  const { createdBy, createdByName, ...held } = rows[0]
  return { ...held, startedBy: { id: createdBy, name: createdByName } }
}

const isHeld = ({ tenantId, callId, lease }: LeasedExternalCall) =>
  sql`tenant_id = ${tenantId} and id = ${callId} and status = ${CALLING} and lease_token = ${lease}`

/**
 * Marks the external call as ended. First statement of the transaction that applies its response: of all workers that run this call, only
 * one succeeds, and only once.
 */
export async function endExternalCall(db: Db, held: LeasedExternalCall, status: 'settled' | 'givenUp'): Promise<boolean> {
  const { rows } = await sql`
    update outside_calls set status = ${EXTERNAL_CALL_STATES.move(CALLING, status)}, lease_until = null, ended_at = lanyard_now() where ${isHeld(held)} returning 1`.execute(
    db,
  )
  return rows.length === 1
}

export async function saveExternalCallOutcome(db: Db, { tenantId, callId }: LeasedExternalCall, outcome: unknown): Promise<void> {
  await sql`
    update outside_calls set outcome = ${JSON.stringify(outcome ?? null)}::jsonb, answer = null, lease_token = null
    where tenant_id = ${tenantId} and id = ${callId}`.execute(db)
}

/** An alert is raised after this many failed attempts to apply a stored response. */
export const MAX_FAILURES_BEFORE_ALERT = 10

/**
 * Schedules another attempt. A response that could not be applied is stored, so that the other system is not called twice. Returns how
 * often applying the stored response has failed.
 */
export async function rescheduleExternalCall(
  db: Db,
  held: LeasedExternalCall,
  { afterSeconds, answer }: { afterSeconds: number; answer?: unknown },
): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    update outside_calls set status = ${WAITING}, lease_token = null, lease_until = null,
      next_attempt_at = lanyard_now() + make_interval(secs => ${afterSeconds}),
      answer = coalesce(${answer === undefined ? null : JSON.stringify(answer)}::jsonb, answer),
      settle_failures = settle_failures + ${answer === undefined ? 0 : 1}
    where ${isHeld(held)} returning settle_failures as failures`.execute(db)
  return rows[0]?.failures ?? 0
}

/** Seconds until the call can be leased again; null if it has ended. */
export async function getSecondsUntilNextAttempt(
  db: Db,
  { tenantId, callId }: { tenantId: number; callId: string },
): Promise<number | null> {
  const { rows } = await sql<{ seconds: number }>`
    select greatest(0, extract(epoch from greatest(next_attempt_at, lease_until) - lanyard_now()))::float8 as seconds
    from outside_calls where tenant_id = ${tenantId} and id = ${callId} and status in ('waiting', 'calling')`.execute(db)
  return rows[0]?.seconds ?? null
}
