import {
  endJob,
  type HeldJob,
  JOB_LEASE_SECONDS,
  putBack,
  renewLease,
  reportProgress,
  signOfLife,
  startJob,
} from '../../kernel/job-lease.ts'
import { type Job, type JobRun, sendJob, TryLater } from '../../kernel/jobs.ts'
import { LeaseLost } from '../../kernel/lease.ts'
import type { Road } from '../road.ts'
import { keepStep } from './step.ts'

/** A job that fails, or whose process dies, this many times is given up. */
const TRIES = 6
const BUSY_SECONDS = 2

/** Runs one delivery of a job. It may come twice, or again after a crash; a job that ended is left alone. Throws to be delivered again. */
export function jobRunner(road: Road) {
  const { database, log, queue } = road
  return async function runJob(job: Job, at: { tenantId: number; jobId: string }): Promise<void> {
    const held = await database.transact(async (db) => {
      const start = await startJob(db, at, job)
      if (typeof start === 'object' && 'busyAt' in start) await sendJob({ db, queue }, job, { ...at, eventId: start.busyAt }, BUSY_SECONDS)
      return start
    })
    if (held === 'over' || 'busyAt' in held) return
    const givenUp = () => endJob(database.write, held, { error: `The job failed and was given up; its number is ${at.jobId}` })
    if (held.attempts > TRIES) return givenUp()

    const alive = setInterval(() => void signOfLife(database.write, held).catch(() => {}), (JOB_LEASE_SECONDS * 1000) / 3)
    try {
      const result = await job.run(runOf(road, held), job.input.parse(held.input))
      await endJob(database.write, held, { result })
    } catch (error) {
      if (error instanceof TryLater) return await waitFor(road, job, held, error.seconds)
      log.error('job failed', { job: at.jobId, name: job.name, error: (error as Error).message, stack: (error as Error).stack ?? '' })
      if (error instanceof LeaseLost) return
      if (held.attempts === TRIES) return await givenUp()
      await putBack(database.write, held)
      throw error
    } finally {
      clearInterval(alive)
    }
  }
}

function runOf(road: Road, held: HeldJob): JobRun {
  const { database, log, fetcher, files } = road
  return {
    jobId: held.jobId,
    log,
    fetcher,
    files,
    db: database.write,
    step: (run) =>
      keepStep(road, held, async (ctx) => {
        if (!(await renewLease(ctx.db, held))) throw new LeaseLost()
        return run(ctx as never)
      }),
    progress: (done, total) => reportProgress(database.write, held, done, total),
  }
}

/** The row and the queue entry that brings it back exist together or not at all. */
const waitFor = ({ database, queue }: Road, job: Job, held: HeldJob, seconds: number): Promise<void> =>
  database.transact(async (db) => {
    if (await putBack(db, held, { afterSeconds: seconds, asked: true })) await sendJob({ db, queue }, job, held, seconds)
  })
