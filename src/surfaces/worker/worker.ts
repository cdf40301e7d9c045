import { setTimeout } from 'node:timers/promises'
import type { Job } from '../../kernel/jobs.ts'
import type { Delivery, Mailer } from '../../kernel/ports.ts'
import type { Recurring } from '../../kernel/recurring.ts'
import { bounceKeeper } from './keep-bounce.ts'
import { jobRunner } from './run-jobs.ts'
import { outsideCallRunner } from './run-outside-calls.ts'
import { slotRunner, slotWatcher } from './run-recurring.ts'
import { sendDueEmails } from './send-emails.ts'
import { webhookSender } from './send-webhooks.ts'
import type { Road } from '../road.ts'

const IDLE_MS = 1000
/** Between two looks while there is something to send: what ended meanwhile makes room for as many at once. */
const BUSY_MS = 25
/** How late recurring work may begin when the clock of the database was moved. */
const LOOK_MS = 60_000

export interface WorkerParts extends Road {
  mailer: Mailer
  mailFrom: string
  /** Mails a second. */
  mailRate: number
  jobs: readonly Job[]
  recurring: readonly Recurring[]
  work: (handle: (delivery: Delivery) => Promise<void>) => void
}

/** Does later what requests left as rows: mails, jobs, messages to integrators and calls to the outside, and what comes again by the clock. Stopping waits for what is in hand. */
export function startWorker(parts: WorkerParts): { stop: () => Promise<void> } {
  const { database, log, mailer, mailFrom, mailRate, recurring } = parts
  parts.work(deliveryHandler(parts))
  const stopping = new AbortController()
  const { signal } = stopping
  const pause = (ms: number) => setTimeout(ms, undefined, { signal }).catch(() => {})

  async function sendMails(): Promise<void> {
    const due = { pool: database.pool, mailer, log, from: mailFrom, batch: mailRate, keepBounce: bounceKeeper(parts), signal }
    while (!signal.aborted) {
      const sent = await sendDueEmails(due).catch((error: Error) => {
        log.error('outbox', { error: error.message })
        return 0
      })
      // A batch is one second's worth, so pausing a second after each keeps the rate.
      await pause(sent === 0 || mailer.transport === 'smtp' ? IDLE_MS : 0)
    }
  }

  async function watchTheClock(): Promise<void> {
    const beginDue = slotWatcher(parts, recurring)
    while (recurring.length > 0 && !signal.aborted) {
      const untilNext = await beginDue().catch((error: Error) => {
        log.error('recurring', { error: error.message })
        return LOOK_MS
      })
      await pause(Math.min(untilNext, LOOK_MS))
    }
  }

  async function sendWebhooks(): Promise<void> {
    const sender = webhookSender(parts)
    while (!signal.aborted) {
      const begun = await sender.beginDue().catch((error: Error) => {
        log.error('webhooks', { error: error.message })
        return 0
      })
      await (begun > 0 ? pause(BUSY_MS) : Promise.race([pause(IDLE_MS), sender.someEnded()]))
    }
    await sender.settled()
  }

  const loops = [sendMails(), sendWebhooks(), watchTheClock()]
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

/** By what the queue names, who sees to it. */
export function deliveryHandler(
  parts: Omit<WorkerParts, 'mailer' | 'mailFrom' | 'mailRate' | 'work'>,
): (delivery: Delivery) => Promise<void> {
  const jobs = new Map(parts.jobs.map((job) => [job.name, job]))
  const runJob = jobRunner(parts)
  const runSlot = slotRunner(parts, parts.recurring)
  const calls = outsideCallRunner(parts)
  return async (delivery) => {
    switch (delivery.kind) {
      case 'job': {
        const job = jobs.get(delivery.name)
        // Of a newer version: delivered again, it comes to a process that knows it.
        if (!job) throw new Error(`there is no job ${delivery.name}`)
        return runJob(job, delivery)
      }
      case 'slot':
        return runSlot({ name: delivery.name, slot: new Date(delivery.slot) })
      case 'outsideCall':
        return calls.deliver(delivery)
    }
  }
}
