import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEmbedded, templateDirectory } from '../../src/platform/embedded-database.ts'
import { testFolder } from '../support/folder.ts'
import { startChild } from './children.ts'

let dataDir: string
beforeEach(() => {
  dataDir = testFolder()
})
afterEach(() => rmSync(dataDir, { recursive: true }))

describe('the embedded database', () => {
  it('keeps every committed row, and no other, when its process is killed', async () => {
    const writer = startChild('commit-rows', dataDir)
    let told = 0
    while (told < 25) told = Number(await writer.line())
    await expect(openEmbedded(dataDir)).rejects.toThrow('is in use by another Lanyard process')
    await writer.kill()
    for (let line = await writer.line(); line; line = await writer.line()) told = Number(line)

    const { pool, close } = await openEmbedded(dataDir)
    const { rows } = await pool.query<{ lowest: number; highest: number; n: number }>(
      'select min(n) as lowest, max(n) as highest, count(*) as n from kept',
    )
    await close()
    const [kept] = rows
    expect(kept?.lowest).toBe(1)
    expect(kept?.n).toBe(kept?.highest)
    expect(kept?.n).toBeGreaterThanOrEqual(told)
    expect(kept?.n).toBeLessThanOrEqual(told + 1)
  })

  it('keeps its rows when it is closed and opened again, and lets go of the folder', async () => {
    const first = await openEmbedded(dataDir)
    await first.pool.query('create table kept (n int)')
    await first.close()
    await expect(first.pool.query('select 1')).rejects.toThrow('the database is closed')
    const second = await openEmbedded(dataDir)
    expect((await second.pool.query('select * from kept')).rows).toEqual([])
    await second.close()
  })

  it('starts over when the copy of its first start was cut off', async () => {
    mkdirSync(join(dataDir, 'postgres.new'))
    writeFileSync(join(dataDir, 'postgres.new', 'left-over'), '')
    mkdirSync(join(dataDir, 'postgres'))
    const { pool, close } = await openEmbedded(dataDir)
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await close()
    expect(existsSync(join(dataDir, 'postgres.new'))).toBe(false)
    expect(existsSync(join(dataDir, 'postgres', 'left-over'))).toBe(false)
  })

  it('can hold a rule against overlaps, as PostgreSQL does', async () => {
    const { pool, close } = await openEmbedded(dataDir)
    await pool.query(`create extension if not exists btree_gist`)
    await pool.query('create table stays (room int, nights daterange, exclude using gist (room with =, nights with &&))')
    await pool.query(`insert into stays values (1, '[2027-01-01,2027-01-03)')`)
    await expect(pool.query(`insert into stays values (1, '[2027-01-02,2027-01-04)')`)).rejects.toMatchObject({ code: '23P01' })
    await close()
  })

  it('has one template for the same migrations, whoever builds it', async () => {
    const [one, two] = await Promise.all([templateDirectory(), templateDirectory()])
    expect(one).toBe(two)
    expect(existsSync(join(one, 'PG_VERSION'))).toBe(true)
  })
})
