import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineExternalCall, type ExternalCall, scheduleExternalCall, makeExternalCallDueNow } from '../../src/kernel/external-calls.ts'
import { defineJob, enqueueJob, type Job } from '../../src/kernel/jobs.ts'
import type { RecurringTask } from '../../src/kernel/recurring.ts'
import { claimRecurringTaskSlot } from '../../src/kernel/recurring-slots.ts'
import { type WorkerConcurrencyLimit, WORKER_CONCURRENCY_LIMITS, openJobQueue } from '../../src/platform/job-queue.ts'
import { createMailboxMailer } from '../../src/platform/mailer.ts'
import { startWorker } from '../../src/surfaces/worker/worker.ts'
import { openPaymentScenario, type PaymentScenario } from '../support/payment-scenario.ts'

const slotsOf = (kind: WorkerConcurrencyLimit['kinds'][number]) =>
  WORKER_CONCURRENCY_LIMITS.find(({ kinds }) => kinds.includes(kind))!.slots
const ONE_LANE: readonly WorkerConcurrencyLimit[] = [{ kinds: ['job', 'slot', 'outsideCall', 'signingCall'], slots: slotsOf('job') }]

let scenario: PaymentScenario
beforeAll(async () => void (scenario = await openPaymentScenario()))
afterAll(() => scenario.end())

/** A worker in whose process long jobs, tasks and external calls run until they are released. */
async function startBlockedWorker(lanes?: readonly WorkerConcurrencyLimit[]) {
  const { services, database } = scenario.sales.world
  const { tenantId, eventId } = scenario.sales.event
  const running = { job: 0, slot: 0, signingCall: 0 }
  const { promise, resolve } = Promise.withResolvers<void>()
  const runUntilReleased = async (kind: keyof typeof running, waits: boolean) => {
    running[kind]++
    if (waits) await promise
  }
  const input = z.object({ waits: z.boolean() })
  const job = defineJob({ name: 'test-long', scope: 'event', input, run: (_, { waits }) => runUntilReleased('job', waits) })
  const call = defineExternalCall({
    kind: 'docusign-test-long',
    scope: 'event',
    input,
    answer: z.object({}),
    call: async (_, { waits }) => {
      await runUntilReleased('signingCall', waits)
      return {}
    },
    settle: () => Promise.resolve(null),
    giveUp: () => Promise.resolve(null),
  })
  const tasks: RecurringTask[] = Array.from({ length: slotsOf('slot') }, (_, at) => ({
    name: `test-long-${at}`,
    schedule: { everySeconds: 3600 },
    run: () => runUntilReleased('slot', true),
  }))
  const queue = await openJobQueue(database.pool, services.log)
  const actor = { kind: 'job' as const, id: 'test', name: 'Test', app: { id: null, name: 'job' } }
  const externalCalls = [...services.externalCalls, call as unknown as ExternalCall]
  const worker = startWorker({
    ...services,
    queue,
    externalCalls,
    jobs: [job as Job],
    recurring: tasks,
    mailer: createMailboxMailer(),
    mailFrom: 'no-reply@example.org',
    mailRate: 10,
    work: (handle) => queue.work(handle, lanes),
  })
  return {
    running,
    enqueueJobs: (count: number, { waits = true } = {}) =>
      database.transact(async (db) => {
        for (let i = 0; i < count; i++) await enqueueJob({ tenantId, actor, db, queue }, job, { waits }, { eventId })
      }),
    enqueueCalls: (count: number) =>
      database.transact(async (db) => {
        for (let i = 0; i < count; i++) await scheduleExternalCall({ tenantId, actor, db, queue }, call, { waits: true }, { eventId })
      }),
    enqueueTasks: () =>
      database.transact(async (db) => {
        const slot = new Date('2026-04-10T09:00:00Z')
        for (const { name } of tasks) {
          // The first slot of a new task counts as done.
          await claimRecurringTaskSlot(db, { name, slot: new Date('2026-04-10T08:00:00Z') })
          await claimRecurringTaskSlot(db, { name, slot })
          await queue.send(db, { kind: 'slot', name, slot: slot.toISOString() })
        }
      }),
    /** A participant pays, and the payment processor's notice wakes the charge. */
    async pay() {
      const { participantId, chargeId, callId } = await scenario.openPaymentPage({ pass: 1 })
      scenario.stripe.pay(chargeId)
      await database.transact((db) => makeExternalCallDueNow({ tenantId, db, queue }, callId))
      return participantId
    },
    async stop() {
      resolve()
      await worker.stop()
      await queue.stop()
    },
    release: resolve,
  }
}

