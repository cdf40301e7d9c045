import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { describeChanges, recordRowChanges } from './row-changes.ts'

let world: World
const run = (...statements: string[]) => recordRowChanges(world.database.pool, () => world.database.pool.query(statements.join(';')))
const changed = async (...statements: string[]) => describeChanges((await run(...statements)).changes)

beforeAll(async () => {
  world = await newWorld()
  await world.database.pool.query(`
    create table shelves (room text, number integer, label text, last_used_at timestamptz, primary key (room, number));
    create table books (id text primary key, room text, number integer, foreign key (room, number) references shelves on delete cascade);
    create table loose (label text);
    insert into shelves values ('attic', 1, 'one'), ('attic', 2, 'two'), ('cellar', 1, 'three')`)
})
afterAll(() => world.end())

describe('recordRowChanges', () => {
  it.each([
    ['an inserted row', `insert into shelves values ('attic', 3, 'x')`, '1 shelves added'],
    ['several rows of one statement', `insert into shelves select 'barn', n, 'x' from generate_series(1, 3) n`, '3 shelves added'],
    ['an updated row', `update shelves set label = 'other' where room = 'attic' and number = 1`, '1 shelves changed'],
    ['an updated key', `update shelves set number = 9 where room = 'attic' and number = 3`, '1 shelves removed, 1 shelves added'],
    ['a deleted row', `delete from shelves where number = 9`, '1 shelves removed'],
    ['a row in a table without a key', `insert into loose values ('x')`, '1 loose added'],
    ['a truncated table', `truncate loose`, '1 loose removed'],
    ['a cascading delete', `delete from shelves where room = 'cellar'`, '1 books removed, 1 shelves removed'],
    ['a row of a product table', `insert into tenants (code, name) values ('new', 'New')`, '1 tenants added'],
  ])('reports %s as a change', async (_what, statement, expected) => {
    await world.database.pool.query(`insert into books values ('b', 'cellar', 1) on conflict do nothing`).catch(() => null)
    expect((await changed(statement)).split(', ').toSorted()).toEqual(expected.split(', ').toSorted())
  })

  it('reports the primary keys of changed rows', async () => {
    const { changes } = await run(`update shelves set label = 'again' where room = 'attic' and number = 2`)
    expect(changes).toEqual([{ table: 'shelves', kind: 'changed', key: '["attic", 2]' }])
  })

  it.each([
    ['an update that changes nothing', `update shelves set label = label`],
    ['a last-used time', `update shelves set last_used_at = now()`],
    ['a row that was inserted and deleted again', `insert into shelves values ('shed', 1, 'x'); delete from shelves where room = 'shed'`],
    ['a row that was restored', `update shelves set label = label || 'x'; update shelves set label = left(label, -1)`],
    ['a rolled back change', `begin; delete from shelves; rollback`],
    ['a rate limit counter', `insert into rate_windows values ('x', now(), 1)`],
  ])('does not report %s as a change', async (_what, statement) => {
    expect(await changed(statement)).toBe('')
  })

  it('does not report changes that were made before the recording started', async () => {
    await world.database.pool.query(`insert into shelves values ('loft', 1, 'x')`)
    expect(await changed('select 1')).toBe('')
  })
})
