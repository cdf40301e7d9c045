import type { z } from 'zod'
import { placeColumns, type WorkContext, type WorkPlace, type WorkScope } from './background.ts'
import type { Db } from './columns.ts'
import type { Context } from './context.ts'
import { notFound } from './errors.ts'
import type { Fetcher } from './fetcher.ts'
import { newId } from './ids.ts'
import type { FileStore, JobQueue, Log } from './ports.ts'

/** What a running job is given. */
export interface JobRun<Scope extends WorkScope = WorkScope> {
  jobId: string
  log: Log
  /** The one way to addresses that somebody else chose; never inside a step. */
  fetcher: Fetcher
  files: FileStore
  /** In no transaction: each statement stands for itself. For what must outlive a step that fails, and for reading between steps. */
  db: Db
  /**
   * One transaction with what every domain function is given, and one audit row when something changed. A job that is stopped goes on
   * after its last step; a job that another process has taken over since is refused the next one.
   */
  step: <T>(run: (ctx: WorkContext<Scope>) => Promise<T>) => Promise<T>
  /** Shown by the reading tool as `progress`. */
  progress: (done: number, total: number) => Promise<void>
}

export interface Job<Input = unknown, Result = unknown, Scope extends WorkScope = WorkScope> {
  name: string
  scope: Scope
  /** Of those at one event, one runs at a time; the others wait their turn. */
  oneAtATime?: boolean
  input: z.ZodType<Input>
  /** Called again from the start after a crash: what it did before must be found and left alone. */
  run: (job: JobRun<Scope>, input: Input) => Promise<Result>
}

/** Thrown by a job that has to wait for something outside: it is run again from the start after so many seconds, as often as it asks. */
export class TryLater extends Error {
  readonly seconds: number

  constructor(seconds: number) {
    super(`again in ${seconds} seconds`)
    this.seconds = seconds
  }
}

export const defineJob = <Input, Result, Scope extends WorkScope>(job: Job<Input, Result, Scope>): Job<Input, Result, Scope> => job

/** Long work, started in the caller's transaction: the row, the queue entry and the change that asked for it commit together. */
export async function enqueueJob<Input, Result, Scope extends WorkScope>(
  ctx: Pick<Context, 'tenantId' | 'actor' | 'db' | 'queue'>,
  job: Job<Input, Result, Scope>,
  input: Input,
  at: WorkPlace<Scope>,
): Promise<{ jobId: string; status: 'queued' }> {
  const jobId = newId()
  const place = placeColumns(at)
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
  await sendJob(ctx, job, { tenantId: ctx.tenantId, jobId, eventId: place.event_id })
  return { jobId, status: 'queued' }
}

/** Puts a job on the queue, again when it has to wait. */
export function sendJob(
  { db, queue }: { db: Context['db']; queue: JobQueue },
  job: Pick<Job, 'name' | 'oneAtATime'>,
  { tenantId, jobId, eventId }: { tenantId: number; jobId: string; eventId: string | null },
  afterSeconds = 0,
): Promise<void> {
  const turn = job.oneAtATime && eventId ? `${job.name} ${tenantId} ${eventId}` : undefined
  return queue.send(db, { kind: 'job', name: job.name, tenantId, jobId }, { afterSeconds, turn })
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
