import { describe, expect, it } from 'vitest'
import { readTableTypes } from '../../scripts/table-types.ts'
import { STATE_MACHINES } from '../../src/domains/state-tables.ts'
import type { StateMachine } from '../../src/kernel/states.ts'

/** Reads the status and state columns with their allowed values from the generated table types, which reflect the CHECK constraints. */
function readStatusColumns(types: string): Map<string, string[]> {
  const columns = new Map<string, string[]>()
  let table = ''
  for (const line of types.split('\n')) {
    table = /^ {2}(\w+): \{$/.exec(line)?.[1] ?? table
    const [, column, values] = /^ {4}(\w*(?:status|state)): (.*'.*)$/.exec(line) ?? []
    const choices = [...(values ?? '').matchAll(/'(\w+)'/g)].map(([, choice]) => choice!)
    if (column && choices.length > 1) columns.set(`${table}.${column}`, choices)
  }
  return columns
}

type StateTable = Pick<StateMachine<string>, 'column' | 'initial' | 'all' | 'can'>

function findStateProblems(columns: ReadonlyMap<string, readonly string[]>, tables: readonly StateTable[]): string[] {
  const byColumn = new Map(tables.map((table) => [table.column, table]))
  return [...columns].flatMap(([column, values]) => {
    const table = byColumn.get(column)
    if (!table) return [`${column} has no table of states`]
    const same = table.all.toSorted().join() === values.toSorted().join()
    const unknown = table.all.flatMap((from) =>
      values.includes(from) && table.all.some((to) => table.can(from, to) && !values.includes(to)) ? [from] : [],
    )
    return same && unknown.length === 0 ? [] : [`${column} allows ${values.join(', ')}, its table of states ${table.all.join(', ')}`]
  })
}

describe('tables of states (the allowed values and changes of a status column)', () => {
  it('lists in each state table exactly the values that its status column allows', async () => {
    const columns = readStatusColumns(await readTableTypes())
    expect(columns.size).toBeGreaterThan(40)
    expect(findStateProblems(columns, STATE_MACHINES as unknown as StateTable[])).toEqual([])
  })

  it('declares at most one state table for each status column', () => {
    const columns = STATE_MACHINES.map(({ column }) => column)
    expect(columns).toEqual([...new Set(columns)])
  })

  it("lists the initial state of each state table among the table's states", () => {
    expect(STATE_MACHINES.filter(({ initial, all }) => !(all as readonly string[]).includes(initial)).map(({ column }) => column)).toEqual(
      [],
    )
  })

  it('reports a status column without a state table, and a state table with other states than its column', () => {
    const types = `export interface SchemaTables {\n  visas: {\n    status: Generated<'asked' | 'granted'>\n  }\n}`
    expect(findStateProblems(readStatusColumns(types), [])).toEqual(['visas.status has no table of states'])
    const phases = `export interface SchemaTables {\n  visas: {\n    state: 'asked' | 'granted'\n  }\n}`
    expect(findStateProblems(readStatusColumns(phases), [])).toEqual(['visas.state has no table of states'])
    const table: StateTable = { column: 'visas.status', initial: 'asked', all: ['asked'], can: () => false }
    expect(findStateProblems(readStatusColumns(types), [table])).toEqual(['visas.status allows asked, granted, its table of states asked'])
  })
})
