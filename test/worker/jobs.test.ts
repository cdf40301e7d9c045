import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { enqueueJob, defineJob, type Job, RetryJobLaterError } from '../../src/kernel/jobs.ts'
import { openJobQueue } from '../../src/platform/job-queue.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { runCleanupTasks } from '../../src/surfaces/worker/cleanup.ts'
import { createQueueMessageHandler } from '../../src/surfaces/worker/worker.ts'
import { addNote, getNote } from '../support/fixture-tools/notes.ts'
import { FIXTURE_JOBS } from '../support/fixture-tools/index.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let event: EventHandle
let olga: OrganizerHandle
const at = () => ({ eventCode: event.eventCode })

/** Each test sets what the job does. */
let jobBehavior: Job<{ text: string }, unknown, 'event'>['run'] = () => Promise.resolve()
const input = z.object({ text: z.string() })
const anyNumber = defineJob({ name: 'test-any-number', scope: 'event', input, run: (job, given) => jobBehavior(job, given) })
const oneByOne = defineJob({
  name: 'test-one-by-one',
  scope: 'event',
  exclusivePerEvent: true,
  input,
  run: (job, given) => jobBehavior(job, given),
})
const jobs = [...FIXTURE_JOBS, anyNumber as Job, oneByOne as Job]

beforeAll(async () => {
  world = await newWorld()
  event = await world.event()
  olga = await world.organizer({ at: event })
  world.queue.work(createQueueMessageHandler({ ...world.services, jobs, recurring: [], externalCalls: [] }))
})
afterEach(() => world.clock.reset())
afterAll(() => world.end())

const rows = async (text: string, values: unknown[] = []) => (await world.database.pool.query<any>(text, values)).rows
const row = async (jobId: string) => (await rows('select * from jobs where id = $1', [jobId]))[0]
const statusOf = async (jobId: string) => (await row(jobId)).status as string

function enqueue(job: typeof anyNumber, text: string, place = event): Promise<{ jobId: string }> {
  const actor = { kind: 'organizer' as const, id: olga.userId, name: 'Olga Organizer', app: { id: null, name: 'Test app' } }
  return world.database.transact((db) =>
    enqueueJob({ tenantId: event.tenantId, actor, db, queue: world.queue }, job, { text }, { eventId: place.eventId }),
  )
}

/** Inserts a job without queueing it, so that the test delivers it itself. */
async function kept(job: typeof anyNumber, text: string): Promise<{ tenantId: number; jobId: string }> {
  const actor = { kind: 'organizer' as const, id: olga.userId, name: 'Olga Organizer', app: { id: null, name: 'Test app' } }
  const queue = { send: () => Promise.resolve() }
  const { jobId } = await world.database.transact((db) =>
    enqueueJob({ tenantId: event.tenantId, actor, db, queue }, job, { text }, { eventId: event.eventId }),
  )
  return { tenantId: event.tenantId, jobId }
}
const run = (job: Job<any, any, any>, where: { tenantId: number; jobId: string }) =>
  createJobRunner({ ...world.services, queue: { send: () => Promise.resolve() } })(job as Job, where)

async function ended(jobId: string) {
  await expect.poll(() => statusOf(jobId)).toMatch(/done|failed/)
  return row(jobId)
}

/** Blocks every job until it is released, and counts the concurrent ones. */
function blockJobs() {
  const running = new Map<string, string>()
  const started: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  let most = 0
  jobBehavior = async (job, { text }) => {
    running.set(job.jobId, text)
    started.push(text)
    most = Math.max(most, running.size)
    await promise
    running.delete(job.jobId)
  }
  return { running, begun: started, release: resolve, most: () => most }
}

