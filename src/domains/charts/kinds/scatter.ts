import { describeChart } from '../alt-text.ts'
import type { ChartColumn } from '../chart.ts'
import type { DrawnChart } from '../drawn.ts'
import { makeFrame, computePlotArea } from '../frame.ts'
import { isNumericChartColumn, type ChartMeasure, createChartMeasure, createUnsuitableDataError } from '../measures.ts'
import { computeNumberAxis, findMinAndMax, type NumberAxis } from '../number-axis.ts'
import { getColumn, type PreparedChart } from '../prepare.ts'
import { makeScene, buildVegaNumberAxis } from '../scene.ts'
import { measureText } from '../../fonts/text-width.ts'
import { getSequentialColor } from '../theme.ts'

export const MAX_POINTS = 5000
/** If there are too many points, they are counted in a grid of this many columns and rows. */
const COLUMNS = 40
const ROWS = 24

type Point = readonly [x: number, y: number]

/** Draws a scatter plot of two numbers per row; if there are too many rows, it draws their counts in a grid of cells. */
export function drawScatter(chart: PreparedChart): DrawnChart {
  const { say } = chart
  const [x, y] = chooseNumbers(chart).map((column) => createChartMeasure(column, chart.rows, chart.locale)) as [ChartMeasure, ChartMeasure]
  const points = chart.rows.flatMap((row): Point[] => {
    const [a, b] = [x.read(row), y.read(row)]
    return a === null || b === null ? [] : [[a, b]]
  })
  if (chart.yScale === 'log' && points.length > 0) {
    const [lowest] = findMinAndMax(points.map(([, value]) => value))
    if (lowest <= 0) throw createUnsuitableDataError(`log needs values > 0; min is ${y.formatPlain(lowest)}`)
  }
  const title = chart.title ?? say('chart.by', { measure: y.column.label, key: x.column.label })
  const frame = makeFrame(chart, { title, subtitle: y.label })
  const { textSize } = frame
  const yAxis = computeNumberAxis(
    points.map(([, value]) => value),
    y,
    { type: chart.yScale ?? 'linear', fromZero: false, count: Math.max(2, (chart.height - frame.top - 4 * textSize) / 70), headroom: 0.02 },
  )
  const xAxis = computeNumberAxis(
    points.map(([value]) => value),
    x,
    { fromZero: false, count: Math.max(2, chart.width / 130) },
  )
  const plot = computePlotArea(frame, {
    left: Math.max(...yAxis.ticks.map(({ label }) => measureText(label, textSize))) + textSize * 0.8,
    right: Math.max(0, measureText(xAxis.ticks.at(-1)!.label, textSize) / 2 - frame.margin),
    bottom: textSize * 3.4,
  })
  const isBinned = points.length > MAX_POINTS
  const drawn = isBinned ? drawCells(chart, { points, x, y, xAxis, yAxis }) : drawPoints(chart, { points, x, y, xAxis, yAxis, textSize })
  return {
    scene: makeScene(chart, frame, plot, {
      ...drawn,
      labels: [
        { text: x.label, x: plot.x + plot.width / 2, y: plot.y + plot.height + textSize * 3, color: chart.palette.muted, align: 'center' },
      ],
    }),
    title,
    altText: describeChart(
      { ...chart, additive: false },
      {
        title,
        measure: y,
        values: points.map(([a, b]) => ({ label: `${x.column.label} ${x.format(a)}`, value: b })),
        ...spanOf(x, points),
      },
    ),
    shown: drawn.datasets.rows.length,
    merged: 0,
    table: isBinned ? drawn.table! : { columns: chart.columns, rows: chart.rows },
    sums: [],
  }
}

function spanOf(x: ChartMeasure, points: readonly Point[]) {
  if (points.length === 0) return {}
  const [low, high] = findMinAndMax(points.map(([value]) => value))
  return { span: [x.format(low), x.format(high)] as const }
}

function chooseNumbers(chart: PreparedChart): [ChartColumn, ChartColumn] {
  const numbers = chart.columns.filter(isNumericChartColumn)
  const x = chart.x === undefined ? numbers.find(({ name }) => name !== chart.y) : getColumn(chart, chart.x)
  const y = chart.y === undefined ? numbers.find(({ name }) => name !== x?.name) : getColumn(chart, chart.y)
  if (!x || !y) throw createUnsuitableDataError('scatter needs 2 numbers')
  return [x, y]
}

