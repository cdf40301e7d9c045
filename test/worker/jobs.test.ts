import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { FIXTURE_JOBS } from '../support/fixture-tools/index.ts'
import { type EventPlace, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let event: EventPlace
let olga: OrganizerHandle
const at = () => ({ eventCode: event.eventCode })

beforeAll(async () => {
  world = await newWorld()
  event = await world.event()
  olga = await world.organizer({ at: event })
  const run = jobRunner(world.road)
  for (const job of FIXTURE_JOBS) await world.queue.work(job.name, (payload, lastTry) => run(job, payload, lastTry))
})
afterAll(() => world.end())

async function ended(jobId: string) {
  for (let i = 0; i < 1000; i++) {
    const state = await olga.call('fixture_get_count', { ...at(), jobId })
    if (state.status === 'done' || state.status === 'failed') return state
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the job did not end')
}

describe('a job', () => {
  it('is queued by the call, runs later, and tells its progress and result', async () => {
    const { jobId, status } = await olga.call('fixture_start_count', { ...at(), to: 25 })
    expect(status).toBe('queued')
    expect(await ended(jobId)).toEqual({ jobId, status: 'done', progress: { done: 25, total: 25 }, result: { counted: 25 }, error: null })
  })

  it('does not exist when the call that asked for it did not commit', async () => {
    const { rows } = await world.database.pool.query<{ n: number }>('select count(*)::int as n from jobs')
    await expect(
      world.database.transact(async (db) => {
        await world.queue.send(db, FIXTURE_JOBS[0]!.name, { tenantId: 1, jobId: 'never' })
        throw new Error('undone')
      }),
    ).rejects.toThrow('undone')
    await olga.refused('fixture_start_count', { ...at(), to: 0 })
    expect((await world.database.pool.query<{ n: number }>('select count(*)::int as n from jobs')).rows).toEqual(rows)
    const queued = await world.database.pool.query<{ n: number }>(
      `select count(*)::int as n from pgboss.job where data->>'jobId' = 'never'`,
    )
    expect(queued.rows[0]!.n).toBe(0)
  })

  it('is unknown at another event', async () => {
    const { jobId } = await olga.call('fixture_start_count', { ...at(), to: 1 })
    const other = await world.event({ at: event })
    expect(await olga.refused('fixture_get_count', { eventCode: other.eventCode, jobId })).toMatchObject({ code: 'not_found' })
  })

  it('delivered twice is run once', async () => {
    const { jobId } = await olga.call('fixture_start_count', { ...at(), to: 3 })
    await ended(jobId)
    let ran = false
    const run = jobRunner(world.road)
    await run({ ...FIXTURE_JOBS[0]!, run: () => Promise.resolve((ran = true)) }, { tenantId: event.tenantId, jobId }, false)
    expect(ran).toBe(false)
  })

  it('that fails to the last is given up, with a number and no detail', async () => {
    const { jobId } = await olga.call('fixture_start_count', { ...at(), to: 3, failAt: 2 })
    const run = jobRunner(world.road)
    await expect(run(FIXTURE_JOBS[0]!, { tenantId: event.tenantId, jobId }, true)).rejects.toThrow('told to fail')
    const state = await ended(jobId)
    expect(state).toMatchObject({ status: 'failed', progress: { done: 1, total: 3 } })
    expect(state.error).toContain(jobId)
    expect(state.error).not.toContain('told to fail')
  })
})
