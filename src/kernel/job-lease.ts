import { sql } from 'kysely'
import type { Db } from './columns.ts'
import type { Job } from './jobs.ts'
import { newLease } from './lease.ts'

/** A job in somebody's hands. Whoever holds the lease runs it; everything below is refused to those who lost it. */
export interface HeldJob {
  tenantId: number
  jobId: string
  lease: string
  name: string
  input: unknown
  /** This one included. */
  attempts: number
  clientId: string | null
  eventId: string | null
  startedBy: { id: string; name: string }
}

/** `over`: it ended, for a queue may deliver twice. `busyAt`: somebody runs it, or another one of its kind whose turn it is at that event. */
export type Start = HeldJob | 'over' | { busyAt: string | null }

/** How long a job counts as running without a sign of life. Every step is one, and a timer gives one in between. */
export const JOB_LEASE_SECONDS = 30

/** In a transaction of its own. */
export async function startJob(
  db: Db,
  { tenantId, jobId }: { tenantId: number; jobId: string },
  { oneAtATime = false }: Job,
): Promise<Start> {
  if (oneAtATime) {
    // Two of a kind that start in the same moment would not see each other run.
    await sql`select pg_advisory_xact_lock(hashtextextended(format('job %s %s %s', tenant_id, event_id, name), 0))
      from jobs where tenant_id = ${tenantId} and id = ${jobId}`.execute(db)
  }
  const lease = newLease()
  const { rows } = await sql<Omit<HeldJob, 'startedBy'> & { createdBy: string; createdByName: string }>`
    update jobs j set status = 'running', started_at = coalesce(started_at, lanyard_now()), attempts = attempts + 1,
      lease_token = ${lease}, lease_until = lanyard_now() + make_interval(secs => ${JOB_LEASE_SECONDS})
    where tenant_id = ${tenantId} and id = ${jobId} and status in ('queued', 'running')
      and (lease_until is null or lease_until <= lanyard_now())
      and not (${oneAtATime} and exists (
        select from jobs other where other.tenant_id = j.tenant_id and other.event_id = j.event_id and other.name = j.name
          and other.id <> j.id and other.status = 'running' and other.lease_until > lanyard_now()))
    returning tenant_id as "tenantId", id as "jobId", lease_token as lease, name, input, attempts, client_id as "clientId",
      event_id as "eventId", created_by as "createdBy", created_by_name as "createdByName"`.execute(db)
  if (rows[0]) {
    const { createdBy, createdByName, ...held } = rows[0]
    return { ...held, startedBy: { id: createdBy, name: createdByName } }
  }
  const open = await sql<{ busyAt: string | null }>`
    select event_id as "busyAt" from jobs where tenant_id = ${tenantId} and id = ${jobId} and status in ('queued', 'running')`.execute(db)
  return open.rows[0] ?? 'over'
}

const isHeld = ({ tenantId, jobId, lease }: HeldJob) => sql`tenant_id = ${tenantId} and id = ${jobId} and lease_token = ${lease}`

/** In the transaction of a step: the row stays locked, so nobody takes the job over before the step is kept or undone. */
export async function renewLease(db: Db, job: HeldJob): Promise<boolean> {
  const { rows } = await sql`
    update jobs set lease_until = lanyard_now() + make_interval(secs => ${JOB_LEASE_SECONDS}) where ${isHeld(job)} returning 1`.execute(db)
  return rows.length === 1
}

/** Beside the steps: one that is under way renews the lease itself and is not waited for. */
export async function signOfLife(db: Db, job: HeldJob): Promise<void> {
  await sql`
    update jobs set lease_until = lanyard_now() + make_interval(secs => ${JOB_LEASE_SECONDS})
    where tenant_id = ${job.tenantId} and id in (select id from jobs where ${isHeld(job)} for update skip locked)`.execute(db)
}

export async function reportProgress(db: Db, job: HeldJob, done: number, total: number): Promise<void> {
  await sql`update jobs set progress_done = ${done}, progress_total = ${total} where ${isHeld(job)}`.execute(db)
}

/** Not over: it waits to be run again. One that asked for it begins with all its tries. */
export async function putBack(db: Db, job: HeldJob, { afterSeconds = 0, asked = false } = {}): Promise<boolean> {
  const { rows } = await sql`
    update jobs set status = 'queued', due_at = lanyard_now() + make_interval(secs => ${afterSeconds}), lease_token = null, lease_until = null,
      attempts = case when ${asked} then 0 else attempts end
    where ${isHeld(job)} returning 1`.execute(db)
  return rows.length === 1
}

export async function endJob(db: Db, job: HeldJob, outcome: { result: unknown } | { error: string }): Promise<void> {
  const [status, result, error] =
    'error' in outcome ? ['failed', null, outcome.error] : ['done', JSON.stringify(outcome.result ?? null), null]
  await sql`
    update jobs set status = ${status}, result = ${result}::jsonb, error = ${error}, finished_at = lanyard_now(),
      progress_done = case when ${status} = 'done' then coalesce(progress_total, progress_done) else progress_done end,
      lease_token = null, lease_until = null
    where ${isHeld(job)}`.execute(db)
}
