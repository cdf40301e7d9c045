import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Pool } from '../../src/kernel/ports.ts'
import { openJobQueue } from '../../src/platform/job-queue.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { type FreshDatabase, createFreshDatabase } from '../support/database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await createFreshDatabase()
})
afterAll(() => fresh.drop())

/** Opens and closes the queue, and returns the names of the tables and functions that it created. */
async function made(): Promise<string[]> {
  const statements: string[] = []
  const pool: Pool = {
    ...fresh.pool,
    query: (text, values) => {
      statements.push(text)
      return fresh.pool.query(text, values)
    },
  }
  const complaints: string[] = []
  const complain = (message: string, fields?: object) => void complaints.push(`${message} ${JSON.stringify(fields)}`)
  const queue = await openJobQueue(pool, { info: complain, warn: complain, error: complain })
  await createDatabaseAccess(fresh).transact((db) => queue.send(db, { kind: 'slot', name: 'test', slot: 'now' }))
  await queue.stop()
  expect(complaints).toEqual([])
  return statements.filter((text) => /create (or replace )?(table|schema|function|index|type)/i.test(text))
}

describe('opening the job queue', () => {
  it('finds the job queue tables in a new database', async () => {
    expect(await made()).toEqual([])
  })

  it('creates missing job queue tables once', async () => {
    await fresh.pool.query('drop schema pgboss cascade')
    expect((await made()).length).toBeGreaterThan(0)
    expect(await made()).toEqual([])
  })

  it('updates an existing job queue whose settings differ', async () => {
    await fresh.pool.query(`update pgboss.queue set retry_limit = 2 where name = 'work'`)
    await made()
    const { rows } = await fresh.pool.query(`select retry_limit > 1000 as patient from pgboss.queue where name = 'work'`)
    expect(rows).toEqual([{ patient: true }])
  })
})
