import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createConcurrencyLimit } from '../../src/platform/concurrency-limit.ts'
import { openDatabase } from '../../src/platform/database.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { TIMEOUT_FACTOR } from '../support/database.ts'
import { newAttendee, openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import type { EventHandle } from '../support/world.ts'

const POOL_SIZE = 10
const LIMITED = {
  ...WORKED_EXAMPLE,
  products: WORKED_EXAMPLE.products.map((product) => (product.code === 'pass' ? { ...product, capacity: 1000 } : product)),
}

/** The embedded database has a single connection that all events share. */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('database connections of an event on sale', () => {
  let scenario: SalesScenario
  let other: EventHandle
  beforeAll(async () => {
    scenario = await openSalesScenario(LIMITED)
    other = await scenario.world.event({ at: scenario.event })
    await scenario.register({ pass: 1 })
  })
  afterAll(() => scenario.world.end())

  /**
   * Starts more registrations than there are connections while another transaction holds the row that counts their capacity, and then a
   * call at another event. Returns whether that call was finished before the row was released.
   */
  async function callDuringSale(eventShare?: number): Promise<{ finished: boolean; registered: number }> {
    const open = await openDatabase({ url: scenario.world.url!, dataDir: '', poolSize: POOL_SIZE, timeoutFactor: TIMEOUT_FACTOR })
    const database = createDatabaseAccess(open, eventShare === undefined ? {} : { eventShare })
    const olga = scenario.world.throughDatabase(scenario.olga, database)
    const lock = await scenario.world.database.pool.connect()
    const unlock = async () => {
      await lock.query('rollback')
      lock.release()
    }
    await lock.query('begin')
    await lock.query(`select from inventory where key = 'product:pass' for update`)
    const sales = Array.from({ length: POOL_SIZE + 5 }, () =>
      olga.call('add_participant', {
        eventCode: scenario.event.eventCode,
        flowSlug: 'attendee',
        data: { ...newAttendee(), '@product.pass': 1 },
      }),
    )
    const share = Math.max(1, Math.floor(POOL_SIZE * (eventShare ?? 0.6)))
    const waitingForRow = () =>
      scenario.queryNumber(
        `select count(*)::int as figure from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    await expect
      .poll(waitingForRow)
      .toBe(share)
      .catch(async (error: Error) => {
        await unlock()
        throw error
      })
    let finished = false
    const call = olga
      .call('fixture_add_note', { eventCode: other.eventCode, text: 'not on sale' })
      .then(() => (finished = true))
      .catch(() => false)
    // Either the call ends, or it waits for a connection, which only the end of a sale can free.
    await expect.poll(() => finished || (database.pool.usage().idle === 0 && database.pool.usage().waiting > 0)).toBe(true)
    const inTime = finished
    await unlock()
    const done = await Promise.allSettled(sales)
    await call
    await database.close()
    return { finished: inTime, registered: done.filter(({ status }) => status === 'fulfilled').length }
  }

  it('leaves database connections for calls at other events while one event is on sale, and completes all of its sales', async () => {
    expect(await callDuringSale()).toEqual({ finished: true, registered: POOL_SIZE + 5 })
  })

  it('control: an event on sale takes every database connection if the share per event is not limited', async () => {
    expect(await callDuringSale(1)).toMatchObject({ finished: false })
  })
})

describe('createConcurrencyLimit', () => {
  it('runs one task per key at a time and other keys immediately, and refuses a task that waits too long', async () => {
    const limit = createConcurrencyLimit(1, 50)
    const { promise: blocked, resolve: release } = Promise.withResolvers<void>()
    const order: string[] = []
    const note = (name: string) => () => Promise.resolve(void order.push(name))
    const first = limit('a', () => blocked)
    const late = limit('a', note('never'))
    await limit('b', note('b'))
    await limit(null, note('none'))
    await expect(late).rejects.toMatchObject({ code: 'unavailable' })
    const rest = [limit('a', note('a2')), limit('a', note('a3'))]
    release()
    await Promise.all([first, ...rest])
    // A failed task also frees its slot.
    await expect(limit('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    await limit('a', note('a4'))
    expect(order).toEqual(['b', 'none', 'a2', 'a3', 'a4'])
  })
})
