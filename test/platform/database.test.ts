import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase, requireSupportedPostgresVersion } from '../../src/platform/database.ts'
import { listPendingMigrations } from '../../src/platform/migrations.ts'
import { createFreshDatabase, type FreshDatabase } from '../support/database.ts'

describe('new database', () => {
  let database: FreshDatabase
  beforeAll(async () => {
    database = await createFreshDatabase()
  })
  afterAll(() => database.drop())

  it('migrates a new database of the requested kind, PostgreSQL or embedded', async () => {
    expect(database.engine).toBe(process.env['TEST_DATABASE_URL'] ? 'postgres' : 'embedded')
    expect(await listPendingMigrations(database.pool)).toEqual([])
  })

  it('shares no rows between two new databases', async () => {
    const other = await createFreshDatabase()
    await other.pool.query('create table only_there (a int)')
    await expect(database.pool.query('select * from only_there')).rejects.toMatchObject({ code: '42P01' })
    await other.drop()
  })

  it('allows a database to be closed twice', async () => {
    const other = await createFreshDatabase()
    await other.close()
    await other.close()
    await other.drop()
  })
})

describe('PostgreSQL connection', () => {
  it('refuses an unsupported PostgreSQL version', async () => {
    const server = (version: string, number: number) => ({
      query: async <R>() => ({ rows: [{ version, number }] as R[], rowCount: 1 }),
    })
    await expect(requireSupportedPostgresVersion(server('14.11', 140011))).rejects.toThrow(
      'Lanyard needs PostgreSQL 15 or newer; this server is PostgreSQL 14.11.',
    )
    await requireSupportedPostgresVersion(server('15.0', 150000))
  })

  it('names the PostgreSQL server in the error if the server does not answer', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const opening = openDatabase({ url: `postgres://absent:secret@${host}:1/none`, dataDir: '' })
      await expect(opening).rejects.toThrow(/^Cannot use PostgreSQL with this DATABASE_URL: .*ECONNREFUSED/)
    }
  })
})