interface Parts {
  points: readonly Point[]
  x: ChartMeasure
  y: ChartMeasure
  xAxis: NumberAxis
  yAxis: NumberAxis
}

const channel = (field: string, { type, domain, ticks }: NumberAxis) => ({
  field,
  type: 'quantitative',
  scale: { type, domain: [...domain], nice: false, zero: false },
  axis: buildVegaNumberAxis(ticks),
})

function drawPoints({ palette, say }: PreparedChart, { points, x, y, xAxis, yAxis, textSize }: Parts & { textSize: number }) {
  return {
    layers: [
      {
        data: { name: 'rows' },
        mark: {
          type: 'circle',
          color: palette.series[0],
          opacity: points.length > 1000 ? 0.35 : 0.6,
          size: textSize * textSize * (points.length > 1000 ? 0.15 : 0.3),
        },
        encoding: { x: channel('x', xAxis), y: channel('y', yAxis), description: { field: 'label', type: 'nominal' } },
      },
    ],
    datasets: { rows: points.map(([a, b]) => ({ x: a, y: b, label: say('chart.item', { label: x.format(a), value: y.format(b) }) })) },
    table: undefined,
  }
}

/** Counts the points in a grid of cells, and draws a color for each count. */
function drawCells(chart: PreparedChart, parts: Parts) {
  const { x, y, xAxis, yAxis } = parts
  const cells = countCells(chart, parts)
  return {
    layers: [
      {
        data: { name: 'rows' },
        mark: { type: 'rect', stroke: chart.palette.background, strokeWidth: 1 },
        encoding: {
          x: channel('x1', xAxis),
          x2: { field: 'x2' },
          y: channel('y1', yAxis),
          y2: { field: 'y2' },
          color: { field: 'color', type: 'nominal', scale: null },
          description: { field: 'label', type: 'nominal' },
        },
      },
    ],
    datasets: { rows: cells },
    table: {
      columns: [
        ...(['x1', 'x2'] as const).map((name) => ({ name, label: x.column.label, type: x.column.type })),
        ...(['y1', 'y2'] as const).map((name) => ({ name, label: y.column.label, type: y.column.type })),
        { name: 'count', label: chart.say('chart.count'), type: 'integer' },
      ],
      rows: cells.map(({ x1, x2, y1, y2, count }) => ({
        x1: x.toValue(x1),
        x2: x.toValue(x2),
        y1: y.toValue(y1),
        y2: y.toValue(y2),
        count,
      })),
    },
  }
}

function countCells({ palette, say, locale }: PreparedChart, { points, x, y, xAxis, yAxis }: Parts) {
  const edge = ({ domain: [low, high], type }: NumberAxis, share: number) =>
    type === 'log' ? low * (high / low) ** share : low + (high - low) * share
  const counts = new Map<number, number>()
  for (const [a, b] of points) {
    const column = Math.min(COLUMNS - 1, Math.floor(xAxis.share(a) * COLUMNS))
    const row = Math.min(ROWS - 1, Math.floor(yAxis.share(b) * ROWS))
    counts.set(row * COLUMNS + column, (counts.get(row * COLUMNS + column) ?? 0) + 1)
  }
  const most = Math.max(...counts.values())
  const number = new Intl.NumberFormat(locale)
  return [...counts]
    .toSorted(([a], [b]) => a - b)
    .map(([at, count]) => {
      const [column, row] = [at % COLUMNS, Math.floor(at / COLUMNS)]
      const [x1, x2] = [edge(xAxis, column / COLUMNS), edge(xAxis, (column + 1) / COLUMNS)]
      const [y1, y2] = [edge(yAxis, row / ROWS), edge(yAxis, (row + 1) / ROWS)]
      const label = `${say('chart.range', { from: x.format(x1), until: x.format(x2) })}, ${say('chart.range', { from: y.format(y1), until: y.format(y2) })}`
      // The lightest colors of the scale are left out, because they are too close to the background.
      const color = getSequentialColor(palette, 0.12 + 0.88 * Math.sqrt(count / most))
      return { x1, x2, y1, y2, count, color, label: say('chart.item', { label, value: number.format(count) }) }
    })
}
