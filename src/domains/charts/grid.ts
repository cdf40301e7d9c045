import type { ChartColumn, ChartRow, ChartTable, ChartValue } from './chart.ts'
import { type ChartMeasure, createUnsuitableDataError } from './measures.ts'
import { formatGroupKey, type PreparedChart } from './prepare.ts'
import { MAX_SERIES } from './theme.ts'

/** One value of a chart whose data is grouped by one or two keys. */
export interface GroupedChartCell {
  /** The index of the value's category in `categories`; `series` is the index of its series. */
  category: number
  series: number
  value: number
  /** The result row that contains the value; undefined if the value combines several rows. */
  row?: ChartRow
}

/** The values of a chart grouped by one or two keys, after small groups were merged into Other. */
export interface GroupedChartData {
  categories: readonly string[]
  /** The values of the first group key, in the order of `categories`. */
  keys: readonly ChartValue[]
  /** The names of the series. Data that is grouped by one key only is one series without a name: `[null]`. */
  series: readonly (string | null)[]
  cells: readonly GroupedChartCell[]
  /** The index of Other in `categories` and in `series`; -1 if nothing was merged. */
  otherCategory: number
  otherSeries: number
  merged: number
}

interface Keys {
  key: ChartColumn
  series?: ChartColumn | undefined
  measure: ChartMeasure
}

/** Lists the distinct values of a group key and their texts, in the order of the rows. Different values with equal texts stay separate. */
function indexKeys(
  chart: PreparedChart,
  column: ChartColumn,
): { labels: string[]; values: ChartValue[]; indexOf: (row: ChartRow) => number } {
  const positions = new Map<string, number>()
  const labels: string[] = []
  const values: ChartValue[] = []
  const identify = (row: ChartRow) => JSON.stringify([row[column.name] ?? null, row['suppressed'] === true])
  for (const row of chart.rows) {
    const id = identify(row)
    if (positions.has(id)) continue
    positions.set(id, labels.length)
    values.push(row[column.name] ?? null)
    labels.push(makeUnique(formatGroupKey(chart, column, row), labels))
  }
  return { labels, values, indexOf: (row) => positions.get(identify(row))! }
}

function makeUnique(label: string, used: readonly string[]): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? label : `${label} (${number})`
    if (!used.includes(candidate)) return candidate
  }
}

/** Reads the values of a chart, and merges the categories and series beyond the limits into Other. */
export function readGroupedChartData(
  chart: PreparedChart,
  keys: Keys,
  limits: { categories?: number; series?: number } = {},
): GroupedChartData {
  const categories = indexKeys(chart, keys.key)
  const series = keys.series ? indexKeys(chart, keys.series) : { labels: [null], indexOf: () => 0 }
  const cells: GroupedChartCell[] = []
  const seen = new Set<string>()
  for (const row of chart.rows) {
    const [category, one] = [categories.indexOf(row), series.indexOf(row)]
    const place = `${category} ${one}`
    if (seen.has(place)) throw ambiguous(chart, keys, categories.labels[category]!)
    seen.add(place)
    const value = keys.measure.read(row)
    if (value !== null) cells.push({ category, series: one, value, row })
  }
  const grid: GroupedChartData = {
    categories: categories.labels,
    keys: categories.values,
    series: series.labels,
    cells,
    otherCategory: -1,
    otherSeries: -1,
    merged: 0,
  }
  const { categories: maxCategories = Infinity, series: maxSeries = MAX_SERIES } = limits
  return mergeAxis(chart, keys, mergeAxis(chart, keys, grid, 'category', maxCategories), 'series', maxSeries)
}

const ambiguous = ({ kind }: PreparedChart, { key, series }: Keys, label: string) =>
  createUnsuitableDataError(
    `${kind} draws one value per ${key.name}${series ? ` and ${series.name}` : ''}, but ${JSON.stringify(label)} has several rows; group by ${series ? 'these keys only' : kind === 'donut' || kind === 'funnel' ? 'this key only' : 'this key only, or name the other key as series'}`,
  )

