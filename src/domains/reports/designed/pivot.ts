import { AppError } from '../../../kernel/errors.ts'
import type { DataQuery } from '../../figures/query/data-query.ts'
import type { ReportColumn, ReportRow, ReportValue } from '../../figures/report-table.ts'
import type { PivotWidget } from './widgets.ts'

export const MAX_PIVOT_COLUMNS = 60

/** The complete result of a query that groups rows. */
export interface GroupedRows {
  columns: readonly ReportColumn[]
  rows: readonly ReportRow[]
}

export interface PivotTable {
  columns: ReportColumn[]
  rows: ReportRow[]
  totals: ReportRow
}

/** Returns the name of a group key in the result: `completedAt:month as month` is `month`. */
export const getGroupKeyName = (written: string): string => / as ([A-Za-z][A-Za-z0-9_]*)$/.exec(written.trim())?.[1] ?? written.trim()

/** Reduces a query to the given group keys. Sort keys that are no longer in the result are left out. */
function restrict(query: DataQuery, keys: readonly string[], sortable: readonly string[]): DataQuery {
  const groupBy = (query.groupBy ?? []).filter((written) => keys.includes(getGroupKeyName(written)))
  const orderBy = (query.orderBy ?? []).filter((one) => sortable.includes(one.replace(/^-/, '')))
  const { groupBy: _groupBy, orderBy: _orderBy, ...rest } = query
  return { ...rest, ...(groupBy.length > 0 ? { groupBy } : {}), ...(orderBy.length > 0 ? { orderBy } : {}) }
}

/**
 * Computes a pivot table with four queries: the cells, the totals of rows, the totals of columns, and the grand total. Totals of averages,
 * distinct counts and rates differ from the sums of their cells, so no total is computed by adding cells.
 */
export async function computePivot(
  { rows, columns, values, title }: Pick<PivotWidget, 'rows' | 'columns' | 'values' | 'title'>,
  query: DataQuery,
  run: (query: DataQuery) => Promise<GroupedRows>,
): Promise<PivotTable> {
  const cells = await run(query)
  requireNames(cells.columns, { rows, columns, values })
  const across = await run(restrict(query, columns, columns))
  if (across.rows.length > MAX_PIVOT_COLUMNS)
    throw new AppError(
      'limit_exceeded',
      `${title ?? 'The pivot'} would have ${across.rows.length} columns; at most ${MAX_PIVOT_COLUMNS} — filter ${columns.join(' and ')}, or use it in rows`,
    )
  const down = await run(restrict(query, rows, [...rows, ...values]))
  const grand = await run(restrict(query, [], []))
  const columnOf = new Map(cells.columns.map((column) => [column.name, column]))
  const heads = across.rows.map((row) => ({
    key: keyOf(row, columns),
    text: columns.map((name) => showKey(row[name] ?? null)).join(' · '),
  }))
  const cellOf = new Map(cells.rows.map((row) => [`${keyOf(row, rows)}\n${keyOf(row, columns)}`, row]))
  return {
    columns: [
      ...rows.map((name) => columnOf.get(name)!),
      ...heads.flatMap(({ text }) =>
        values.map((name) => ({ ...columnOf.get(name)!, name: `${name}[${text}]`, label: labelOf(columnOf.get(name)!, text, values) })),
      ),
      ...values.map((name) => ({ ...columnOf.get(name)!, label: labelOf(columnOf.get(name)!, 'Total', values) })),
    ],
    rows: down.rows.map((row) => ({
      ...pick(row, rows),
      ...spread(heads, values, (head) => cellOf.get(`${keyOf(row, rows)}\n${head.key}`)),
      ...pick(row, values),
    })),
    totals: { ...spread(heads, values, (_, at) => across.rows[at]), ...pick(grand.rows[0] ?? {}, values) },
  }
}

function requireNames(columns: readonly ReportColumn[], named: Readonly<Record<'rows' | 'columns' | 'values', readonly string[]>>): void {
  const known = columns.map(({ name }) => name)
  for (const [path, names] of Object.entries(named))
    for (const name of names)
      if (!known.includes(name))
        throw new AppError('invalid_arguments', `${path}: ${name} is not a column of the query — there are ${known.join(', ')}`, {
          fields: [{ path, message: `${name} is not a column of the query`, allowed: known }],
        })
}

const keyOf = (row: ReportRow, names: readonly string[]) => JSON.stringify(names.map((name) => row[name] ?? null))
const pick = (row: ReportRow, names: readonly string[]): ReportRow => Object.fromEntries(names.map((name) => [name, row[name] ?? null]))
const showKey = (value: ReportValue): string => (value === null ? '—' : typeof value === 'object' ? JSON.stringify(value) : String(value))
const labelOf = (column: ReportColumn, head: string, values: readonly string[]) =>
  values.length === 1 ? head : `${head} · ${column.label}`

/** Builds the values of one row under every column of a pivot table. A cell without rows is null. */
const spread = (
  heads: readonly { key: string; text: string }[],
  values: readonly string[],
  find: (head: { key: string; text: string }, at: number) => ReportRow | undefined,
): ReportRow =>
  Object.fromEntries(heads.flatMap((head, at) => values.map((name) => [`${name}[${head.text}]`, find(head, at)?.[name] ?? null])))
