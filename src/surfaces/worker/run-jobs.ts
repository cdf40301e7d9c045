import { EMBEDDED_SIGNING_PROVIDER } from '../../kernel/esign.ts'
import {
  finishJob,
  type LeasedJob,
  JOB_LEASE_SECONDS,
  requeueJob,
  renewJobLease,
  reportProgress,
  recordHeartbeat,
  startJob,
} from '../../kernel/job-lease.ts'
import { type Job, type JobRunContext, sendJobToQueue, RetryJobLaterError } from '../../kernel/jobs.ts'
import { LeaseLostError } from '../../kernel/lease.ts'
import type { AppServices } from '../services.ts'
import { runBackgroundJobStep } from './step.ts'

/** A job fails permanently after this many failed attempts. */
const MAX_ATTEMPTS = 6
const BUSY_RETRY_SECONDS = 2

/**
 * Runs a job from the queue. The queue may deliver a job twice; a job that has ended is not run again. Throws if the queue must deliver
 * it again.
 */
export function createJobRunner(services: AppServices) {
  const { database, log, queue } = services
  return async function runJob(job: Job, at: { tenantId: number; jobId: string }): Promise<void> {
    const held = await database.transact(async (db) => {
      const start = await startJob(db, at, job)
      if (typeof start === 'object' && 'busyAt' in start)
        await sendJobToQueue({ db, queue }, job, { ...at, eventId: start.busyAt }, BUSY_RETRY_SECONDS)
      return start
    })
    if (held === 'over' || 'busyAt' in held) return
    const givenUp = () => finishJob(database.write, held, { error: `The job failed and was given up; its id is ${at.jobId}` })
    if (held.attempts > MAX_ATTEMPTS) return givenUp()

    const alive = setInterval(() => void recordHeartbeat(database.write, held).catch(() => {}), (JOB_LEASE_SECONDS * 1000) / 3)
    try {
      const result = await job.run(createJobRun(services, held), job.input.parse(held.input))
      await finishJob(database.write, held, { result })
    } catch (error) {
      if (error instanceof RetryJobLaterError) return await requeueLater(services, job, held, error.seconds)
      log.error('job failed', { job: at.jobId, name: job.name, error: (error as Error).message, stack: (error as Error).stack ?? '' })
      if (error instanceof LeaseLostError) return
      if (held.attempts === MAX_ATTEMPTS) return await givenUp()
      await requeueJob(database.write, held)
      throw error
    } finally {
      clearInterval(alive)
    }
  }
}

function createJobRun(services: AppServices, held: LeasedJob): JobRunContext {
  const { database, log, fetcher, files } = services
  return {
    jobId: held.jobId,
    log,
    fetcher,
    files,
    esign: services.esign ?? EMBEDDED_SIGNING_PROVIDER,
    db: database.write,
    step: (run) =>
      runBackgroundJobStep(services, held, async (ctx) => {
        if (!(await renewJobLease(ctx.db, held))) throw new LeaseLostError()
        return run(ctx as never)
      }),
    progress: (done, total) => reportProgress(database.write, held, done, total),
  }
}

/** Updates the job's row and enqueues the retry in one transaction. */
const requeueLater = ({ database, queue }: AppServices, job: Job, held: LeasedJob, seconds: number): Promise<void> =>
  database.transact(async (db) => {
    if (await requeueJob(db, held, { afterSeconds: seconds, asked: true })) await sendJobToQueue({ db, queue }, job, held, seconds)
  })
