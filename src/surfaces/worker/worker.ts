import type { Job } from '../../kernel/jobs.ts'
import type { Mailer } from '../../kernel/ports.ts'
import { jobRunner, type JobRunnerParts } from './run-jobs.ts'
import { sendDueEmails } from './send-emails.ts'
import { tidyHourly } from './tidy.ts'

const IDLE_MS = 1000

export interface WorkerParts extends JobRunnerParts {
  mailer: Mailer
  mailFrom: string
  /** Mails a second. */
  mailRate: number
  jobs: readonly Job[]
  work: (name: string, run: (at: { tenantId: number; jobId: string }, lastTry: boolean) => Promise<void>) => Promise<void>
}

/** Does later what requests left as rows: jobs and mails. Stopping waits for the mail in hand. */
export async function startWorker(parts: WorkerParts): Promise<{ stop: () => Promise<void> }> {
  const { database, log, mailer, mailFrom, mailRate, jobs, work } = parts
  const runJob = jobRunner(parts)
  for (const job of jobs) await work(job.name, (at, lastTry) => runJob(job, at, lastTry))

  const stopping = new AbortController()
  const { signal } = stopping
  let wake = () => {}
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  async function sendMails(): Promise<void> {
    while (!signal.aborted) {
      const sent = await sendDueEmails({ pool: database.pool, mailer, log, from: mailFrom, batch: mailRate, signal }).catch(
        (error: Error) => {
          log.error('outbox', { error: error.message })
          return 0
        },
      )
      // A batch is one second's worth, so pausing a second after each keeps the rate.
      if (!signal.aborted) await pause(sent === 0 || mailer.transport === 'smtp' ? IDLE_MS : 0)
    }
  }
  const mails = sendMails()
  const tidying = tidyHourly(parts)
  return {
    async stop() {
      stopping.abort()
      wake()
      await Promise.all([mails, tidying.stop()])
    },
  }
}