describe('background job', () => {
  it('runs a job after the call that queued it, and reports progress and result', async () => {
    const { jobId, status } = await olga.call('fixture_start_count', { ...at(), to: 25 })
    expect(status).toBe('queued')
    await ended(jobId)
    expect(await olga.call('fixture_get_count', { ...at(), jobId })).toEqual({
      jobId,
      status: 'done',
      progress: { done: 25, total: 25 },
      result: { counted: 25 },
    })
  })

  it('does not create a job if the call that queued it was rolled back', async () => {
    const before = await rows('select count(*)::int as n from jobs')
    await expect(
      world.database.transact(async (db) => {
        await world.queue.send(db, { kind: 'job', name: 'fixture-count', tenantId: 1, jobId: 'never' })
        throw new Error('undone')
      }),
    ).rejects.toThrow('undone')
    await olga.refused('fixture_start_count', { ...at(), to: 0 })
    expect(await rows('select count(*)::int as n from jobs')).toEqual(before)
    expect(await rows(`select 1 from pgboss.job where data->>'jobId' = 'never'`)).toEqual([])
  })

  it('returns “not found” for a background job of another event', async () => {
    const { jobId } = await olga.call('fixture_start_count', { ...at(), to: 1 })
    const other = await world.event({ at: event })
    expect(await olga.refused('fixture_get_count', { eventCode: other.eventCode, jobId })).toMatchObject({ code: 'not_found' })
  })

  it('runs a job once when it is delivered twice, sequentially or concurrently', async () => {
    const where = await kept(anyNumber, 'twice')
    let runs = 0
    jobBehavior = async () => {
      runs++
      await run(anyNumber, where)
    }
    await run(anyNumber, where)
    await run(anyNumber, where)
    expect([runs, await statusOf(where.jobId)]).toEqual([1, 'done'])
    // Control: a job without a lease runs at every delivery.
    const again = await kept(anyNumber, 'twice')
    jobBehavior = async () => {
      if (runs++ > 3) return
      await rows('update jobs set lease_until = null where id = $1', [again.jobId])
      await run(anyNumber, again)
    }
    await run(anyNumber, again)
    expect(runs).toBeGreaterThan(2)
  })

  it('retries a failed job with its progress, and gives up after six attempts with a reference number and no detail', async () => {
    const where = await kept(anyNumber, 'fails')
    jobBehavior = async (job) => {
      await job.progress(1, 3)
      throw new Error('requested failure')
    }
    for (let i = 1; i < 6; i++) {
      await expect(run(anyNumber, where)).rejects.toThrow('requested failure')
      expect(await row(where.jobId)).toMatchObject({ status: 'queued', attempts: i, progress_done: 1, progress_total: 3, error: null })
    }
    await run(anyNumber, where)
    const { status, error, progress_done } = await row(where.jobId)
    expect([status, progress_done]).toEqual(['failed', 1])
    expect(error).toContain(where.jobId)
    expect(error).not.toContain('requested failure')
  })

  it('gives up a background job whose process crashes at every attempt', async () => {
    const where = await kept(anyNumber, 'kills')
    jobBehavior = () => Promise.reject(new Error('it ran'))
    await rows(`update jobs set status = 'running', attempts = 6, lease_token = 'dead', lease_until = lanyard_now() where id = $1`, [
      where.jobId,
    ])
    await run(anyNumber, where)
    expect(await statusOf(where.jobId)).toBe('failed')
  })

  it('queues a job again whenever it asks to be retried later, without counting an attempt', async () => {
    const where = await kept(anyNumber, 'waits')
    jobBehavior = () => Promise.reject(new RetryJobLaterError(600))
    for (let i = 0; i < 8; i++) {
      await run(anyNumber, where)
      expect(await row(where.jobId)).toMatchObject({ status: 'queued', attempts: 0, lease_token: null })
    }
    const [{ waits }] = await rows(`select extract(epoch from due_at - lanyard_now())::int as waits from jobs where id = $1`, [where.jobId])
    expect(waits).toBeGreaterThan(590)
  })

  it('continues a job of a killed process after its last step, and rejects later writes of the old process', async () => {
    const where = await kept(anyNumber, 'slow')
    const { promise: overtaken, resolve: overtake } = Promise.withResolvers<void>()
    let lost: unknown
    jobBehavior = async (job) => {
      await job.step((ctx) => addNote(ctx, 'by the slow process'))
      await job.progress(1, 2)
      await overtaken
      lost = await job.step((ctx) => addNote(ctx, 'too late')).catch((error: unknown) => error)
      await job.progress(2, 2)
      throw lost
    }
    const slow = run(anyNumber, where)
    await expect.poll(async () => (await row(where.jobId)).progress_done).toBe(1)
    await world.clock.advance('31 seconds')
    jobBehavior = async (job) => {
      await job.step((ctx) => addNote(ctx, 'by the next'))
      await job.progress(1, 3)
      overtake()
      await slow
      return 'ended by the next process'
    }
    await run(anyNumber, where)
    expect((lost as Error).message).toContain('taken this over')
    const texts = (await rows('select text from fixture_notes order by id')).map((note) => note.text)
    expect(texts).toEqual(expect.arrayContaining(['by the slow process', 'by the next']))
    expect(texts).not.toContain('too late')
    expect(await row(where.jobId)).toMatchObject({
      status: 'done',
      result: 'ended by the next process',
      progress_done: 3,
      progress_total: 3,
    })
  })

  it('queues a job again if the job queue lost it', async () => {
    const { jobId } = await kept(anyNumber, 'lost')
    jobBehavior = () => Promise.resolve('found')
    await world.clock.advance('59 minutes')
    await runCleanupTasks({ ...world.services, transact: world.database.transact })
    expect(await rows(`select 1 from pgboss.job where data->>'jobId' = $1`, [jobId])).toEqual([])
    await world.clock.advance('2 minutes')
    await runCleanupTasks({ ...world.services, transact: world.database.transact })
    expect(await ended(jobId)).toMatchObject({ result: 'found' })
  })
})

