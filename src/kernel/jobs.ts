import { sql } from 'kysely'
import type { z } from 'zod'
import type { Db } from './columns.ts'
import type { Context } from './context.ts'
import { notFound } from './errors.ts'
import type { Fetcher } from './fetcher.ts'
import { newId } from './ids.ts'
import type { Log } from './ports.ts'
import type { Keys } from './secrets.ts'

/** What a running job is given. Each step it saves is a transaction of its own, so a job that is stopped goes on where it was. */
export interface JobRun {
  tenantId: number
  jobId: string
  keys: Keys
  log: Log
  /** The one way to addresses that somebody else chose; never inside a step. */
  fetcher: Fetcher
  transact: <T>(step: (db: Db) => Promise<T>) => Promise<T>
  /** Shown by the reading tool as `progress`. */
  progress: (done: number, total: number) => Promise<void>
}

export interface Job<Input = unknown, Result = unknown> {
  name: string
  input: z.ZodType<Input>
  /** Called again from the start after a crash: what it did before must be found and left alone. */
  run: (job: JobRun, input: Input) => Promise<Result>
}

/** Thrown by a job that has to wait for something outside: it is run again from the start after so many seconds, as often as it asks. */
export class TryLater extends Error {
  readonly seconds: number

  constructor(seconds: number) {
    super(`again in ${seconds} seconds`)
    this.seconds = seconds
  }
}

export const defineJob = <Input, Result>(job: Job<Input, Result>): Job<Input, Result> => job

/** Long work, started in the caller's transaction: the row, the queue entry and the change that asked for it commit together. */
export async function enqueueJob<Input>(
  ctx: Pick<Context, 'tenantId' | 'actor' | 'db' | 'queue'>,
  job: Job<Input, never> | Job<Input>,
  input: Input,
  at: { clientId?: string; eventId?: string } = {},
): Promise<{ jobId: string; status: 'queued' }> {
  const jobId = newId()
  await ctx.db
    .insertInto('jobs')
    .values({
      tenant_id: ctx.tenantId,
      id: jobId,
      client_id: at.clientId ?? null,
      event_id: at.eventId ?? null,
      name: job.name,
      input: JSON.stringify(input),
      created_by: ctx.actor.id,
    })
    .execute()
  await ctx.queue.send(ctx.db, job.name, { tenantId: ctx.tenantId, jobId })
  return { jobId, status: 'queued' }
}

export interface JobState {
  jobId: string
  status: 'queued' | 'running' | 'done' | 'failed'
  progress: { done: number; total: number | null }
  result: unknown
  error: string | null
}

/** How a job stands. A job of another event is as unknown as one that never was. */
export async function getJob(ctx: Context, named: { jobId: string; name: string; eventId?: string }): Promise<JobState> {
  let query = ctx.db
    .selectFrom('jobs')
    .select(['id', 'status', 'progress_done', 'progress_total', 'result', 'error'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', named.jobId)
    .where('name', '=', named.name)
  if (named.eventId) query = query.where('event_id', '=', named.eventId)
  const row = await query.executeTakeFirst()
  if (!row) throw notFound(`No job ${named.jobId} here`)
  return {
    jobId: row.id,
    status: row.status,
    progress: { done: row.progress_done, total: row.progress_total },
    result: row.result,
    error: row.error,
  }
}

/** Marks the job as running and returns its input; null when it already ended, for a queue may deliver twice. */
export async function startJob(db: Db, job: { tenantId: number; jobId: string }): Promise<{ name: string; input: unknown } | null> {
  const { rows } = await sql<{ name: string; input: unknown }>`
    update jobs set status = 'running', started_at = coalesce(started_at, lanyard_now())
    where tenant_id = ${job.tenantId} and id = ${job.jobId} and status in ('queued', 'running')
    returning name, input`.execute(db)
  return rows[0] ?? null
}

export async function endJob(
  db: Db,
  job: { tenantId: number; jobId: string },
  outcome: { result: unknown } | { error: string },
): Promise<void> {
  const [status, result, error] =
    'error' in outcome ? ['failed', null, outcome.error] : ['done', JSON.stringify(outcome.result ?? null), null]
  await sql`
    update jobs set status = ${status}, result = ${result}::jsonb, error = ${error}, finished_at = lanyard_now(),
      progress_done = case when ${status} = 'done' then coalesce(progress_total, progress_done) else progress_done end
    where tenant_id = ${job.tenantId} and id = ${job.jobId}`.execute(db)
}

export async function reportProgress(db: Db, job: { tenantId: number; jobId: string }, done: number, total: number): Promise<void> {
  await sql`
    update jobs set progress_done = ${done}, progress_total = ${total}
    where tenant_id = ${job.tenantId} and id = ${job.jobId}`.execute(db)
}
