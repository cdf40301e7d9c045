import { AppError } from '../../../kernel/errors.ts'
import type { DataQuery } from '../../figures/query/data-query.ts'
import { validateRowOrGroupArguments, streamQuery } from '../../figures/query/run-query.ts'
import { runGroupQuery } from '../../figures/query/run-groups.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import type { ReportColumn, ReportRow } from '../../figures/report-table.ts'

export const MAX_PLOTTED_GROUPS = 5000
/** The maximum number of rows of a distribution chart. They are all in memory, because quartiles and bins need all rows. */
const MAX_PLOTTED_ROWS = 50_000

/** The result rows of a chart's query, with the warnings that query_data would return for the same query. */
export interface PlotRows {
  columns: ReportColumn[]
  rows: ReportRow[]
  overlapping?: true
  /** Whether `rows` lacks the periods without any row, because there are too many of them. The chart shows 0 for them. */
  hasGaps?: true
  suppressed?: { rows: number; participants: number }
}

/** Reads all rows of a chart, up to the limit of the query. */
export async function readPlotRows(snapshot: QuerySnapshot, query: DataQuery): Promise<PlotRows> {
  validateRowOrGroupArguments(snapshot, query)
  return query.fields === undefined ? readGroups(snapshot, query) : readList(snapshot, query)
}

async function readGroups(snapshot: QuerySnapshot, query: DataQuery): Promise<PlotRows> {
  const { columns, rows, isOverlapping, hasGaps, suppressed } = await runGroupQuery(snapshot, query)
  const taken = rows.slice(0, query.limit ?? rows.length)
  if (taken.length > MAX_PLOTTED_GROUPS) throw tooMany(taken.length, MAX_PLOTTED_GROUPS, 'groups', 'use a larger bucket')
  return {
    columns,
    rows: taken,
    ...(isOverlapping ? { overlapping: true as const } : {}),
    ...(hasGaps ? { hasGaps: true as const } : {}),
    ...(suppressed ? { suppressed } : {}),
  }
}

async function readList(snapshot: QuerySnapshot, query: DataQuery): Promise<PlotRows> {
  // A chart needs the values of its rows, even if the report is run only to count its rows.
  const { onlyCounts: _onlyCounts, ...withFields } = snapshot
  const { columns, rows } = await streamQuery(withFields, query)
  const taken: ReportRow[] = []
  for await (const row of rows) {
    if (query.limit !== undefined && taken.length >= query.limit) break
    taken.push(row)
    if (taken.length > MAX_PLOTTED_ROWS) throw tooMany(taken.length, MAX_PLOTTED_ROWS, 'rows', 'group by step(n)')
  }
  return { columns, rows: taken }
}

const tooMany = (count: number, limit: number, what: string, instead: string) =>
  new AppError(
    'limit_exceeded',
    `A chart draws at most ${limit.toLocaleString('en')} ${what}, and there are ${count.toLocaleString('en')} or more; add a filter or ${instead}`,
  )
