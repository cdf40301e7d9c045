import { sql } from 'kysely'
import type { z } from 'zod'
import { toClientAndEventColumns, type BackgroundWorkContext, type BackgroundWorkScopeIds, type BackgroundWorkScope } from './background.ts'
import type { Db } from './columns.ts'
import type { Context } from './context.ts'
import type { ESignServices } from './esign.ts'
import { notFound } from './errors.ts'
import type { Fetcher } from './fetcher.ts'
import { newId } from './ids.ts'
import type { FileStore, JobQueue, Log } from './ports.ts'
import { eventDb, type EventScope, tenantDb } from './scoped-db.ts'
import { changeStateOfRows } from './states.ts'
import { JOB_STATES } from './work-states.ts'

/** What a job can use while it runs, such as its log, the file store and transactions. */
export interface JobRunContext<Scope extends BackgroundWorkScope = BackgroundWorkScope> {
  jobId: string
  log: Log
  /** Fetches URLs chosen by users or other servers. Must not be used inside `step`, where a transaction is open. */
  fetcher: Fetcher
  files: FileStore
  esign: ESignServices
  /** The database outside any transaction. For reads between steps, and for writes that must survive a failed step. */
  db: Db
  /**
   * Runs one transaction with the usual context, and writes one audit row if something changed. A stopped job resumes after its last
   * step. If another process has taken the job over, the next step throws.
   */
  step: <T>(run: (ctx: BackgroundWorkContext<Scope>) => Promise<T>) => Promise<T>
  /** Reports the job's progress, which callers who query the job see as `progress`. `total` is null if it is unknown. */
  progress: (done: number, total: number | null) => Promise<void>
}

export interface Job<Input = unknown, Result = unknown, Scope extends BackgroundWorkScope = BackgroundWorkScope> {
  name: string
  scope: Scope
  /** Whether at most one job of this kind runs per event, while the others wait. */
  exclusivePerEvent?: boolean
  input: z.ZodType<Input>
  /** Runs the job. Called again from the start after a crash, so the function must detect the work it already did. */
  run: (job: JobRunContext<Scope>, input: Input) => Promise<Result>
}

/** Thrown by a job that waits for an external system. The job runs again from the start after `seconds`, without a limit on retries. */
export class RetryJobLaterError extends Error {
  readonly seconds: number

  constructor(seconds: number) {
    super(`again in ${seconds} seconds`)
    this.seconds = seconds
  }
}

export const defineJob = <Input, Result, Scope extends BackgroundWorkScope>(job: Job<Input, Result, Scope>): Job<Input, Result, Scope> =>
  job

/** Creates a background job in the caller's transaction. The job's row and queue message exist only if that transaction commits. */
export async function enqueueJob<Input, Result, Scope extends BackgroundWorkScope>(
  ctx: Pick<Context, 'tenantId' | 'actor' | 'db' | 'queue'>,
  job: Job<Input, Result, Scope>,
  input: Input,
  at: BackgroundWorkScopeIds<Scope>,
): Promise<{ jobId: string; status: 'queued' }> {
  const jobId = newId()
  const place = toClientAndEventColumns(at)
  await ctx.db
    .insertInto('jobs')
    .values({
      tenant_id: ctx.tenantId,
      id: jobId,
      ...place,
      name: job.name,
      input: JSON.stringify(input),
      created_by: ctx.actor.id,
      created_by_name: ctx.actor.name,
    })
    .execute()
  await sendJobToQueue(ctx, job, { tenantId: ctx.tenantId, jobId, eventId: place.event_id })
  return { jobId, status: 'queued' }
}

/** Puts a job on the queue, for example again if the job has to wait. */
export function sendJobToQueue(
  { db, queue }: { db: Context['db']; queue: JobQueue },
  job: Pick<Job, 'name' | 'exclusivePerEvent'>,
  { tenantId, jobId, eventId }: { tenantId: number; jobId: string; eventId: string | null },
  afterSeconds = 0,
): Promise<void> {
  const exclusiveKey = job.exclusivePerEvent && eventId ? `${job.name} ${tenantId} ${eventId}` : undefined
  return queue.send(db, { kind: 'job', name: job.name, tenantId, jobId }, { afterSeconds, exclusiveKey })
}

/** Marks the event's queued jobs as failed, so that workers do not start them. */
export const cancelQueuedJobs = (ctx: EventScope, error: string): Promise<{ id: string; name: string }[]> =>
  changeStateOfRows(eventDb(ctx), JOB_STATES, 'failed')
    .set({ error, finished_at: sql<Date>`lanyard_now()` })
    .where('status', '=', 'queued')
    .returning(['id', 'name'])
    .execute()

export interface JobState {
  jobId: string
  status: 'queued' | 'running' | 'done' | 'failed'
  progress: { done: number; total: number | null }
  result: unknown
  error: string | null
}

/** Returns the state of a job. A job of another event is reported as not found. */
export async function getJob(ctx: Context, named: { jobId: string; name: string; eventId?: string }): Promise<JobState> {
  let query = tenantDb(ctx)
    .selectFrom('jobs')
    .select(['id', 'status', 'progress_done', 'progress_total', 'result', 'error'])
    .where('id', '=', named.jobId)
    .where('name', '=', named.name)
  if (named.eventId) query = query.where('event_id', '=', named.eventId)
  const row = await query.executeTakeFirst()
  if (!row) throw notFound(`No job ${named.jobId} at this event or client`)
  return {
    jobId: row.id,
    status: row.status,
    progress: { done: row.progress_done, total: row.progress_total },
    result: row.result,
    error: row.error,
  }
}
