import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import type { Job } from '../../kernel/jobs.ts'
import type { QueueMessage, Mailer } from '../../kernel/ports.ts'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { createBounceSaver } from './save-bounce.ts'
import { createJobRunner } from './run-jobs.ts'
import { createExternalCallRunner } from './run-external-calls.ts'
import { createRecurringTaskRunner, createRecurringTaskScheduler } from './run-recurring.ts'
import { sendEmailBatch } from './send-emails.ts'
import { createWebhookSender } from './send-webhooks.ts'
import type { AppServices } from '../services.ts'

const IDLE_MS = 1000
/** Delay between batches of webhook deliveries, so that several running deliveries end and can be replaced together. */
const BUSY_MS = 25
/** Number of emails claimed together: few enough that a sign-in code does not wait long behind a batch of others. */
const MAX_EMAIL_BATCH = 50
/** Maximum time between two checks for due recurring tasks, so that none is late for longer if the database's clock is changed. */
const MAX_SLOT_CHECK_MS = 60_000

export interface WorkerDependencies extends AppServices {
  mailer: Mailer
  mailFrom: string
  /** Maximum number of emails per second. */
  mailRate: number
  jobs: readonly Job[]
  recurring: readonly RecurringTask[]
  work: (handle: (delivery: QueueMessage) => Promise<void>) => void
}

/**
 * Processes the work that requests queued in the database: emails, jobs, webhook messages, external calls, and recurring tasks. Stopping
 * waits for work in progress.
 */
export function startWorker(parts: WorkerDependencies): { stop: () => Promise<void> } {
  const { database, log, mailer, mailFrom, mailRate, recurring } = parts
  parts.work(createQueueMessageHandler(parts))
  const stopping = new AbortController()
  const { signal } = stopping
  const pause = (ms: number) => setTimeout(ms, undefined, { signal }).catch(() => {})

  async function sendEmails(): Promise<void> {
    const batch = Math.min(mailRate, MAX_EMAIL_BATCH)
    const due = { pool: database.pool, mailer, log, from: mailFrom, batch, saveBounce: createBounceSaver(parts), signal }
    while (!signal.aborted) {
      const started = performance.now()
      const sent = await sendEmailBatch(due).catch((error: Error) => {
        log.error('outbox', { error: error.message })
        return 0
      })
      // The pause limits the number of emails per second. It is shortened by the time that sending the batch took.
      const paced = mailer.transport === 'smtp' ? (sent / mailRate) * 1000 - (performance.now() - started) : 0
      await pause(sent === 0 ? IDLE_MS : Math.max(0, paced))
    }
  }

  async function runRecurringTasks(): Promise<void> {
    const beginDue = createRecurringTaskScheduler(parts, recurring)
    while (recurring.length > 0 && !signal.aborted) {
      const untilNext = await beginDue().catch((error: Error) => {
        log.error('recurring', { error: error.message })
        return MAX_SLOT_CHECK_MS
      })
      await pause(Math.min(untilNext, MAX_SLOT_CHECK_MS))
    }
  }

  async function sendWebhooks(): Promise<void> {
    const sender = createWebhookSender(parts)
    while (!signal.aborted) {
      const begun = await sender.beginDue().catch((error: Error) => {
        log.error('webhooks', { error: error.message })
        return 0
      })
      await (begun > 0 ? pause(BUSY_MS) : Promise.race([pause(IDLE_MS), sender.anyEnded()]))
    }
    await sender.settled()
  }

  const loops = [sendEmails(), sendWebhooks(), runRecurringTasks()]
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

/** Dispatches a queue delivery to its handler. */
export function createQueueMessageHandler(
  parts: Omit<WorkerDependencies, 'mailer' | 'mailFrom' | 'mailRate' | 'work'>,
): (delivery: QueueMessage) => Promise<void> {
  const jobs = new Map(parts.jobs.map((job) => [job.name, job]))
  const runJob = createJobRunner(parts)
  const runSlot = createRecurringTaskRunner(parts, parts.recurring)
  const calls = createExternalCallRunner(parts)
  return async (delivery) => {
    switch (delivery.kind) {
      case 'job': {
        const job = jobs.get(delivery.name)
        // The job may belong to a newer software version. The queue delivers it again, until a process of that version receives it.
        if (!job) throw new Error(`there is no job ${delivery.name}`)
        return runJob(job, delivery)
      }
      case 'slot':
        return runSlot({ name: delivery.name, slot: new Date(delivery.slot) })
      case 'outsideCall':
      case 'signingCall':
        return calls.deliver(delivery)
    }
  }
}