describe('step of a background job', () => {
  it('runs a job step with the same context as a tool call at the event, in the name of the user who started the job', async () => {
    const where = await kept(anyNumber, 'Bring lamps')
    jobBehavior = (job, { text }) =>
      job.step(async (ctx) => {
        const { event: head, client, actor, tenantCode, baseUrl } = ctx
        const note = await addNote(ctx, text)
        return { head, clientCode: client.code, actor, tenantCode, baseUrl, may: ctx.permissions.has('events.write'), note }
      })
    await run(anyNumber, where)
    const { result } = await row(where.jobId)
    expect(result).toMatchObject({
      head: { id: event.eventId, code: event.eventCode, status: 'published', timezone: 'Europe/Berlin', currency: 'EUR', testMode: true },
      clientCode: event.clientCode,
      tenantCode: event.tenantCode,
      baseUrl: world.services.baseUrl,
      actor: { kind: 'job', id: olga.userId, name: 'Olga Organizer', app: { id: null, name: 'job' } },
      may: true,
    })
    const audit = `select actor_kind, actor_id, actor_name, app_name, tool, client_id, event_id from audit_entries where targets->0->>'id' = $1`
    expect(await rows(audit, [result.note.id])).toEqual([
      {
        actor_kind: 'job',
        actor_id: olga.userId,
        actor_name: 'Olga Organizer',
        app_name: 'job',
        tool: 'test-any-number',
        client_id: event.clientId,
        event_id: event.eventId,
      },
    ])
  })

  it('writes one audit row per job step that changes something, and saves nothing of a step that throws', async () => {
    const count = async (table: string) => (await rows(`select count(*)::int as n from ${table}`))[0].n as number
    const [audits, notes] = [await count('audit_entries'), await count('fixture_notes')]
    const where = await kept(anyNumber, 'steps')
    jobBehavior = async (job) => {
      const first = await job.step(async (ctx) => {
        await addNote(ctx, 'one')
        return addNote(ctx, 'two')
      })
      await job.step((ctx) => getNote(ctx, first.id))
      const undone = job.step(async (ctx) => {
        await addNote(ctx, 'three')
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
    }
    await run(anyNumber, where)
    expect(await statusOf(where.jobId)).toBe('done')
    expect([await count('audit_entries'), await count('fixture_notes')]).toEqual([audits + 1, notes + 2])
  })
})

describe('concurrent background jobs', () => {
  it('runs four jobs per process, and starts the fifth when one ends', async () => {
    const held = blockJobs()
    const all = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((text) => enqueue(anyNumber, text)))
    await expect.poll(() => held.running.size).toBe(4)
    expect(await Promise.all(all.map(({ jobId }) => statusOf(jobId)))).toEqual(
      expect.arrayContaining(['queued', 'queued', 'running', 'running']),
    )
    held.release()
    for (const { jobId } of all) await ended(jobId)
    expect([held.most(), held.begun.length]).toEqual([4, 6])
  })

  it('runs jobs one at a time per event if the job kind requires it', async () => {
    const other = await world.event({ at: event })
    const held = blockJobs()
    const here = await Promise.all(['first', 'second', 'third'].map((text) => enqueue(oneByOne, text)))
    const there = await enqueue(oneByOne, 'there', other)
    const free = await enqueue(anyNumber, 'free')
    await expect.poll(() => held.running.size).toBe(3)
    expect([...held.running.values()]).toEqual(expect.arrayContaining(['there', 'free']))
    expect(await Promise.all(here.map(({ jobId }) => statusOf(jobId)))).toEqual(expect.arrayContaining(['running', 'queued', 'queued']))
    held.release()
    for (const { jobId } of [...here, there, free]) await ended(jobId)
    expect([held.most(), held.begun.length]).toEqual([3, 5])
  })

  it('runs jobs one at a time across several processes that claim them concurrently', async () => {
    const running = new Set<string>()
    let [most, runs] = [0, 0]
    jobBehavior = async (job) => {
      running.add(job.jobId)
      most = Math.max(most, running.size)
      await job.step((ctx) => addNote(ctx, `run ${++runs}`))
      running.delete(job.jobId)
    }
    const atOnce = async (job: typeof anyNumber) => {
      const all = await Promise.all(Array.from({ length: 8 }, () => kept(job, 'at once')))
      ;[most, runs] = [0, 0]
      // The jobs are delivered directly, because the queue would hold most of them back.
      while (runs < 8) await Promise.all(all.map((where) => run(job, where)))
      return most
    }
    expect(await atOnce(oneByOne)).toBe(1)
    expect(runs).toBe(8)
    expect(await atOnce(anyNumber), 'the control').toBeGreaterThan(1)
  })

  it('runs each job once with two queues on one database', async () => {
    const second = await openJobQueue(world.database.pool, world.services.log)
    second.work(createQueueMessageHandler({ ...world.services, jobs, recurring: [], externalCalls: [] }))
    const ran: string[] = []
    jobBehavior = (_job, { text }) => Promise.resolve(ran.push(text))
    const texts = Array.from({ length: 30 }, (_, i) => `job ${i}`)
    const all = await Promise.all(texts.map((text, i) => enqueue(i % 2 ? anyNumber : oneByOne, text)))
    for (const { jobId } of all) await ended(jobId)
    await second.stop()
    expect(ran.toSorted()).toEqual(texts.toSorted())
  })
})
