import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTenant } from '../../src/domains/tenancy/create.ts'
import { createDatabase } from '../../src/platform/kysely.ts'
import { freshDatabase, type FreshDatabase } from '../support/database.ts'
import { readSources, type Source } from './sources.ts'
import { stripComments } from './templates.ts'

/** Transaction ids and activity of sessions mean nothing on a replica or in a database that is distributed over several servers. */
const SERVER_INTERNALS = /\bxmin\b|\bxmax\b|pg_current_xact_id|\btxid_|pg_snapshot|pg_stat_activity/i

/** A setting of a session, which a pooler passes on to other clients; and statements that assume that a session is kept. */
const SESSION_STATE =
  /[`'";]\s*set\s+(?!local\b|transaction\b|constraints\b)\w+\s*(?:=|\bto\b)\s*(?:'[^']*'|[\w.]+)\s*[`'";]|\blisten\s+\w+[`'"]|pg_(?:try_)?advisory_lock|\bdeallocate\b|\bdiscard all\b|statement_timeout:/i

const SESSION_STATE_FILES: Record<string, string> = {
  'src/platform/pool.ts': 'read-only sessions that no other client uses, and the single session of the embedded database',
  'src/platform/prepared-statements.ts': 'the probe for poolers that pass on names, within its transaction',
  'src/platform/role-defaults.ts': "the role's own defaults",
}

const findMatches = (sources: readonly Source[], pattern: RegExp) =>
  sources.filter(({ text }) => pattern.test(stripComments(text))).map(({ path }) => path)

const planted = (text: string): Source[] => [{ path: 'src/domains/housing/blocks.ts', text }]

describe('schema and statements for several servers', () => {
  let database: FreshDatabase
  beforeAll(async () => {
    database = await freshDatabase()
  })
  afterAll(() => database.drop())

  it('finds no statement that uses transaction ids or the activity of sessions', async () => {
    expect(findMatches(readSources(), SERVER_INTERNALS)).toEqual([])
    const { rows } = await database.pool.query<{ name: string; source: string }>(
      `select proname::text as name, prosrc as source from pg_proc where pronamespace = current_schema()::regnamespace`,
    )
    expect(rows.filter(({ source }) => SERVER_INTERNALS.test(source)).map(({ name }) => name)).toEqual([])
    expect(rows.length).toBeGreaterThan(50)
    expect(findMatches(planted('sql`select 1 from leads l where l.xmin = pg_current_xact_id()::xid`'), SERVER_INTERNALS)).toHaveLength(1)
  })

  it('finds statements that keep state in a database session only in the files that manage connections', () => {
    expect(findMatches(readSources(), SESSION_STATE).toSorted()).toEqual(Object.keys(SESSION_STATE_FILES))
  })

  it.each([
    "await client.query('set statement_timeout = 5000')",
    "await client.query(`begin; set work_mem = '1GB'`)",
    "await client.query('listen jobs')",
    'await sql`select pg_advisory_lock(1)`.execute(db)',
    'new pg.Pool({ statement_timeout: 20_000 })',
  ])('reports planted session state: %s', (text) => {
    expect(findMatches(planted(text), SESSION_STATE)).toHaveLength(1)
  })

  it.each([
    'await sql`set local statement_timeout = 0`.execute(db)',
    "await sql`update leads set notes = ''`.execute(db)",
    'await sql`select pg_advisory_xact_lock(1)`.execute(db)',
  ])('accepts settings and locks of a transaction: %s', (text) => {
    expect(findMatches(planted(text), SESSION_STATE)).toEqual([])
  })

  it('gives tenants random ids, so that two installations have no tenant id in common', async () => {
    const { write } = createDatabase(database)
    const first = await createTenant(write, { code: 'first', name: 'First' })
    const second = await createTenant(write, { code: 'second', name: 'Second' })
    const other = await freshDatabase()
    const elsewhere = await createTenant(createDatabase(other).write, { code: 'first', name: 'First' })
    await other.drop()
    expect(new Set([first, second, elsewhere]).size).toBe(3)
    // Identity columns would count from 1, so random ids are far above.
    for (const id of [first, second, elsewhere]) expect(id).toBeGreaterThan(1000)
  })
})
