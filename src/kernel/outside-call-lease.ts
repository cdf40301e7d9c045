import { sql } from 'kysely'
import type { Db } from './columns.ts'
import { newLease } from './lease.ts'

/** A call in somebody's hands. */
export interface HeldCall {
  tenantId: number
  callId: string
  lease: string
  kind: string
  input: unknown
  /** This one included. */
  attempts: number
  /** Null until somebody could not settle what the other side answered. */
  answer: unknown
  ageSeconds: number
  clientId: string | null
  eventId: string | null
  startedBy: { id: string; name: string }
}

/** Null when it is over, not yet due, or somebody else has it in hand. */
export async function takeCall(
  db: Db,
  { tenantId, callId }: { tenantId: number; callId: string },
  leaseSeconds: (kind: string) => number,
): Promise<HeldCall | null> {
  const kind = await db
    .selectFrom('outside_calls')
    .select('kind')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', callId)
    .executeTakeFirst()
  if (!kind) return null
  const lease = newLease()
  const { rows } = await sql<Omit<HeldCall, 'startedBy'> & { createdBy: string; createdByName: string }>`
    update outside_calls set status = 'calling', attempts = attempts + 1, lease_token = ${lease},
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

const isHeld = ({ tenantId, callId, lease }: HeldCall) =>
  sql`tenant_id = ${tenantId} and id = ${callId} and status = 'calling' and lease_token = ${lease}`

/** In the settling transaction, before anything else: of all that run this call one gets through, and only once. */
export async function endCall(db: Db, held: HeldCall, status: 'settled' | 'givenUp'): Promise<boolean> {
  const { rows } = await sql`
    update outside_calls set status = ${status}, lease_until = null, ended_at = lanyard_now() where ${isHeld(held)} returning 1`.execute(db)
  return rows.length === 1
}

export async function keepOutcome(db: Db, { tenantId, callId }: HeldCall, outcome: unknown): Promise<void> {
  await sql`
    update outside_calls set outcome = ${JSON.stringify(outcome ?? null)}::jsonb, answer = null, lease_token = null
    where tenant_id = ${tenantId} and id = ${callId}`.execute(db)
}

/** To be tried again. An answer that could not be settled is kept: the other side is not asked a second time. */
export async function leaveCall(
  db: Db,
  held: HeldCall,
  { afterSeconds, answer }: { afterSeconds: number; answer?: unknown },
): Promise<void> {
  await sql`
    update outside_calls set status = 'waiting', lease_token = null, lease_until = null,
      next_attempt_at = lanyard_now() + make_interval(secs => ${afterSeconds}),
      answer = coalesce(${answer === undefined ? null : JSON.stringify(answer)}::jsonb, answer)
    where ${isHeld(held)}`.execute(db)
}

/** Seconds until it can be taken again; null when it is over. */
export async function secondsToWait(db: Db, { tenantId, callId }: { tenantId: number; callId: string }): Promise<number | null> {
  const { rows } = await sql<{ seconds: number }>`
    select greatest(0, extract(epoch from greatest(next_attempt_at, lease_until) - lanyard_now()))::float8 as seconds
    from outside_calls where tenant_id = ${tenantId} and id = ${callId} and status in ('waiting', 'calling')`.execute(db)
  return rows[0]?.seconds ?? null
}
