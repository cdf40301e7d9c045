import type { Fetcher } from '../../kernel/fetcher.ts'
import { endJob, type Job, type JobRun, reportProgress, startJob, TryLater } from '../../kernel/jobs.ts'
import type { Database, JobQueue, Log } from '../../kernel/ports.ts'
import type { Keys } from '../../kernel/secrets.ts'

export interface JobRunnerParts {
  database: Database
  keys: Keys
  log: Log
  fetcher: Fetcher
  queue: JobQueue
}

/** Runs one delivery of a job. It may come twice, or again after a crash; a job that ended is left alone. */
export function jobRunner({ database, keys, log, fetcher, queue }: JobRunnerParts) {
  return async function runJob(job: Job, at: { tenantId: number; jobId: string }, lastTry: boolean): Promise<void> {
    const started = await startJob(database.write, at)
    if (!started) return
    const given: JobRun = {
      ...at,
      keys,
      log,
      fetcher,
      transact: database.transact,
      progress: (done, total) => reportProgress(database.write, at, done, total),
    }
    try {
      const result = await job.run(given, job.input.parse(started.input))
      await endJob(database.write, at, { result })
    } catch (error) {
      if (error instanceof TryLater) return queue.send(database.write, job.name, at, { afterSeconds: error.seconds })
      log.error('job failed', { job: at.jobId, name: job.name, error: (error as Error).message, stack: (error as Error).stack ?? '' })
      if (lastTry) await endJob(database.write, at, { error: `The job failed and was given up; its number is ${at.jobId}` })
      throw error
    }
  }
}
