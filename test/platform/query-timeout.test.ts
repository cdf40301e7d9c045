import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executeStatement } from '../../src/domains/figures/query/execute.ts'
import { createRegistrationFixtures } from '../support/registrations.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

const server = process.env['TEST_DATABASE_URL']

/** A condition on a text calls the function below for each row. */
const SLOW_QUERY = { entity: 'participant', filter: { field: 'company', op: 'equals', value: 'Acme' } }
const FAST_QUERY = { entity: 'participant', groupBy: ['status'] }
const TAKES_A_MINUTE = `
  create or replace function lanyard_fold_text(value text) returns text language plpgsql immutable parallel safe as $$
  begin
    perform pg_sleep(60);
    return lower(value);
  end $$`

// The embedded database has one connection and no time limit for statements.
describe.skipIf(server === undefined)('a query of a report that would run for a minute on PostgreSQL', () => {
  let world: World
  let event: EventHandle
  let olga: OrganizerHandle
  const query = (args: object) => olga.call('query_data', { eventCode: event.eventCode, ...args })

  beforeAll(async () => {
    // A database of its own, because the slow function replaces one of the schema.
    world = await newWorld({ untouched: true })
    event = await world.event()
    olga = await world.organizer({ at: event })
    await createRegistrationFixtures(world, event).person({ last_name: 'Slow', company: 'Acme' })
    await world.database.pool.query(TAKES_A_MINUTE)
  })
  afterAll(() => world.end())

  /** The connections of this database with what they run. */
  const listBackends = async () =>
    (
      await world.database.pool.query<{ pid: number; state: string; query: string }>(
        `select pid, state, query from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
      )
    ).rows
  const findSleeping = async () =>
    (await listBackends()).find(({ state, query: text }) => state === 'active' && /lanyard_fold_text/.test(text))
  const sleeping = async () => {
    for (let attempt = 0; attempt < 1000; attempt++) {
      const found = await findSleeping()
      if (found) return found
      await wait(20)
    }
    throw new Error('the query never started')
  }

  it('ends a long report query at the time limit, and keeps the database connection usable', async () => {
    await query(FAST_QUERY)
    world.services.queryLimits = { timeoutMs: 200, maxCost: 1e12 }
    const before = (await listBackends()).map(({ pid }) => pid)
    const { code, message } = await olga.refused('query_data', { eventCode: event.eventCode, ...SLOW_QUERY })
    expect({ code, message }).toEqual({
      code: 'limit_exceeded',
      message: expect.stringContaining('took over 0.2 s — narrow the filter, or run it as a designed report'),
    })
    expect(await findSleeping()).toBeUndefined()
    expect((await listBackends()).map(({ pid }) => pid)).toEqual(expect.arrayContaining(before))
    const { open, idle, waiting } = world.database.pool.usage()
    expect({ busy: open - idle, waiting }).toEqual({ busy: 0, waiting: 0 })
    const settings = `select current_user <> 'lanyard_reports' as own, current_setting('statement_timeout') <> '200ms' as unlimited,
      current_setting('lanyard.report_event', true) as event, current_setting('transaction_read_only') as read_only, pg_sleep(0.3)`
    const all = await Promise.all(Array.from({ length: open }, () => world.database.pool.query(settings)))
    for (const { rows } of all) expect(rows[0]).toMatchObject({ own: true, unlimited: true, event: expect.toBeOneOf([null, '']) })
    world.services.queryLimits = undefined
    expect((await query(FAST_QUERY)).rows).toEqual([{ status: 'complete', count: 1 }])
  })

  it('ends a report query that writes more temporary files than allowed, and keeps the database connection usable', async () => {
    // Sorting this many texts does not fit into the memory of a statement.
    const text = 'select count(distinct repeat(md5(n::text), 8))::int as found from generate_series(1, 150000) n'
    const limits = { timeoutMs: 60_000, maxCost: 1e12 }
    const count = (temporaryFilesMb: number) =>
      world.database.snapshot(
        { tenantId: event.tenantId, eventId: event.eventId, timeoutMs: limits.timeoutMs, temporaryFilesMb, within: world.database.read },
        (db) => executeStatement<{ found: number }>(db, { text, values: [], dateField: 'completedAt' }, limits),
      )
    await expect(count(1)).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: 'needs more temporary disk space than a query may use — narrow completedAt, or run it as a designed report',
    })
    expect(await count(512)).toEqual([{ found: 150_000 }])
    expect((await query(FAST_QUERY)).rows).toEqual([{ status: 'complete', count: 1 }])
  })

  it('lets other queries and registrations finish while a long report query runs', async () => {
    world.services.queryLimits = { timeoutMs: 600_000, maxCost: 1e12 }
    let isRunning = true
    const slow = olga.refused('query_data', { eventCode: event.eventCode, ...SLOW_QUERY }).finally(() => (isRunning = false))
    const { pid } = await sleeping()
    expect((await query(FAST_QUERY)).rows).toEqual([{ status: 'complete', count: 1 }])
    await createRegistrationFixtures(world, event).person({ last_name: 'Quick' })
    expect((await query(FAST_QUERY)).rows).toEqual([{ status: 'complete', count: 2 }])
    expect(isRunning).toBe(true)
    await world.database.pool.query('select pg_cancel_backend($1)', [pid])
    expect(await slow).toMatchObject({ code: 'limit_exceeded' })
  })
})
