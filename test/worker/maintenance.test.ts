import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { vacuumChangedTables } from '../../src/platform/embedded-vacuum.ts'
import { chooseFreeBaseUrl, serve } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

/** PostgreSQL analyzes and vacuums tables itself with autovacuum. */
describe.skipIf(process.env['TEST_DATABASE_URL'])('maintenance of the embedded database', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ baseUrl: await chooseFreeBaseUrl(), untouched: true })
  })
  afterAll(() => world.end())

  const rows = async <R>(text: string) => (await world.database.pool.query<R>(text)).rows
  /** The planner's row estimate of a table, and how often it was analyzed. */
  const known = async (table: string) => {
    const [found] = await rows<{ rows: number; looks: number; pages: number }>(
      `select c.reltuples::int as rows, s.analyze_count::int as looks, (pg_relation_size(c.oid) / 8192)::int as pages
       from pg_class c join pg_stat_user_tables s on s.relid = c.oid where c.oid = '${table}'::regclass`,
    )
    return found!
  }
  const addTenants = (from: number, to: number) =>
    rows(`insert into tenants (code, name) select 'tenant-' || n, 'Tenant ' || n from generate_series(${from}, ${to}) n`)

  it('starts with an analyzed embedded database, so that the planner does not estimate empty tables as large', async () => {
    expect(await known('tenants')).toMatchObject({ rows: 0 })
  })

  it('analyzes a table of the embedded database once after it has grown, and leaves the others unchanged', async () => {
    await addTenants(1, 400)
    await vacuumChangedTables(world.database.pool)
    const grown = await known('tenants')
    expect(grown.rows).toBe(400)
    expect((await known('jobs')).looks).toBe(0)
    await addTenants(401, 450)
    await vacuumChangedTables(world.database.pool)
    expect(await known('tenants')).toEqual(grown)
    await addTenants(451, 600)
    await vacuumChangedTables(world.database.pool)
    expect(await known('tenants')).toMatchObject({ rows: 600, looks: grown.looks + 1 })
  })

  it('reuses the space of deleted rows in the embedded database', async () => {
    // Uses a table that no foreign key references, so that deletes check no other table.
    const turnover = async (keeping: boolean) => {
      for (let round = 0; round < 5; round++) {
        await rows(`insert into recurring_slots (name, slot) select rpad('slot-' || n, 100), lanyard_now() from generate_series(1, 1000) n`)
        await rows('delete from recurring_slots')
        if (keeping) await vacuumChangedTables(world.database.pool)
      }
      return (await known('recurring_slots')).pages
    }
    const kept = await turnover(true)
    // Control: without vacuum every round takes additional space.
    expect(await turnover(false)).toBeGreaterThan(kept + 20)
  })

  it('runs database maintenance in the service, also after a missed scheduled time', async () => {
    await addTenants(601, 1000)
    await rows(`insert into recurring_slots (name, slot, done_at) values ('upkeep', lanyard_now() - interval '1 day', lanyard_now())`)
    await serve(world, { env: { LANYARD_ROLE: 'all' } })
    await expect.poll(async () => (await known('tenants')).rows).toBe(1000)
  })
})
