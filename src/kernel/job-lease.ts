import { sql } from 'kysely'
import type { Db } from './columns.ts'
import type { Job } from './jobs.ts'
import { newLeaseToken } from './lease.ts'
import { JOB_STATES } from './work-states.ts'

const RUNNING = JOB_STATES.move('queued', 'running')
const REQUEUED = JOB_STATES.move(RUNNING, 'queued')
const FAILED = JOB_STATES.move(RUNNING, 'failed')
const DONE = JOB_STATES.move(RUNNING, 'done')

/** A job that this process has leased. The functions that take a leased job have no effect after the lease was lost. */
export interface LeasedJob {
  tenantId: number
  jobId: string
  lease: string
  name: string
  input: unknown
  /** Number of attempts, including the current one. */
  attempts: number
  clientId: string | null
  eventId: string | null
  startedBy: { id: string; name: string }
}

/**
 * The result of an attempt to start a job. `over`: the job has already ended, because a queue may deliver twice. `busyAt`: another worker
 * runs this job, or runs another exclusive job of this kind at that event.
 */
export type JobStartResult = LeasedJob | 'over' | { busyAt: string | null }

/** A job counts as crashed after this many seconds without a heartbeat. Every step renews the lease, and a timer does so in between. */
export const JOB_LEASE_SECONDS = 30

/** Leases a job for this process. Runs in a transaction of its own. */
export async function startJob(
  db: Db,
  { tenantId, jobId }: { tenantId: number; jobId: string },
  { exclusivePerEvent = false }: Job,
): Promise<JobStartResult> {
  if (exclusivePerEvent) {
    // Locks this kind of job at the event, because two jobs that start at the same moment would not see each other.
    await sql`select pg_advisory_xact_lock(hashtextextended(format('job %s %s %s', tenant_id, event_id, name), 0))
      from jobs where tenant_id = ${tenantId} and id = ${jobId}`.execute(db)
  }
  const lease = newLeaseToken()
  const { rows } = await sql<Omit<LeasedJob, 'startedBy'> & { createdBy: string; createdByName: string }>`
    update jobs j set status = ${RUNNING}, started_at = coalesce(started_at, lanyard_now()), attempts = attempts + 1,
      lease_token = ${lease}, lease_until = lanyard_now() + make_interval(secs => ${JOB_LEASE_SECONDS})
    where tenant_id = ${tenantId} and id = ${jobId} and status in ('queued', 'running')
      and (lease_until is null or lease_until <= lanyard_now())
      and not (${exclusivePerEvent} and exists (
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

const isHeld = ({ tenantId, jobId, lease }: LeasedJob) => sql`tenant_id = ${tenantId} and id = ${jobId} and lease_token = ${lease}`

/**
 * Renews the lease in the transaction of a step. The row stays locked, so no other worker takes the job over before the step commits or
 * rolls back.
 */
export async function renewJobLease(db: Db, job: LeasedJob): Promise<boolean> {
  const { rows } = await sql`
    update jobs set lease_until = lanyard_now() + make_interval(secs => ${JOB_LEASE_SECONDS}) where ${isHeld(job)} returning 1`.execute(db)
  return rows.length === 1
}

/** Renews the lease by a timer while the steps of the job run. Uses SKIP LOCKED, because a step in progress renews the lease itself. */
export async function recordHeartbeat(db: Db, job: LeasedJob): Promise<void> {
  await sql`
    update jobs set lease_until = lanyard_now() + make_interval(secs => ${JOB_LEASE_SECONDS})
    where tenant_id = ${job.tenantId} and id in (select id from jobs where ${isHeld(job)} for update skip locked)`.execute(db)
}

export async function reportProgress(db: Db, job: LeasedJob, done: number, total: number | null): Promise<void> {
  await sql`update jobs set progress_done = ${done}, progress_total = ${total} where ${isHeld(job)}`.execute(db)
}

/** Queues the job again. If the job itself asked to be retried later, the count of its attempts starts again at zero. */
export async function requeueJob(db: Db, job: LeasedJob, { afterSeconds = 0, asked = false } = {}): Promise<boolean> {
  const { rows } = await sql`
    update jobs set status = ${REQUEUED}, due_at = lanyard_now() + make_interval(secs => ${afterSeconds}), lease_token = null, lease_until = null,
      attempts = case when ${asked} then 0 else attempts end
    where ${isHeld(job)} returning 1`.execute(db)
  return rows.length === 1
}

export async function finishJob(db: Db, job: LeasedJob, outcome: { result: unknown } | { error: string }): Promise<void> {
  const [status, result, error] = 'error' in outcome ? [FAILED, null, outcome.error] : [DONE, JSON.stringify(outcome.result ?? null), null]
  await sql`
    update jobs set status = ${status}, result = ${result}::jsonb, error = ${error}, finished_at = lanyard_now(),
      progress_done = case when ${status === DONE} then coalesce(progress_total, progress_done) else progress_done end,
      lease_token = null, lease_until = null
    where ${isHeld(job)}`.execute(db)
}
