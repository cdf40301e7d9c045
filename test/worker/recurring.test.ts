import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { z } from 'zod'
import type { EventContext } from '../../src/kernel/context.ts'
import { defineJob, enqueueJob, type Job } from '../../src/kernel/jobs.ts'
import type { RecurringTask, RecurringTaskContext } from '../../src/kernel/recurring.ts'
import {
  createRecurringTaskRunner,
  createRecurringTaskScheduler,
  createRecurringTaskContext,
} from '../../src/surfaces/worker/run-recurring.ts'
import { runCleanupTasks } from '../../src/surfaces/worker/cleanup.ts'
import { createQueueMessageHandler } from '../../src/surfaces/worker/worker.ts'
import { soakRounds } from '../support/soak.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let doing: (given: RecurringTaskContext) => Promise<unknown>
const daily: RecurringTask = { name: 'daily', schedule: { cron: '30 7 * * *', zone: 'Europe/Berlin' }, run: (given) => doing(given) }
const often: RecurringTask = { name: 'often', schedule: { everySeconds: 300 }, run: (given) => doing(given) }

beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.end())
beforeEach(async () => {
  await world.database.pool.query('delete from recurring_slots')
  await world.database.pool.query('delete from pgboss.job')
})

const rows = async (text: string, values: unknown[] = []) => (await world.database.pool.query<any>(text, values)).rows
const on = (instant: string) => world.clock.stopAt(instant)
const watcher = (...recurring: RecurringTask[]) => createRecurringTaskScheduler(world.services, recurring)
/** The scheduled times (slots) for which a task is queued, in ascending order. */
const started = async () => (await rows(`select data->>'slot' as slot from pgboss.job order by 1`)).map((row) => row.slot as string)

