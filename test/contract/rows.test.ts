import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { inWords, watched } from './rows.ts'

let world: World
const run = (...statements: string[]) => watched(world.database.pool, () => world.database.pool.query(statements.join(';')))
const changed = async (...statements: string[]) => inWords((await run(...statements)).changes)

beforeAll(async () => {
  world = await newWorld()
  await world.database.pool.query(`
    create table shelves (room text, number integer, label text, last_used_at timestamptz, primary key (room, number));
    create table books (id text primary key, room text, number integer, foreign key (room, number) references shelves on delete cascade);
    create table loose (label text);
    insert into shelves values ('attic', 1, 'one'), ('attic', 2, 'two'), ('cellar', 1, 'three')`)
})
afterAll(() => world.end())

describe('the rows that changed', () => {
  it.each([
    ['one that is new', `insert into shelves values ('attic', 3, 'x')`, '1 shelves added'],
    ['several by one statement', `insert into shelves select 'barn', n, 'x' from generate_series(1, 3) n`, '3 shelves added'],
    ['one that is other', `update shelves set label = 'other' where room = 'attic' and number = 1`, '1 shelves changed'],
    ['one under another key', `update shelves set number = 9 where room = 'attic' and number = 3`, '1 shelves removed, 1 shelves added'],
    ['one that is gone', `delete from shelves where number = 9`, '1 shelves removed'],
    ['one in a table without a key', `insert into loose values ('x')`, '1 loose added'],
    ['all of a table', `truncate loose`, '1 loose removed'],
    ['what goes along with another', `delete from shelves where room = 'cellar'`, '1 books removed, 1 shelves removed'],
    ['in a product table', `insert into tenants (code, name) values ('new', 'New')`, '1 tenants added'],
  ])('are seen: %s', async (_what, statement, expected) => {
    await world.database.pool.query(`insert into books values ('b', 'cellar', 1) on conflict do nothing`).catch(() => null)
    expect((await changed(statement)).split(', ').toSorted()).toEqual(expected.split(', ').toSorted())
  })

  it('carry their keys', async () => {
    const { changes } = await run(`update shelves set label = 'again' where room = 'attic' and number = 2`)
    expect(changes).toEqual([{ table: 'shelves', kind: 'changed', key: '["attic", 2]' }])
  })

  it.each([
    ['one that is written as it was', `update shelves set label = label`],
    ['when something was last used', `update shelves set last_used_at = now()`],
    ['one that came and went', `insert into shelves values ('shed', 1, 'x'); delete from shelves where room = 'shed'`],
    ['one that was put back', `update shelves set label = label || 'x'; update shelves set label = left(label, -1)`],
    ['what was not kept', `begin; delete from shelves; rollback`],
    ['what only counts requests', `insert into rate_windows values ('x', now(), 1)`],
  ])('are not: %s', async (_what, statement) => {
    expect(await changed(statement)).toBe('')
  })

  it('do not include what changed before', async () => {
    await world.database.pool.query(`insert into shelves values ('loft', 1, 'x')`)
    expect(await changed('select 1')).toBe('')
  })
})
