import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { migrate, hashMigrations, listPendingMigrations } from '../../src/platform/migrations.ts'
import { createFreshDatabase, type FreshDatabase } from '../support/database.ts'

let database: FreshDatabase
let folder: string

beforeAll(async () => {
  database = await createFreshDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.pool.query('drop schema public cascade; create schema public')
  folder = mkdtempSync(join(tmpdir(), 'lanyard-migrations-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (name: string, sql: string) => writeFileSync(join(folder, name), sql)
const run = () => migrate(database.pool, folder)
const pending = () => listPendingMigrations(database.pool, folder)

it('runs migration files once, in the order of their numbers', async () => {
  write('0002_fill.sql', `insert into steps values ('second');`)
  write('0001_steps.sql', 'create table steps (step text);\n-- a comment')
  write('README.md', 'not a migration')
  expect(await pending()).toEqual(['0001_steps.sql', '0002_fill.sql'])
  expect(await run()).toEqual(['0001_steps.sql', '0002_fill.sql'])
  expect(await run()).toEqual([])
  expect(await pending()).toEqual([])
  write('0003_more.sql', `insert into steps values ('third')`)
  expect(await run()).toEqual(['0003_more.sql'])
  expect((await database.pool.query('select step from steps')).rows).toEqual([{ step: 'second' }, { step: 'third' }])
  const { rows } = await database.pool.query('select number, name, applied_at from lanyard_migrations order by number')
  expect(rows.map((row) => [row['number'], row['name'], row['applied_at'] instanceof Date])).toEqual([
    [1, '0001_steps.sql', true],
    [2, '0002_fill.sql', true],
    [3, '0003_more.sql', true],
  ])
})

it('does nothing for an empty migrations folder', async () => {
  expect(await run()).toEqual([])
  expect(await pending()).toEqual([])
})

it('rejects a migration file that was changed after it was applied, but ignores changed line endings', async () => {
  write('0001_steps.sql', 'create table steps (\n  step text)')
  await run()
  write('0001_steps.sql', 'create table steps (\r\n  step text)')
  expect(await run()).toEqual([])
  write('0001_steps.sql', 'create table steps (step int)')
  const sentence = 'The migration 0001_steps.sql was changed after it was applied. Restore it and put the change into a new migration.'
  await expect(run()).rejects.toThrow(sentence)
  await expect(pending()).rejects.toThrow(sentence)
})

it('rejects a database with newer migrations', async () => {
  write('0001_steps.sql', 'create table steps (step text)')
  write('0002_next.sql', 'select 1')
  await run()
  rmSync(join(folder, '0002_next.sql'))
  const sentence = 'The database is ahead of this version of Lanyard: it has migration 0002_next.sql. Start the newer version.'
  await expect(run()).rejects.toThrow(sentence)
  await expect(pending()).rejects.toThrow(sentence)
})

it('rejects a migration numbered before an applied one', async () => {
  write('0002_steps.sql', 'create table steps (step text)')
  await run()
  write('0001_late.sql', 'select 1')
  await expect(run()).rejects.toThrow('The migration 0001_late.sql was added before 0002_steps.sql')
})

it('rejects invalid names and duplicate numbers of migrations', async () => {
  write('1_steps.sql', 'select 1')
  await expect(run()).rejects.toThrow('1_steps.sql must be named like')
  rmSync(join(folder, '1_steps.sql'))
  write('0001_a.sql', 'select 1')
  write('0001_b.sql', 'select 1')
  await expect(run()).rejects.toThrow('Two migrations have the number of 0001_a.sql.')
})

it('rolls back a failing migration, keeps the migrations before it, and names the line of the error', async () => {
  write('0001_steps.sql', 'create table steps (step text)')
  write('0002_broken.sql', `insert into steps values ('half');\n\ninsert into nowhere values (1);`)
  await expect(run()).rejects.toThrow('The migration 0002_broken.sql failed at line 3: relation "nowhere" does not exist')
  expect((await database.pool.query('select * from steps')).rows).toEqual([])
  expect(await pending()).toEqual(['0002_broken.sql'])
  write('0002_broken.sql', 'select 1')
  expect(await run()).toEqual(['0002_broken.sql'])
})

it('runs every migration once for two concurrent starts', async () => {
  write('0001_steps.sql', 'create table steps (step text); select pg_sleep(0.1)')
  write('0002_fill.sql', `insert into steps values ('once'); select pg_sleep(0.1)`)
  const applied = await Promise.all([run(), run(), run()])
  expect(applied.flat().toSorted()).toEqual(['0001_steps.sql', '0002_fill.sql'])
  expect((await database.pool.query('select step from steps')).rows).toEqual([{ step: 'once' }])
})

it('computes a hash of all migrations that changes when any migration changes', async () => {
  write('0001_steps.sql', 'select 1')
  const one = await hashMigrations(folder)
  expect(await hashMigrations(folder)).toBe(one)
  write('0002_more.sql', 'select 1')
  const two = await hashMigrations(folder)
  write('0002_more.sql', 'select 2')
  expect(new Set([one, two, await hashMigrations(folder)]).size).toBe(3)
})