const sentEmails = async (participantId: string) =>
  (
    await scenario.rows(
      `select m.status from messages m join participants p on p.id = $1 and m.to_address = p.email where m.email_code = 'registration.completed'`,
      [participantId],
    )
  ).map(({ status }) => status as string)

describe('worker lanes (separate slots for kinds of work)', () => {
  it('records a payment and sends its email while all worker slots for jobs and recurring tasks are taken', async () => {
    const worker = await startBlockedWorker()
    await worker.enqueueJobs(slotsOf('job') + 1)
    await worker.enqueueTasks()
    await expect.poll(() => worker.running).toEqual({ job: slotsOf('job'), slot: slotsOf('slot'), signingCall: 0 })
    const participantId = await worker.pay()
    await expect.poll(() => scenario.statusOf(participantId)).toBe('complete')
    await expect.poll(() => sentEmails(participantId)).toEqual(['sent'])
    expect(worker.running.job, 'the job that has no slot still waits').toBe(slotsOf('job'))
    await worker.stop()
  })

  it('runs jobs and records a payment while slow signing calls occupy all their worker slots', async () => {
    const worker = await startBlockedWorker()
    await worker.enqueueCalls(slotsOf('signingCall') + 1)
    await expect.poll(() => worker.running.signingCall).toBe(slotsOf('signingCall'))
    await worker.enqueueJobs(1, { waits: false })
    await expect.poll(() => worker.running.job).toBeGreaterThan(0)
    const participantId = await worker.pay()
    await expect.poll(() => scenario.statusOf(participantId)).toBe('complete')
    expect(worker.running.signingCall, 'the call that has no slot still waits').toBe(slotsOf('signingCall'))
    await worker.stop()
  })

  it('control: a payment waits behind long jobs if all work shares one worker lane', async () => {
    const worker = await startBlockedWorker(ONE_LANE)
    await worker.enqueueJobs(slotsOf('job'))
    await expect.poll(() => worker.running.job).toBe(slotsOf('job'))
    const participantId = await worker.pay()
    // The worker's other loops run on: an email that is already in the outbox is sent.
    const { participant } = await scenario.sales.register({ pass: 1 })
    await scenario.sales.call('resend_participant_confirmation', { participantId: participant.id })
    await expect.poll(async () => (await sentEmails(participant.id)).includes('sent')).toBe(true)
    expect([await scenario.statusOf(participantId), await sentEmails(participantId)]).toEqual(['incomplete', []])
    worker.release()
    await expect.poll(() => scenario.statusOf(participantId)).toBe('complete')
    await worker.stop()
  })

  it('control: a payment waits behind signing if all external calls share one worker lane', async () => {
    const worker = await startBlockedWorker([{ kinds: ['outsideCall', 'signingCall'], slots: slotsOf('outsideCall') }])
    await worker.enqueueCalls(slotsOf('outsideCall'))
    await expect.poll(() => worker.running.signingCall).toBe(slotsOf('outsideCall'))
    const participantId = await worker.pay()
    const { participant } = await scenario.sales.register({ pass: 1 })
    await scenario.sales.call('resend_participant_confirmation', { participantId: participant.id })
    await expect.poll(async () => (await sentEmails(participant.id)).includes('sent')).toBe(true)
    expect(await scenario.statusOf(participantId)).toBe('incomplete')
    worker.release()
    await expect.poll(() => scenario.statusOf(participantId)).toBe('complete')
    await worker.stop()
  })
})