describe('recurring tasks', () => {
  it('starts a recurring task at its next scheduled time in its time zone, and returns when to check again', async () => {
    const beginDue = watcher(daily)
    await on('2026-11-02T06:29:00Z')
    expect(await beginDue()).toBe(60_000)
    expect(await started()).toEqual([])
    await on('2026-11-02T06:30:00Z')
    expect(await beginDue()).toBe(24 * 3600 * 1000)
    await beginDue()
    await on('2026-11-03T06:29:59.999Z')
    await beginDue()
    expect(await started()).toEqual(['2026-11-02T06:30:00.000Z'])
  })

  it('starts a recurring task once for all scheduled times missed in an outage, however often processes start', async () => {
    await on('2026-11-02T09:00:00Z')
    await watcher(often)()
    await on('2026-11-05T17:02:00Z')
    for (let i = 0; i < 3; i++) await watcher(often)()
    expect(await started()).toEqual(['2026-11-05T17:00:00.000Z'])
  })

  it(`starts each scheduled run once in four processes whose clocks jump`, async () => {
    const slots = soakRounds(60)
    const start = Date.parse('2026-11-02T09:00:00Z')
    const at = (slot: number) => on(new Date(start + slot * 300_000 + 1234).toISOString())
    const order = Array.from({ length: slots }, (_, i) => (i % 7 === 6 ? i - 4 : i))
    let processes = Array.from({ length: 4 }, () => watcher(often))
    await at(-1)
    await processes[0]!()
    for (const [i, slot] of order.entries()) {
      await at(slot)
      // Restarts one process now and then, which forgets its state.
      if (i % 5 === 0) processes = [watcher(often), ...processes.slice(1)]
      await Promise.all(processes.map((beginDue) => beginDue()))
    }
    const expected = [...new Set(order)].toSorted((a, b) => a - b).map((slot) => new Date(start + slot * 300_000).toISOString())
    expect(await started()).toEqual(expected)
    // Control: without its row in `recurring_slots`, a scheduled run starts again.
    await rows('delete from recurring_slots where slot = $1', [expected.at(-1)])
    await watcher(often)()
    expect((await started()).length).toBe(expected.length + 1)
  })

  it('runs a recurring task at the other events if it fails at one event, and reports an error if it fails at all of them', async () => {
    const client = await world.client({ code: 'acme' })
    const due = [
      await world.event({ code: 'one', at: client }),
      await world.event({ code: 'two', at: client }),
      await world.event({ code: 'three', at: client }),
    ]
    const task = createRecurringTaskContext(world.services, 'often', new Date())
    const rename = (ctx: EventContext, { eventCode }: { eventCode: string }, ...broken: string[]) =>
      sql`update events set name = ${`${eventCode} renamed`} where tenant_id = ${ctx.tenantId} and id = ${ctx.event.id}`
        .execute(ctx.db)
        .then(() => {
          if (broken.includes(eventCode)) throw new Error('broken data')
        })
    const names = async () =>
      (await rows('select name from events where id = any($1) order by id', [due.map(({ eventId }) => eventId)])).map((row) => row.name)
    const before = await names()
    const later: string[] = []
    await task.commitEach(
      due,
      (ctx, row) => rename(ctx, row, 'one'),
      ({ eventCode }) => Promise.resolve(later.push(eventCode)),
    )
    expect(await names()).toEqual([before[0], 'two renamed', 'three renamed'])
    expect(later).toEqual(['one'])
    await expect(task.commitEach(due, (ctx, row) => rename(ctx, row, 'one', 'two', 'three'))).rejects.toThrow('broken data')
  })

  it('records and queues a scheduled run in one transaction', async () => {
    await on('2026-11-02T09:00:00Z')
    await watcher(often)()
    await on('2026-11-02T09:05:00Z')
    const broken = createRecurringTaskScheduler({ ...world.services, queue: { send: () => Promise.reject(new Error('no queue')) } }, [
      often,
    ])
    await expect(broken()).rejects.toThrow('no queue')
    await watcher(often)()
    expect(await started()).toEqual(['2026-11-02T09:05:00.000Z'])
  })

  it('runs a scheduled task once when it is delivered twice, retries a failed task, and gives up after six attempts', async () => {
    const slot = new Date('2026-11-02T09:05:00Z')
    await on('2026-11-02T09:06:00Z')
    await rows('insert into recurring_slots (name, slot) values ($1, $2)', ['often', slot])
    const run = createRecurringTaskRunner(world.services, [often])
    let runs = 0
    doing = async ({ slot: due }) => {
      expect(due).toEqual(slot)
      if (++runs < 9) await run({ name: 'often', slot })
      if (runs === 1) throw new Error('requested failure')
    }
    await expect(run({ name: 'often', slot })).rejects.toThrow('requested failure')
    await Promise.all([run({ name: 'often', slot }), run({ name: 'often', slot })])
    await run({ name: 'often', slot })
    expect(runs).toBe(2)
    await rows('update recurring_slots set done_at = null, attempts = 5')
    doing = () => Promise.reject(new Error('always'))
    await run({ name: 'often', slot })
    expect(await rows('select done_at is not null as done, attempts from recurring_slots')).toEqual([{ done: true, attempts: 6 }])
  })

  it('runs the scheduled task of a killed process in another process after the lease expires', async () => {
    const slot = new Date('2026-11-02T09:05:00Z')
    await on('2026-11-02T09:06:00Z')
    await rows(
      `insert into recurring_slots (name, slot, attempts, lease_token, lease_until)
      values ('often', $1, 1, 'dead', lanyard_now() + interval '30 seconds')`,
      [slot],
    )
    let runs = 0
    doing = () => Promise.resolve(runs++)
    const run = createRecurringTaskRunner(world.services, [often])
    await run({ name: 'often', slot })
    expect(runs).toBe(0)
    await on('2026-11-02T09:06:30Z')
    await run({ name: 'often', slot })
    expect(runs).toBe(1)
  })

  it('lets a recurring task enqueue background jobs of a tenant in the same queue', async () => {
    await world.clock.reset()
    const { tenantId } = await world.client()
    const greet = defineJob({
      name: 'greet',
      scope: 'tenant',
      input: z.object({}),
      run: (job) => job.step((ctx) => Promise.resolve(ctx.actor)),
    })
    doing = ({ transact, actor, queue }) => transact((db) => enqueueJob({ tenantId, actor, db, queue }, greet, {}, {}))
    await watcher(often)()
    await world.clock.advance('5 minutes')
    await watcher(often)()
    world.queue.work(createQueueMessageHandler({ ...world.services, jobs: [greet as Job], recurring: [often], externalCalls: [] }))
    await expect
      .poll(async () => (await rows(`select result from jobs where name = 'greet' and status = 'done'`))[0]?.result)
      .toEqual({
        kind: 'job',
        id: 'often',
        name: 'Lanyard',
        app: { id: null, name: 'job' },
      })
  })

  it('keeps records of scheduled runs for 40 days, and the last one indefinitely', async () => {
    await world.clock.reset()
    await rows(`insert into recurring_slots (name, slot) select 'rare', lanyard_now() - make_interval(days => d) from unnest(array[30, 50, 60]) d
      union all select 'yearly', lanyard_now() - make_interval(days => d) from unnest(array[300, 700]) d`)
    await runCleanupTasks({ ...world.services, transact: world.database.transact })
    expect(
      await rows(`select name, round(extract(epoch from lanyard_now() - slot) / 86400)::int as days from recurring_slots order by 1, 2`),
    ).toEqual([
      { name: 'rare', days: 30 },
      { name: 'yearly', days: 300 },
    ])
  })
})
