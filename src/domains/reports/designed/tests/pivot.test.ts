import { describe, expect, it } from 'vitest'
import type { DataQuery } from '../../../figures/query/data-query.ts'
import type { ReportColumn, ReportRow } from '../../../figures/report-table.ts'
import { computePivot, type GroupedRows, MAX_PIVOT_COLUMNS } from '../pivot.ts'

const PEOPLE = [
  { flow: 'a', month: '2026-09', age: 20 },
  { flow: 'a', month: '2026-09', age: 40 },
  { flow: 'a', month: '2026-10', age: 60 },
  { flow: 'b', month: '2026-10', age: 10 },
]
const column = (name: string): ReportColumn => ({ name, label: name, type: 'decimal', class: 'open' })
const average = (rows: readonly { age: number }[]) => rows.reduce((sum, { age }) => sum + age, 0) / rows.length

/** Answers group queries about the people with their number and average age. */
async function run({ groupBy = [] }: DataQuery): Promise<GroupedRows> {
  const keys = groupBy as readonly ('flow' | 'month')[]
  const groups = Map.groupBy(PEOPLE, (one) => keys.map((key) => one[key]).join(' '))
  const rows = [...groups.values()].map((all): ReportRow => ({
    ...Object.fromEntries(keys.map((key) => [key, all[0]![key]])),
    people: all.length,
    age: average(all),
  }))
  return { columns: [...keys, 'people', 'age'].map(column), rows }
}

const QUERY = { entity: 'participant', groupBy: ['flow', 'month'], aggregates: ['count as people', 'avg(age) as age'] }
const pivot = (values: string[]) => computePivot({ rows: ['flow'], columns: ['month'], values }, QUERY, run)

describe('computePivot', () => {
  it('returns a pivot with a row per value of one key, a column per value of the other key, and totals', async () => {
    const { columns, rows, totals } = await pivot(['people'])
    expect(columns.map(({ name, label }) => [name, label])).toEqual([
      ['flow', 'flow'],
      ['people[2026-09]', '2026-09'],
      ['people[2026-10]', '2026-10'],
      ['people', 'Total'],
    ])
    expect(rows).toEqual([
      { flow: 'a', 'people[2026-09]': 2, 'people[2026-10]': 1, people: 3 },
      { flow: 'b', 'people[2026-09]': null, 'people[2026-10]': 1, people: 1 },
    ])
    expect(totals).toEqual({ 'people[2026-09]': 2, 'people[2026-10]': 2, people: 4 })
  })

  it('computes totals of averages in a pivot from the rows, not from the averages', async () => {
    const { rows, totals } = await pivot(['age'])
    expect(rows[0]).toEqual({ flow: 'a', 'age[2026-09]': 30, 'age[2026-10]': 60, age: 40 })
    expect(totals).toEqual({ 'age[2026-09]': 30, 'age[2026-10]': 35, age: 32.5 })
  })

  it('labels the columns of a pivot with the value if there are several values', async () => {
    expect((await pivot(['people', 'age'])).columns.map(({ label }) => label)).toEqual([
      'flow',
      '2026-09 · people',
      '2026-09 · age',
      '2026-10 · people',
      '2026-10 · age',
      'Total · people',
      'Total · age',
    ])
  })

  it('rejects a pivot with too many columns, or with names that the query does not have', async () => {
    const many = async (query: DataQuery): Promise<GroupedRows> => ({
      columns: ['flow', 'month', 'people'].map(column),
      rows: Array.from({ length: query.groupBy?.includes('month') ? MAX_PIVOT_COLUMNS + 1 : 1 }, (_, at) => ({
        flow: 'a',
        month: `m${at}`,
        people: 1,
      })),
    })
    await expect(computePivot({ rows: ['flow'], columns: ['month'], values: ['people'] }, QUERY, many)).rejects.toMatchObject({
      code: 'limit_exceeded',
    })
    await expect(pivot(['persons'])).rejects.toMatchObject({ code: 'invalid_arguments' })
  })
})
