import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkReportDatabaseRole } from '../../src/domains/installation/checks.ts'
import type { Pool } from '../../src/kernel/ports.ts'
import { createDatabaseSnapshotOpener } from '../../src/platform/snapshots.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

let world: World
let event: EventHandle
beforeAll(async () => {
  world = await newWorld()
  event = await world.event()
})
afterAll(() => world.end())

const WHO = `select current_user as who, current_setting('transaction_read_only') as "readOnly", current_setting('statement_timeout') as timeout`

/** A pool of the test database that records its connections; `answer` replaces the results of its own queries. */
function watched(name: string, used: string[], answer?: () => Promise<unknown[]>): Pool {
  const { pool } = world.database
  return {
    ...pool,
    query: (async (...sent: Parameters<Pool['query']>) => (answer ? { rows: await answer() } : pool.query(...sent))) as Pool['query'],
    connect() {
      used.push(name)
      return pool.connect()
    },
  }
}

/** Reads a row in a snapshot, and returns it with the name of the pool that was used. */
async function readFrom({
  main,
  reports,
  statement = WHO,
}: {
  main?: () => Promise<unknown[]>
  reports?: (() => Promise<unknown[]>) | null
  statement?: string
}) {
  const used: string[] = []
  const open = createDatabaseSnapshotOpener(
    watched('main', used, main),
    reports === undefined ? watched('reports', used) : reports && watched('reports', used, reports),
  )
  const scope = { tenantId: event.tenantId, eventId: event.eventId, timeoutMs: 4000, within: world.database.read }
  const row = await open(scope, async (db) => (await sql.raw<Record<string, unknown>>(statement).execute(db)).rows[0])
  return { used, row }
}

const lagOf = (lag: number | null) => async () => [{ lag }]

describe('database that reports are read from', () => {
  it.each([
    ['the replica', 'without lag', 'reports', lagOf(0)],
    ['the replica', '30 seconds behind', 'reports', lagOf(30)],
    ['the primary', 'over 30 seconds behind', 'main', lagOf(30.5)],
    ['the primary', 'of unknown age', 'main', lagOf(null)],
    ['the primary', 'down', 'main', () => Promise.reject(new Error('connect ECONNREFUSED'))],
    ['the primary', 'not configured', 'main', null],
  ] as const)('reads reports from %s if the replica is %s', async (_, __, expected, reports) => {
    expect((await readFrom({ reports })).used).toEqual([expected])
  })

  it('measures no replication lag if the configured report database is a primary', async () => {
    expect((await readFrom({})).used).toEqual(['reports'])
    const { row } = await readFrom({ statement: 'select lanyard_replay_lag()::text as lag, lanyard_as_of() <= lanyard_now() as past' })
    expect(row).toEqual({ lag: '00:00:00', past: true })
  })

  it('reads reports in a read-only transaction with the same limits if the database role of reports does not exist', async () => {
    const withRole = await readFrom({})
    expect(withRole.row).toEqual({ who: 'lanyard_reports', readOnly: 'on', timeout: '4s' })
    const main = async () => [{ hasRole: false, mayLimitFiles: false }]
    const { row } = await readFrom({ main, reports: null })
    expect(row).toMatchObject({ readOnly: 'on', timeout: '4s' })
    expect(row!['who']).not.toBe('lanyard_reports')
    await expect(readFrom({ main, reports: null, statement: 'delete from events' })).rejects.toThrow('read-only transaction')
  })
})

describe('checkReportDatabaseRole', () => {
  // Roles belong to a whole server, so only the embedded database can be without the role.
  it('prints SQL statements that create the missing database role of reports, which then reads them', async ({ skip }) => {
    const { pool, engine } = world.database
    if (engine !== 'embedded') skip()
    expect(await checkReportDatabaseRole(pool)).toMatchObject({ state: 'ok' })
    await pool.query('drop owned by lanyard_reports')
    await pool.query('drop role lanyard_reports')
    expect((await readFrom({ reports: null })).row!['who']).not.toBe('lanyard_reports')
    const { state, says } = await checkReportDatabaseRole(pool)
    expect(state).toBe('warn')
    const statements = [...says.matchAll(/"([^"]+)"/g)].flatMap(([, text]) => text!.split(';')).filter((text) => text.trim() !== '')
    expect(statements).toHaveLength(3)
    for (const statement of statements) await pool.query(statement)
    expect(await checkReportDatabaseRole(pool)).toMatchObject({ state: 'ok' })
    expect((await readFrom({ reports: null })).row!['who']).toBe('lanyard_reports')
    const count = await readFrom({ reports: null, statement: 'select count(*)::int as events from events' })
    expect(count.row).toEqual({ events: 1 })
  })
})
