import { placeTickLabels, placeRowLabels } from '../axis-labels.ts'
import { describeChart } from '../alt-text.ts'
import type { DrawnChart } from '../drawn.ts'
import { makeFrame, computePlotArea, type PlotArea } from '../frame.ts'
import { type GroupedChartCell, type GroupedChartData, toChartTable, readGroupedChartData, sumSeries } from '../grid.ts'
import { isNumericChartColumn, type ChartMeasure, createUnsuitableDataError } from '../measures.ts'
import { findMinAndMax } from '../number-axis.ts'
import { chooseFittingTicks } from '../periods.ts'
import { chooseKeyColumn, chooseMeasureColumn, chooseSeriesColumn, chooseTitle, getColumn, type PreparedChart } from '../prepare.ts'
import { makeScene, type PlacedText } from '../scene.ts'
import { measureText, truncateText } from '../../fonts/text-width.ts'
import { getSequentialColor, chooseTextColor } from '../theme.ts'
import { createTickFitCheck } from './line-positions.ts'

/** Maximum number of cells of a heatmap whose values are printed. */
const MAX_PRINTED = 200
const MAX_ROWS = 60
const MAX_COLUMNS = 120
/** Maximum width of a column name, as a share of the plot's width, if not all column names fit. */
const MAX_NAME_SHARE = 0.12

/** Draws a heatmap: a color for the value of each combination of two group keys. */
export function drawHeatmap(chart: PreparedChart): DrawnChart {
  const { palette, say } = chart
  const key = chooseKeyColumn(chart)
  const named = chart.series === undefined ? undefined : getColumn(chart, chart.series)
  const measure = chooseMeasureColumn(chart, key, named)
  const series = named ?? chooseSeriesColumn(chart, key, measure.column)
  if (!series) throw createUnsuitableDataError('heatmap needs 2 keys; name a second field in groupBy')
  const grid = sortNumbers(
    readGroupedChartData(chart, { key, series, measure }, { categories: MAX_COLUMNS, series: MAX_ROWS }),
    isNumericChartColumn(key),
    isNumericChartColumn(series),
  )
  const title = chooseTitle(chart, measure.column.label, key.label, series.label)
  const frame = makeFrame(chart, { title, subtitle: measure.label })
  const { textSize } = frame
  const rowLabels = grid.series.map((label) => label ?? '')
  const labelWidth = Math.min(chart.width * 0.28, Math.max(0, ...rowLabels.map((label) => measureText(label, textSize))))
  const plot = computePlotArea(frame, { left: labelWidth + textSize * 0.7, bottom: textSize * 3.4 })
  const [low, high] = grid.cells.length === 0 ? [0, 1] : findMinAndMax(grid.cells.map(({ value }) => value))
  const start = low >= 0 ? 0 : low
  const colorFor = (value: number) => getSequentialColor(palette, high === start ? 0 : (value - start) / (high - start))
  const nameOf = ({ category, series: row }: GroupedChartCell) => `${grid.categories[category]}, ${rowLabels[row]}`
  return {
    scene: makeScene(chart, frame, plot, {
      layers: [makeCellLayer(palette.background, grid)],
      datasets: {
        rows: grid.cells.map((cell) => ({
          column: cell.category,
          row: cell.series,
          color: colorFor(cell.value),
          label: say('chart.item', { label: nameOf(cell), value: measure.format(cell.value) }),
        })),
      },
      labels: [
        ...labelAxes(chart, { grid, plot, textSize, labelWidth, frame, keyLabel: key.label }),
        ...printValues(measure, { grid, plot, textSize, colorFor }),
      ],
    }),
    title,
    altText: describeChart(chart, { title, measure, values: grid.cells.map((cell) => ({ label: nameOf(cell), value: cell.value })) }),
    shown: grid.cells.length,
    merged: grid.merged,
    table: toChartTable(chart, { key, series, measure }, grid),
    sums: sumSeries(chart, measure, grid),
  }
}

