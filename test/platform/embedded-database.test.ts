import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEmbeddedPostgres, ensureTemplateDatabase } from '../../src/platform/embedded-database.ts'
import { createTestFolder } from '../support/folder.ts'
import { startChild } from './children.ts'

let dataDir: string
beforeEach(() => {
  dataDir = createTestFolder()
})
afterEach(() => rmSync(dataDir, { recursive: true }))

describe('embedded database', () => {
  it('keeps exactly the committed rows when the process of the embedded database is killed', async () => {
    const writer = startChild('commit-rows', dataDir)
    let confirmed = 0
    while (confirmed < 25) confirmed = Number(await writer.line())
    await expect(openEmbeddedPostgres(dataDir)).rejects.toThrow('is in use by another Lanyard process')
    await writer.kill()
    for (let line = await writer.line(); line; line = await writer.line()) confirmed = Number(line)

    const { pool, close } = await openEmbeddedPostgres(dataDir)
    const { rows } = await pool.query<{ lowest: number; highest: number; n: number }>(
      'select min(n) as lowest, max(n) as highest, count(*) as n from kept',
    )
    await close()
    const [kept] = rows
    expect(kept?.lowest).toBe(1)
    expect(kept?.n).toBe(kept?.highest)
    expect(kept?.n).toBeGreaterThanOrEqual(confirmed)
    expect(kept?.n).toBeLessThanOrEqual(confirmed + 1)
  })

  it('keeps the rows of the embedded database when closed and reopened, and releases the folder', async () => {
    const first = await openEmbeddedPostgres(dataDir)
    await first.pool.query('create table kept (n int)')
    await first.close()
    await expect(first.pool.query('select 1')).rejects.toThrow('the database is closed')
    const second = await openEmbeddedPostgres(dataDir)
    expect((await second.pool.query('select * from kept')).rows).toEqual([])
    await second.close()
  })

  it('creates the embedded database again if copying the template was interrupted', async () => {
    mkdirSync(join(dataDir, 'postgres.new'))
    writeFileSync(join(dataDir, 'postgres.new', 'left-over'), '')
    mkdirSync(join(dataDir, 'postgres'))
    const { pool, close } = await openEmbeddedPostgres(dataDir)
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await close()
    expect(existsSync(join(dataDir, 'postgres.new'))).toBe(false)
    expect(existsSync(join(dataDir, 'postgres', 'left-over'))).toBe(false)
  })

  it('supports exclusion constraints in the embedded database like PostgreSQL', async () => {
    const { pool, close } = await openEmbeddedPostgres(dataDir)
    await pool.query(`create extension if not exists btree_gist`)
    await pool.query('create table stays (room int, nights daterange, exclude using gist (room with =, nights with &&))')
    await pool.query(`insert into stays values (1, '[2027-01-01,2027-01-03)')`)
    await expect(pool.query(`insert into stays values (1, '[2027-01-02,2027-01-04)')`)).rejects.toMatchObject({ code: '23P01' })
    await close()
  })

  it('creates one template database for each set of migrations', async () => {
    const [one, two] = await Promise.all([ensureTemplateDatabase(), ensureTemplateDatabase()])
    expect(one).toBe(two)
    expect(existsSync(join(one, 'PG_VERSION'))).toBe(true)
  })
})
