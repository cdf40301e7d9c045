import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresPool } from '../../src/platform/pool.ts'
import { createFreshDatabase, type FreshDatabase, TIMEOUT_FACTOR } from '../support/database.ts'

describe.runIf(process.env['TEST_DATABASE_URL'])('PostgreSQL connections', () => {
  let database: FreshDatabase
  beforeAll(async () => {
    database = await createFreshDatabase()
  })
  afterAll(() => database.drop())

  it('sets the application name on connections, and timeouts for statements and idle transactions on the database role', async () => {
    const pool = createPostgresPool({ connectionString: database.url })
    const { rows } = await pool.query(`select name, setting from pg_settings where name = any($1) order by name`, [
      ['application_name', 'idle_in_transaction_session_timeout', 'statement_timeout', 'default_transaction_read_only'],
    ])
    expect(rows).toEqual([
      { name: 'application_name', setting: 'lanyard' },
      { name: 'default_transaction_read_only', setting: 'off' },
      { name: 'idle_in_transaction_session_timeout', setting: String(30_000 * TIMEOUT_FACTOR) },
      { name: 'statement_timeout', setting: String(20_000 * TIMEOUT_FACTOR) },
    ])
    await pool.end()
  })

  it('rejects writes of the read-only pool, regardless of options in the database address', async () => {
    await expect(database.reader.query('create table no (a int)')).rejects.toThrow('read-only')
    const reader = createPostgresPool({ connectionString: `${database.url}?options=-c%20geqo%3Doff`, readOnly: true })
    await expect(reader.query('create table no (a int)')).rejects.toThrow('read-only')
    await reader.end()
  })

  it('replaces a connection that the server closed while it was in use', async () => {
    const pool = createPostgresPool({ connectionString: database.url, max: 1 })
    const connection = await pool.connect()
    await connection.query('begin')
    const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid')
    // Waits until the backend has ended, as after an idle-transaction timeout.
    await database.pool.query('select pg_terminate_backend($1, 10000)', [rows[0]!.pid])
    await expect(connection.query('select 1')).rejects.toThrow()
    connection.release()
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await pool.end()
  })

  it('reuses a connection after a failure only once its transaction status is known', async () => {
    const pool = createPostgresPool({ connectionString: database.url, max: 1 })
    for (let round = 0; round < 200; round++) {
      const failing = pool.query('begin; select 1/0; commit').catch(() => 'failed')
      const next = pool.query('select 1 as one')
      expect(await failing).toBe('failed')
      expect((await next).rows).toEqual([{ one: 1 }])
    }
    await pool.end()
  })
})
