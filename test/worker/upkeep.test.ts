import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keepUp } from '../../src/platform/embedded-upkeep.ts'
import { freeBaseUrl, serve } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

/** PostgreSQL has a process of its own for this. */
describe.skipIf(process.env['TEST_DATABASE_URL'])('the upkeep of the embedded database', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ baseUrl: await freeBaseUrl(), untouched: true })
  })
  afterAll(() => world.end())

  const rows = async <R>(text: string) => (await world.database.pool.query<R>(text)).rows
  /** How many rows plans take a table to have, and how many times it was looked at. */
  const known = async (table: string) => {
    const [found] = await rows<{ rows: number; looks: number; pages: number }>(
      `select c.reltuples::int as rows, s.analyze_count::int as looks, (pg_relation_size(c.oid) / 8192)::int as pages
       from pg_class c join pg_stat_user_tables s on s.relid = c.oid where c.oid = '${table}'::regclass`,
    )
    return found!
  }
  const addTenants = (from: number, to: number) =>
    rows(`insert into tenants (code, name) select 'tenant-' || n, 'Tenant ' || n from generate_series(${from}, ${to}) n`)

  it('begins with a database that was looked at, so that no empty table is taken for a large one', async () => {
    expect(await known('tenants')).toMatchObject({ rows: 0 })
  })

  it('counts the rows of tables that grew, once, and leaves the others alone', async () => {
    await addTenants(1, 400)
    await keepUp(world.database.pool)
    const grown = await known('tenants')
    expect(grown.rows).toBe(400)
    expect((await known('jobs')).looks).toBe(0)
    await addTenants(401, 450)
    await keepUp(world.database.pool)
    expect(await known('tenants')).toEqual(grown)
    await addTenants(451, 600)
    await keepUp(world.database.pool)
    expect(await known('tenants')).toMatchObject({ rows: 600, looks: grown.looks + 1 })
  })

  it('gives the room of deleted rows to new ones', async () => {
    // Nothing refers to these, so that to delete them asks no other table.
    const turnover = async (keeping: boolean) => {
      for (let round = 0; round < 5; round++) {
        await rows(`insert into recurring_slots (name, slot) select rpad('slot-' || n, 100), lanyard_now() from generate_series(1, 1000) n`)
        await rows('delete from recurring_slots')
        if (keeping) await keepUp(world.database.pool)
      }
      return (await known('recurring_slots')).pages
    }
    const kept = await turnover(true)
    // The control: without it every round takes room of its own.
    expect(await turnover(false)).toBeGreaterThan(kept + 20)
  })

  it('is what the running service does, also for what it missed', async () => {
    await addTenants(601, 1000)
    await rows(`insert into recurring_slots (name, slot, done_at) values ('upkeep', lanyard_now() - interval '1 day', lanyard_now())`)
    await serve(world, { env: { LANYARD_ROLE: 'all' } })
    await expect.poll(async () => (await known('tenants')).rows).toBe(1000)
  })
})
