import type { ReportColumn, ReportRow } from '../report-table.ts'
import { type CompiledRowQuery, compileRowQuery } from './compile-rows.ts'
import type { DataQuery } from './data-query.ts'
import { requireQueryPermissions } from './rights.ts'
import type { QuerySnapshot } from './snapshot.ts'
import { toReportValue } from './values.ts'

export type DatabaseRow = Record<string, unknown>

/** Compiles a query that returns single rows, not aggregates, and checks that the caller may read its fields. */
export function compileAndAuthorizeRowQuery({ dictionary, scope, reader }: QuerySnapshot, query: DataQuery): CompiledRowQuery {
  const compiled = compileRowQuery(dictionary, scope, query)
  requireQueryPermissions(compiled.plan, reader)
  return compiled
}

export const columnsOf = ({ columns }: CompiledRowQuery): ReportColumn[] => [
  { name: 'id', label: 'Id', type: 'id', class: 'open' },
  ...columns
    .filter(({ name }) => name !== 'id')
    .map(({ name, used }) => ({ name, label: used.field.label, type: used.field.type, class: used.class })),
]

/**
 * Returns a function that converts database rows to result rows. It is called for millions of rows of a file, so it copies an empty row,
 * which is faster than adding one property after another.
 */
export function createReportRowConverter(
  { columns }: CompiledRowQuery,
  ownCurrency: string,
  { withId = true } = {},
): (row: DatabaseRow) => ReportRow {
  const empty: ReportRow = Object.fromEntries([...(withId ? ['id'] : []), ...columns.map(({ name }) => name)].map((name) => [name, null]))
  const read = columns.map(({ name, used, currency }, i) => ({ name, alias: `c${i}`, type: used.field.type, currency }))
  return (row) => {
    const shown = { ...empty }
    if (withId) shown['id'] = String(row['id'])
    for (const { name, alias, type, currency } of read)
      shown[name] = toReportValue(row[alias], type, currency === null ? ownCurrency : String(row[currency] ?? ownCurrency))
    return shown
  }
}
