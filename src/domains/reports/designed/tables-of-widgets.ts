import { AppError, invalidArguments } from '../../../kernel/errors.ts'
import type { DataQuery } from '../../figures/query/data-query.ts'
import { StatementPlan } from '../../figures/query/plan.ts'
import { runGroupQuery } from '../../figures/query/run-groups.ts'
import { runDataQuery, streamQuery } from '../../figures/query/run-query.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import type { ReportColumn, ReportRow, ReportTable } from '../../figures/report-table.ts'
import { isAdditiveColumn } from './additive.ts'
import { computePivot, type GroupedRows } from './pivot.ts'
import type { PivotWidget, TableWidget } from './widgets.ts'

export interface OpenedWidgetTable {
  table: ReportTable
  /** The paths of columns that the caller may not see. */
  withheld: string[]
}

const NO_CHECKS = () => []

/** Opens the table of a query. Rows are read while they are consumed; a separate query computes the totals. */
export async function openQueryTable(
  snapshot: QuerySnapshot,
  widget: TableWidget,
  query: DataQuery,
  title: string,
): Promise<OpenedWidgetTable> {
  const { visible, withheld } = withholdFields(snapshot, query)
  if (visible === null) return { table: emptyTable(title), withheld }
  const { columns, rows } = await streamQuery(snapshot, visible)
  const shown = chooseColumns(widget, columns, visible, withheld)
  const totals = await computeTotals(snapshot, widget, visible, { columns: shown, withheld })
  const limit = Math.min(widget.maxRows ?? Infinity, query.limit ?? Infinity)
  return { table: { title, columns: shown, rows: takeRows(rows, limit), totals: () => totals, checks: NO_CHECKS }, withheld }
}

const emptyTable = (title: string): ReportTable => ({ title, columns: [], rows: takeRows([], 0), totals: () => ({}), checks: NO_CHECKS })

async function* takeRows(rows: AsyncIterable<ReportRow> | Iterable<ReportRow>, limit: number): AsyncGenerator<ReportRow> {
  if (limit < 1) return
  let count = 0
  for await (const row of rows) {
    yield row
    if (++count >= limit) return
  }
}

/** Removes fields that the caller may not see from a query for rows. The query itself is rejected if it filters or sorts by such fields. */
function withholdFields({ dictionary, scope, reader }: QuerySnapshot, query: DataQuery): { visible: DataQuery | null; withheld: string[] } {
  const entity = query.entity === undefined ? undefined : dictionary.get(query.entity)
  if (!query.fields || !entity) return { visible: query, withheld: [] }
  const withheld = query.fields.filter((path, at) => {
    const plan = new StatementPlan(dictionary, scope, entity)
    plan.field(path, `fields/${at}`, 'column')
    return plan.needs.some(({ permission }) => !reader.permissions.has(permission))
  })
  if (withheld.length === 0) return { visible: query, withheld }
  const fields = query.fields.filter((path) => !withheld.includes(path))
  const hidden = (query.orderBy ?? []).filter((one) => withheld.includes(one.replace(/^-/, '')))
  const orderBy = (query.orderBy ?? []).filter((one) => !hidden.includes(one))
  return { visible: fields.length === 0 ? null : { ...query, fields, orderBy }, withheld }
}

/**
 * Returns the columns that the widget names, in its order and with its labels; all columns if it names none. The row id is shown only if it
 * is named.
 */
function chooseColumns(
  widget: TableWidget,
  columns: readonly ReportColumn[],
  query: DataQuery,
  withheld: readonly string[],
): ReportColumn[] {
  if (!widget.columns) return columns.filter(({ name }) => name !== 'id' || query.fields?.includes('id'))
  return widget.columns
    .filter(({ name }) => !withheld.includes(name))
    .map(({ name, ...shown }) => {
      const column = columns.find((one) => one.name === name)
      if (!column) throw createUnknownColumnError('columns', name, columns)
      return { ...column, ...shown, label: shown.label ?? column.label }
    })
}

export const createUnknownColumnError = (path: string, name: string, columns: readonly ReportColumn[]): AppError =>
  invalidArguments([{ path, message: `${name} is not a column of the query`, allowed: columns.map((one) => one.name) }])

/** Computes totals over all rows of the query, including rows that are not shown. Only additive values have a total. */
async function computeTotals(
  snapshot: QuerySnapshot,
  widget: TableWidget,
  query: DataQuery,
  { columns, withheld }: { columns: readonly ReportColumn[]; withheld: readonly string[] },
): Promise<ReportRow> {
  const names = (widget.totals ?? []).filter((name) => columns.some((column) => column.name === name))
  const missing = (widget.totals ?? []).find((name) => !names.includes(name) && !withheld.includes(name))
  if (missing !== undefined) throw createUnknownColumnError('totals', missing, columns)
  if (names.length === 0) return {}
  const summed = query.fields ? sumFields(query, names) : withoutGroups(query, names)
  const { rows } = await runDataQuery(snapshot, summed)
  // A query that includes test data returns one row for real data and one for test data. Totals are shown for real data only.
  const row = rows.find((one) => one['isTestData'] !== true) ?? {}
  return Object.fromEntries(names.map((name) => [name, row[query.fields ? `t${names.indexOf(name)}` : name] ?? null]))
}

/** Builds the query that sums fields over all rows of a list. */
const sumFields = ({ entity, filter, includeTestData }: DataQuery, names: readonly string[]): DataQuery => ({
  entity,
  aggregates: names.map((name, at) => `sum(${name}) as t${at}`),
  ...(filter ? { filter } : {}),
  ...(includeTestData ? { includeTestData } : {}),
})

/** Builds the query for the totals of a query with groups: the same values over all rows, without groups. */
function withoutGroups(query: DataQuery, names: readonly string[]): DataQuery {
  const fixed = names.find((name) => !isAdditiveColumn(query, name))
  if (fixed !== undefined)
    throw invalidArguments([{ path: 'totals', message: `${fixed} cannot be added up: averages, distinct counts and rates have no total` }])
  if (query.having) throw invalidArguments([{ path: 'totals', message: 'totals are not possible together with having' }])
  const { groupBy: _groupBy, orderBy: _orderBy, fill: _fill, limit: _limit, ...rest } = query
  return rest
}

/**
 * Opens a pivot table. Small groups are not merged in it, so that no hidden cell can be computed from the totals; instead the caller needs
 * the permissions for its keys.
 */
export async function queryPivotTable(snapshot: QuerySnapshot, widget: PivotWidget, query: DataQuery, title: string): Promise<ReportTable> {
  const run = async (one: DataQuery): Promise<GroupedRows> => {
    const { columns, rows } = await runGroupQuery(snapshot, one)
    const personal = columns.find((column) => column.class === 'personal' || column.class === 'sensitive')
    if (personal && !snapshot.reader.permissions.has('personal.read'))
      throw new AppError('forbidden', `Forbidden — a pivot by ${personal.name} requires the personal.read permission`, {
        fields: [{ path: personal.name, message: 'needs personal.read; a table merges small groups instead' }],
      })
    return { columns, rows }
  }
  const { columns, rows, totals } = await computePivot(widget, query, run)
  return { title, columns, rows: takeRows(rows, Infinity), totals: () => totals, checks: NO_CHECKS }
}
