import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineJob, enqueueJob, type Job } from '../../src/kernel/jobs.ts'
import type { Recurring, RecurringRun } from '../../src/kernel/recurring.ts'
import { slotRunner, slotWatcher } from '../../src/surfaces/worker/run-recurring.ts'
import { tidyAll } from '../../src/surfaces/worker/tidy.ts'
import { deliveryHandler } from '../../src/surfaces/worker/worker.ts'
import { times } from '../support/soak.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let doing: (given: RecurringRun) => Promise<unknown>
const daily: Recurring = { name: 'daily', schedule: { cron: '30 7 * * *', zone: 'Europe/Berlin' }, run: (given) => doing(given) }
const often: Recurring = { name: 'often', schedule: { everySeconds: 300 }, run: (given) => doing(given) }

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
const watcher = (...recurring: Recurring[]) => slotWatcher(world.road, recurring)
/** What was put on the queue, in the order of time. */
const begun = async () => (await rows(`select data->>'slot' as slot from pgboss.job order by 1`)).map((row) => row.slot as string)

describe('recurring work', () => {
  it('begins in the zone it names, first at the next slot, and says when to look again', async () => {
    const beginDue = watcher(daily)
    await on('2026-11-02T06:29:00Z')
    expect(await beginDue()).toBe(60_000)
    expect(await begun()).toEqual([])
    await on('2026-11-02T06:30:00Z')
    expect(await beginDue()).toBe(24 * 3600 * 1000)
    await beginDue()
    await on('2026-11-03T06:29:59.999Z')
    await beginDue()
    expect(await begun()).toEqual(['2026-11-02T06:30:00.000Z'])
  })

  it('begins once for all that was missed in an outage, and once however often processes start', async () => {
    await on('2026-11-02T09:00:00Z')
    await watcher(often)()
    await on('2026-11-05T17:02:00Z')
    for (let i = 0; i < 3; i++) await watcher(often)()
    expect(await begun()).toEqual(['2026-11-05T17:00:00.000Z'])
  })

  it(`begins each slot once in four processes whose clock jumps`, async () => {
    const slots = times(60)
    const start = Date.parse('2026-11-02T09:00:00Z')
    const at = (slot: number) => on(new Date(start + slot * 300_000 + 1234).toISOString())
    const order = Array.from({ length: slots }, (_, i) => (i % 7 === 6 ? i - 4 : i))
    let processes = Array.from({ length: 4 }, () => watcher(often))
    await at(-1)
    await processes[0]!()
    for (const [i, slot] of order.entries()) {
      await at(slot)
      // One is started anew now and then, and remembers nothing.
      if (i % 5 === 0) processes = [watcher(often), ...processes.slice(1)]
      await Promise.all(processes.map((beginDue) => beginDue()))
    }
    const expected = [...new Set(order)].toSorted((a, b) => a - b).map((slot) => new Date(start + slot * 300_000).toISOString())
    expect(await begun()).toEqual(expected)
    // The control: without its row a slot begins again.
    await rows('delete from recurring_slots where slot = $1', [expected.at(-1)])
    await watcher(often)()
    expect((await begun()).length).toBe(expected.length + 1)
  })

  it('is written down and put on the queue together', async () => {
    await on('2026-11-02T09:00:00Z')
    await watcher(often)()
    await on('2026-11-02T09:05:00Z')
    const broken = slotWatcher({ ...world.road, queue: { send: () => Promise.reject(new Error('no queue')) } }, [often])
    await expect(broken()).rejects.toThrow('no queue')
    await watcher(often)()
    expect(await begun()).toEqual(['2026-11-02T09:05:00.000Z'])
  })

  it('runs once when it is delivered twice, again when it failed, and is given up after six tries', async () => {
    const slot = new Date('2026-11-02T09:05:00Z')
    await on('2026-11-02T09:06:00Z')
    await rows('insert into recurring_slots (name, slot) values ($1, $2)', ['often', slot])
    const run = slotRunner(world.road, [often])
    let runs = 0
    doing = async ({ slot: due }) => {
      expect(due).toEqual(slot)
      if (++runs < 9) await run({ name: 'often', slot })
      if (runs === 1) throw new Error('told to fail')
    }
    await expect(run({ name: 'often', slot })).rejects.toThrow('told to fail')
    await Promise.all([run({ name: 'often', slot }), run({ name: 'often', slot })])
    await run({ name: 'often', slot })
    expect(runs).toBe(2)
    await rows('update recurring_slots set done_at = null, attempts = 5')
    doing = () => Promise.reject(new Error('always'))
    await run({ name: 'often', slot })
    expect(await rows('select done_at is not null as done, attempts from recurring_slots')).toEqual([{ done: true, attempts: 6 }])
  })

  it('of a process that died is run by another when its time is over', async () => {
    const slot = new Date('2026-11-02T09:05:00Z')
    await on('2026-11-02T09:06:00Z')
    await rows(
      `insert into recurring_slots (name, slot, attempts, lease_token, lease_until)
      values ('often', $1, 1, 'dead', lanyard_now() + interval '30 seconds')`,
      [slot],
    )
    let runs = 0
    doing = () => Promise.resolve(runs++)
    const run = slotRunner(world.road, [often])
    await run({ name: 'often', slot })
    expect(runs).toBe(0)
    await on('2026-11-02T09:06:30Z')
    await run({ name: 'often', slot })
    expect(runs).toBe(1)
  })

  it('starts jobs in the tenants, through the one queue', async () => {
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
    world.queue.work(deliveryHandler({ ...world.road, jobs: [greet as Job], recurring: [often], outsideCalls: [] }))
    await expect
      .poll(async () => (await rows(`select result from jobs where name = 'greet' and status = 'done'`))[0]?.result)
      .toEqual({
        kind: 'job',
        id: 'often',
        name: 'Lanyard',
        app: { id: null, name: 'job' },
      })
  })

  it('is remembered for 40 days, and its last slot for good', async () => {
    await world.clock.reset()
    await rows(`insert into recurring_slots (name, slot) select 'rare', lanyard_now() - make_interval(days => d) from unnest(array[30, 50, 60]) d
      union all select 'yearly', lanyard_now() - make_interval(days => d) from unnest(array[300, 700]) d`)
    await tidyAll({ ...world.road, transact: world.database.transact })
    expect(
      await rows(`select name, round(extract(epoch from lanyard_now() - slot) / 86400)::int as days from recurring_slots order by 1, 2`),
    ).toEqual([
      { name: 'rare', days: 30 },
      { name: 'yearly', days: 300 },
    ])
  })
})
