import type { Chart, ChartKind, ChartTheme, YScale } from '../../charts/chart.ts'
import { type ChartPeriod, CHART_PERIODS } from '../../charts/periods.ts'
import { findStrictestAccessClass } from '../../figures/dictionary/classes.ts'
import { extractDataQuery } from '../../figures/query/arguments.ts'
import type { DataQuery } from '../../figures/query/data-query.ts'
import { createInvalidArgumentError, parseAggregate, parseGroupByKey } from '../../figures/query/names.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import type { ReportColumn } from '../../figures/report-table.ts'
import { isAdditiveColumn } from '../designed/additive.ts'
import { MAX_PLOTTED_GROUPS, type PlotRows, readPlotRows } from './plot-rows.ts'

/** The arguments of a chart: a query, and the kind of chart with its axes. */
export interface PlotRequest extends DataQuery {
  chart: ChartKind
  /** The numeric field that a histogram or box plot shows. */
  field?: string | undefined
  x?: string | undefined
  y?: string | undefined
  series?: string | undefined
  title?: string | undefined
  theme?: ChartTheme | undefined
  width?: number | undefined
  height?: number | undefined
  locale?: string | undefined
  yScale?: YScale | undefined
}

const LINES: readonly ChartKind[] = ['line', 'area', 'stackedArea']
/** Kinds of charts that draw the values of single rows. */
const DISTRIBUTIONS: readonly ChartKind[] = ['histogram', 'boxplot', 'scatter']

/** Reads the rows of a chart. The chart is rendered by the returned function, after the database transaction has ended. */
export async function readChartData(
  snapshot: QuerySnapshot,
  request: PlotRequest,
): Promise<{ chart: () => Promise<Chart>; rows: PlotRows; asOf: string }> {
  requireUsedArguments(request)
  const query = toChartQuery(request)
  const rows = await readPlotRows(snapshot, query)
  const keys = (query.groupBy ?? []).map((written, index) => parseGroupByKey(written, `groupBy/${index}`))
  const isDistribution = DISTRIBUTIONS.includes(request.chart) && query.fields !== undefined
  const x = request.x ?? (isDistribution ? undefined : keys[0]?.name)
  const second = keys.find(({ name }) => name !== x)?.name
  const y = request.y ?? request.field ?? (isDistribution ? undefined : findFirstMeasure(rows, keys.length))
  const bucket = keys.find(({ name }) => name === x)?.bucket
  return {
    chart: async () => {
      // The chart libraries are large and most processes never draw a chart, so they are loaded when the first chart is drawn.
      const { drawChart } = await import('../../charts/draw-chart.ts')
      return drawChart({
        kind: request.chart,
        columns: rows.columns,
        rows: rows.rows,
        x,
        y,
        series: request.series ?? (isDistribution ? undefined : second),
        title: request.title,
        theme: request.theme,
        width: request.width,
        height: request.height,
        locale: request.locale,
        yScale: request.yScale,
        // If rows can be in several groups, such as one per tag, the sum of all groups is larger than the total.
        additive: rows.overlapping === undefined && y !== undefined && isAdditiveColumn(query, y),
        period: (CHART_PERIODS as readonly string[]).includes(bucket ?? '') ? (bucket as ChartPeriod) : undefined,
      })
    },
    rows,
    asOf: snapshot.scope.asOf.toISOString(),
  }
}

const WITHOUT_SERIES: readonly ChartKind[] = [...DISTRIBUTIONS, 'donut', 'funnel', 'figure']
const WITHOUT_NUMBER_AXIS: readonly ChartKind[] = ['donut', 'funnel', 'heatmap', 'figure']

/** Throws for arguments that the kind of chart would ignore. */
function requireUsedArguments({ chart, field, x, y, series, yScale }: PlotRequest): void {
  if (field !== undefined && y !== undefined && field !== y)
    throw createInvalidArgumentError('field', 'and y both name the column of the values: pass one of them')
  if (x !== undefined && (chart === 'figure' || (chart === 'histogram' && (field ?? y) !== undefined)))
    throw createInvalidArgumentError('x', `a ${chart} shows one column: name it with field`)
  if (series !== undefined && WITHOUT_SERIES.includes(chart)) throw createInvalidArgumentError('series', `a ${chart} has no series`)
  if (yScale === 'log' && WITHOUT_NUMBER_AXIS.includes(chart))
    throw createInvalidArgumentError('yScale', `a ${chart} has no axis with a scale`)
}

const MEASURE_TYPES: readonly string[] = ['integer', 'decimal', 'percent', 'money']

const findFirstMeasure = ({ columns }: PlotRows, keyCount: number): string | undefined =>
  columns.slice(keyCount).find(({ type }) => MEASURE_TYPES.includes(type))?.name

/**
 * Returns the query of a chart. Histograms, box plots and scatter plots read single values instead of groups. Line charts show periods
 * without rows as 0 if all values are counts or sums.
 */
export function toChartQuery({ chart, field, x, y, ...request }: PlotRequest): DataQuery {
  const query = extractDataQuery(request)
  const hasColumns = (query.fields ?? query.groupBy ?? query.aggregates ?? query.metrics) !== undefined
  const fields = [...new Set([x, y, field].filter((name) => name !== undefined))]
  if (DISTRIBUTIONS.includes(chart) && !hasColumns && fields.length > 0) return { ...query, fields }
  return LINES.includes(chart) && canBeFilled(query, listValueNames(query))
    ? { ...query, fill: 'zero', fillAtMost: MAX_PLOTTED_GROUPS }
    : query
}

/** Whether periods without rows may be added with the value 0, which is correct only for counts and sums. */
function canBeFilled(query: DataQuery, names: readonly string[]): boolean {
  const keys = (query.groupBy ?? []).map((written, index) => parseGroupByKey(written, `groupBy/${index}`))
  const first = keys.find(({ bucket }) => bucket !== null && bucket !== 'step')?.bucket
  return (
    query.having === undefined &&
    (CHART_PERIODS as readonly string[]).includes(first ?? '') &&
    names.every((name) => isAdditiveColumn(query, name))
  )
}

/** Lists the names of a query's aggregates, metrics and calculations, which are the values of a chart. */
const listValueNames = ({ aggregates, metrics, calculate }: DataQuery): string[] => [
  ...(aggregates ?? []).map((written, index) => parseAggregate(written, `aggregates/${index}`).name),
  ...(metrics ?? []),
  ...(calculate ?? []).map((written) => written.split('=')[0]!.trim()),
]

/**
 * Describes a column of a chart. A column that the chart computed, such as the edges of bins, has the most restricted class of the columns
 * that it was computed from.
 */
export const describeChartColumn = (
  columns: readonly ReportColumn[],
  { name, label, type }: { name: string; label: string; type: string },
): ReportColumn => {
  const known = columns.find((column) => column.name === name)
  return known ?? { name, label, type: type as ReportColumn['type'], class: findStrictestAccessClass(columns) }
}
