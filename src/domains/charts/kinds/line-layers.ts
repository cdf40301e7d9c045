import { getSeriesColor, type GroupedChartData } from '../grid.ts'
import type { ChartMeasure } from '../measures.ts'
import type { NumberAxis } from '../number-axis.ts'
import type { Tick } from '../periods.ts'
import type { PreparedChart } from '../prepare.ts'
import { buildVegaNumberAxis } from '../scene.ts'
import { SERIES_DASH_PATTERNS, SERIES_POINT_SHAPES } from '../theme.ts'
import type { LinePoint } from './line-points.ts'

type Json = Record<string, unknown>

/** Maximum number of points of a line that are marked with a shape, because more shapes would hide the line. */
const MAX_SHAPES = 14

export interface LineLayerInput {
  grid: GroupedChartData
  points: readonly LinePoint[]
  axis: NumberAxis
  ticks: readonly Tick[]
  domain: readonly [number, number]
  measure: ChartMeasure
  textSize: number
}

export function makeLineLayers(chart: PreparedChart, parts: LineLayerInput): { layers: Json[]; datasets: Record<string, Json[]> } {
  const { palette, kind } = chart
  const { axis, ticks, domain, textSize } = parts
  const x = {
    field: 'x',
    // Times are passed to Vega as numbers of milliseconds, because its time scale would use the time zone of the machine.
    type: 'quantitative',
    scale: { domain: [...domain], nice: false, zero: false },
    axis: {
      values: ticks.map(({ value }) => value),
      labels: false,
      grid: false,
      tickSize: Math.round(textSize * 0.4),
    },
  }
  const y = (field: string) => ({
    field,
    type: 'quantitative',
    scale: { type: axis.type, domain: axis.domain, nice: false, zero: false },
    axis: buildVegaNumberAxis(axis.ticks),
    stack: null,
  })
  const unscaled = (field: string) => ({ field, type: 'nominal', scale: null, legend: null })
  const path = { x, detail: [{ field: 'path', type: 'nominal' }] }
  const area = {
    data: { name: 'rows' },
    mark: {
      type: 'area',
      aria: false,
      opacity: kind === 'area' ? 0.22 : 1,
      line: false,
      ...(kind === 'stackedArea' ? { stroke: palette.background, strokeWidth: 1 } : {}),
    },
    encoding: { ...path, y: y('until'), y2: kind === 'stackedArea' ? { field: 'from' } : { datum: 0 }, color: unscaled('color') },
  }
  const line = {
    data: { name: 'rows' },
    mark: { type: 'line', aria: false, strokeWidth: Math.max(1.5, textSize / 6), strokeJoin: 'round' },
    encoding: { ...path, y: y('until'), stroke: unscaled('color'), strokeDash: { ...unscaled('dash'), type: 'ordinal' } },
  }
  const points = {
    data: { name: 'rows' },
    mark: { type: 'point', filled: true, opacity: 1, strokeWidth: 0 },
    encoding: {
      x,
      y: y('until'),
      fill: unscaled('pointColor'),
      shape: unscaled('shape'),
      size: { field: 'size', type: 'quantitative', scale: null, legend: null },
      description: { field: 'label', type: 'nominal' },
    },
  }
  return {
    layers: [...(kind === 'line' ? [] : [area]), ...(kind === 'stackedArea' ? [] : [line]), points],
    datasets: { rows: toRows(chart, parts) },
  }
}

function toRows(chart: PreparedChart, { grid, points, measure, textSize }: LineLayerInput): Json[] {
  const isStacked = chart.kind === 'stackedArea'
  const every = Math.max(1, Math.ceil(grid.categories.length / MAX_SHAPES))
  const lastOf = new Map(points.map((point) => [point.series, point]))
  // Different lines are marked at different points, so that their shapes do not cover each other.
  const hasShape = (point: LinePoint) =>
    lastOf.get(point.series) === point ||
    isLonely(point, points) ||
    (grid.series.length > 1 && point.category % every === Math.round((point.series * every) / 6) % every)
  return points.map((point) => {
    const color = getSeriesColor(chart, grid, point.series)
    return {
      x: point.x,
      until: point.until,
      from: point.from ?? 0,
      path: `${point.series} ${point.run}`,
      color,
      dash: isStacked ? [] : SERIES_DASH_PATTERNS[point.series % SERIES_DASH_PATTERNS.length]!,
      shape: isStacked ? 'circle' : SERIES_POINT_SHAPES[point.series % SERIES_POINT_SHAPES.length]!,
      pointColor: isStacked ? chart.palette.background : color,
      size: !isStacked && hasShape(point) ? textSize * textSize * 0.36 : 2,
      label: chart.say('chart.item', { label: point.label, value: measure.format(point.value) }),
    }
  })
}

/** Whether no line leads to or from the point. It is then drawn as a dot. */
const isLonely = (point: LinePoint, points: readonly LinePoint[]) =>
  points.filter(({ series, run }) => series === point.series && run === point.run).length === 1