/** Sorts categories and series with numeric keys, such as hours; the others keep the order of the rows. */
function sortNumbers(grid: GroupedChartData, categories: boolean, series: boolean): GroupedChartData {
  const rankOf = (labels: readonly (string | null)[], keys: readonly unknown[]) => {
    const order = labels.map((_, index) => index).sort((a, b) => Number(keys[a] ?? Infinity) - Number(keys[b] ?? Infinity))
    return { order, rank: labels.map((_, index) => order.indexOf(index)) }
  }
  let sorted = grid
  if (categories) {
    const { order, rank } = rankOf(grid.categories, grid.keys)
    sorted = {
      ...sorted,
      categories: order.map((index) => grid.categories[index]!),
      keys: order.map((index) => grid.keys[index]!),
      cells: sorted.cells.map((cell) => ({ ...cell, category: rank[cell.category]! })),
    }
  }
  if (series) {
    const { order, rank } = rankOf(grid.series, grid.series)
    sorted = {
      ...sorted,
      series: order.map((index) => grid.series[index]!),
      cells: sorted.cells.map((cell) => ({ ...cell, series: rank[cell.series]! })),
    }
  }
  return sorted
}

const cellSize = ({ width, height }: PlotArea, { categories, series }: GroupedChartData) => ({
  width: width / Math.max(1, categories.length),
  height: height / Math.max(1, series.length),
})

function makeCellLayer(background: string, { categories, series }: GroupedChartData) {
  const position = (field: string, count: number) => ({
    field,
    type: 'ordinal',
    scale: { domain: Array.from({ length: count }, (_, index) => index), padding: 0 },
    axis: null,
  })
  return {
    data: { name: 'rows' },
    mark: { type: 'rect', stroke: background, strokeWidth: 1 },
    encoding: {
      x: position('column', categories.length),
      y: position('row', series.length),
      color: { field: 'color', type: 'nominal', scale: null },
      description: { field: 'label', type: 'nominal' },
    },
  }
}

interface AxisParts {
  grid: GroupedChartData
  plot: PlotArea
  textSize: number
  labelWidth: number
  frame: Parameters<typeof createTickFitCheck>[0]['frame']
  keyLabel: string
}

/** Places the names of rows to the left of the heatmap, and as many column names as fit below it. */
function labelAxes({ palette }: PreparedChart, { grid, plot, textSize, labelWidth, frame, keyLabel }: AxisParts): PlacedText[] {
  const cell = cellSize(plot, grid)
  const look = { plot, textSize, color: palette.text }
  const domain = [0, Math.max(1, grid.categories.length)] as const
  const labelOf = (index: number) => truncateText(grid.categories[index]!, Math.max(cell.width - 4, plot.width * MAX_NAME_SHARE), textSize)
  const columns = chooseFittingTicks(
    grid.categories.map((_, index) => index),
    (taken) => taken.map((index) => ({ value: index + 0.5, label: labelOf(index) })),
    createTickFitCheck({ plot, frame, domain }),
  )
  return [
    ...placeRowLabels(
      grid.series.map((label) => label ?? ''),
      { ...look, width: labelWidth },
    ),
    ...placeTickLabels(columns, { ...look, domain }),
    { text: keyLabel, x: plot.x + plot.width / 2, y: plot.y + plot.height + textSize * 2.9, color: palette.muted, align: 'center' },
  ]
}

function printValues(
  measure: ChartMeasure,
  { grid, plot, textSize, colorFor }: { grid: GroupedChartData; plot: PlotArea; textSize: number; colorFor: (value: number) => string },
): PlacedText[] {
  if (grid.cells.length > MAX_PRINTED) return []
  const cell = cellSize(plot, grid)
  const texts = grid.cells.map(({ value }) => measure.formatShort(value))
  const widest = Math.max(0, ...texts.map((text) => measureText(text, textSize)))
  const size = Math.min(textSize, cell.height * 0.8, (textSize * (cell.width - 4)) / Math.max(1, widest))
  // Values are not printed if the text would be too small to read.
  if (size < 7) return []
  return grid.cells.map(({ category, series, value }, index) => ({
    text: texts[index]!,
    x: plot.x + (category + 0.5) * cell.width,
    y: plot.y + (series + 0.5) * cell.height,
    color: chooseTextColor(colorFor(value)),
    align: 'center',
    size,
  }))
}
