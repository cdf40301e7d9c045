import { describe, expect, it } from 'vitest'
import { readTableColumns } from '../../../../../test/architecture/table-names.ts'
import { HIDDEN_COLUMNS, HIDDEN_TABLES } from './hidden-columns.ts'
import { listReadColumns } from './read-columns.ts'

/** Columns that every entity has, which the compiler reads. */
const KEYS = new Set(['tenant_id', 'event_id', 'id', 'is_test_data'])
/** Columns that the fields for an event's own questions read. */
const OWN_QUESTIONS = ['participants.custom_field_responses', 'participants.sharing']

const tables = readTableColumns()
const read = new Set([...listReadColumns(), ...OWN_QUESTIONS])
const hiddenTables = new Set(Object.values(HIDDEN_TABLES).flat())

const hiddenOf = (table: string) => new Set(Object.values(HIDDEN_COLUMNS[table] ?? {}).flat())

/** Lists columns that are neither read by a field nor hidden. */
const findUndeclared = (schema: ReadonlyMap<string, readonly string[]>) =>
  [...schema].flatMap(([table, columns]) =>
    hiddenTables.has(table)
      ? []
      : columns
          .filter((column) => !KEYS.has(column) && !read.has(`${table}.${column}`) && !hiddenOf(table).has(column))
          .map((column) => `${table}.${column}`),
  )

describe('columns of the database schema', () => {
  it('lists every database column as a field of the dictionary, or as hidden with a reason', () => {
    expect(findUndeclared(tables)).toEqual([])
  })

  it('reports new database columns that no dictionary field reads, in existing and in new tables', () => {
    const schema = new Map([
      ['participants', [...tables.get('participants')!, 'shoe_size']],
      ['parking_spots', ['tenant_id', 'event_id', 'id', 'level']],
    ])
    expect(findUndeclared(schema)).toEqual(['participants.shoe_size', 'parking_spots.level'])
  })

  it('does not list a column as hidden if a dictionary field reads it or if it does not exist', () => {
    const listed = Object.keys(HIDDEN_COLUMNS).flatMap((table) => [...hiddenOf(table)].map((column) => `${table}.${column}`))
    expect(listed.filter((name) => read.has(name))).toEqual([])
    expect(listed.filter((name) => !tables.get(name.split('.')[0]!)?.includes(name.split('.')[1]!))).toEqual([])
    expect([...hiddenTables].filter((table) => !tables.has(table) || [...read].some((name) => name.startsWith(`${table}.`)))).toEqual([])
  })
})