/** Keeps the groups with the largest sums and merges the others into Other. */
function mergeAxis(
  chart: PreparedChart,
  { key, series, measure }: Keys,
  grid: GroupedChartData,
  axis: 'category' | 'series',
  limit: number,
): GroupedChartData {
  const labels = axis === 'category' ? grid.categories : grid.series
  if (labels.length <= limit) return grid
  const name = axis === 'category' ? key.name : series!.name
  if (!chart.additive)
    throw createUnsuitableDataError(
      `${chart.kind} draws at most ${limit} values of ${name}, and there are ${labels.length}. ${measure.column.name} cannot be added up to Other; filter the rows`,
    )
  const sums = labels.map((_, index) => measure.sum(grid.cells.filter((cell) => cell[axis] === index).map(({ value }) => value)))
  const kept = sums
    .map((sum, index) => ({ sum, index }))
    .toSorted((a, b) => b.sum - a.sum || a.index - b.index)
    .slice(0, limit - 1)
    .map(({ index }) => index)
    .toSorted((a, b) => a - b)
  const other = kept.length
  const isKept = (cell: GroupedChartCell) => kept.includes(cell[axis])
  const across = axis === 'category' ? 'series' : 'category'
  const mergedCells = grid.cells.filter((cell) => !isKept(cell))
  const otherCells = [...new Set(mergedCells.map((cell) => cell[across]))]
    .toSorted((a, b) => a - b)
    .map((position) => {
      const values = mergedCells.filter((cell) => cell[across] === position).map(({ value }) => value)
      return { [axis]: other, [across]: position, value: measure.sum(values) } as unknown as GroupedChartCell
    })
  const cells = [...grid.cells.filter(isKept).map((cell) => ({ ...cell, [axis]: kept.indexOf(cell[axis]) })), ...otherCells]
  const keptLabels = kept.map((index) => labels[index]!)
  const all = [...keptLabels, makeUnique(chart.say('chart.other'), keptLabels)]
  const merged = grid.merged + mergedCells.filter(({ row }) => row !== undefined).length
  return axis === 'category'
    ? { ...grid, categories: all as string[], keys: [...kept.map((index) => grid.keys[index]!), null], cells, otherCategory: other, merged }
    : { ...grid, series: all, cells, otherSeries: other, merged }
}

/** Converts a chart to a table: the rows of the query result that the chart shows, and one row for each value of the group Other. */
export function toChartTable(chart: PreparedChart, { key, series, measure }: Keys, grid: GroupedChartData): ChartTable {
  const names = new Set([key.name, series?.name, measure.column.name])
  const rows = grid.cells.map((cell): ChartRow => {
    if (cell.row) return cell.row
    const values: [string, ChartValue][] = chart.columns.filter(({ name }) => !names.has(name)).map(({ name }) => [name, null])
    return Object.fromEntries([
      [key.name, grid.categories[cell.category]!],
      ...(series ? [[series.name, grid.series[cell.series] ?? null]] : []),
      [measure.column.name, measure.toValue(cell.value)],
      ...values,
    ]) as ChartRow
  })
  return { columns: chart.columns, rows }
}

export function sumSeries(
  { additive }: PreparedChart,
  measure: ChartMeasure,
  { series, cells }: GroupedChartData,
): { series: string | null; sum: ChartValue }[] {
  if (!additive) return []
  return series.map((name, index) => ({
    series: name,
    sum: measure.toValue(measure.sum(cells.filter((cell) => cell.series === index).map(({ value }) => value))),
  }))
}

export const getSeriesColor = ({ palette }: PreparedChart, { otherSeries }: Pick<GroupedChartData, 'otherSeries'>, index: number): string =>
  index === otherSeries ? palette.others : palette.series[index % palette.series.length]!
