import { placeTickLabels } from '../axis-labels.ts'
import { describeChart } from '../alt-text.ts'
import type { DrawnChart } from '../drawn.ts'
import { type ChartFrame, makeFrame, computePlotArea, type PlotArea } from '../frame.ts'
import { getSeriesColor, type GroupedChartData, toChartTable, readGroupedChartData, sumSeries } from '../grid.ts'
import { type ChartMeasure, createUnsuitableDataError } from '../measures.ts'
import { computeNumberAxis, findMinAndMax } from '../number-axis.ts'
import { chooseKeyColumn, chooseMeasureColumn, chooseSeriesColumn, chooseTitle, type PreparedChart } from '../prepare.ts'
import { makeScene, type PlacedText } from '../scene.ts'
import { measureText, truncateText } from '../../fonts/text-width.ts'
import { type LinePoint, placePoints } from './line-points.ts'
import { makeLineLayers } from './line-layers.ts'
import { placeGroupKeysOnAxis, createTickFitCheck } from './line-positions.ts'

/** Maximum share of the chart's width that the names at the ends of lines may take up. */
const MAX_NAME_SHARE = 0.24

/** Draws lines or areas over time or over the values of another ordered group key. */
export function drawLines(chart: PreparedChart): DrawnChart {
  const key = chooseKeyColumn(chart)
  const measure = chooseMeasureColumn(chart, key)
  const series = chooseSeriesColumn(chart, key, measure.column)
  const isStacked = chart.kind === 'stackedArea'
  const read = readGroupedChartData(chart, { key, series, measure })
  checkValues(chart, measure, read)
  const { positions, grid, ticksFor } = placeGroupKeysOnAxis(chart, key, read)
  const points = placePoints(chart, measure, { grid, positions, isStacked })
  const title = chooseTitle(chart, measure.column.label, key.label, series?.label)
  const frame = makeFrame(chart, { title, subtitle: measure.label })
  const { textSize } = frame
  const values = points.flatMap(({ from, until }) => (from === null ? [until] : [from, until]))
  const axis = computeNumberAxis(values, measure, {
    type: chart.yScale ?? 'linear',
    fromZero: chart.kind !== 'line' || startsAtZero(values),
    count: Math.max(2, (chart.height - frame.top - 4 * textSize) / 70),
  })
  const names = nameEnds(chart, measure, { grid, points, frame })
  const plot = computePlotArea(frame, {
    left: Math.max(...axis.ticks.map(({ label }) => measureText(label, textSize))) + textSize * 0.6,
    right: Math.max(0, ...names.map(({ text }) => measureText(text, textSize))) + textSize,
    bottom: textSize * 1.7,
  })
  const domain = domainOf(positions)
  const ticks = ticksFor(createTickFitCheck({ plot, frame, domain }))
  const { layers, datasets } = makeLineLayers(chart, { grid, points, axis, ticks, domain, measure, textSize })
  return {
    scene: makeScene(chart, frame, plot, {
      layers,
      datasets,
      labels: [
        ...spreadNames(names, { plot, frame, share: axis.share }),
        ...placeTickLabels(ticks, { plot, textSize, color: chart.palette.muted, domain }),
      ],
    }),
    title,
    altText: describeChart(chart, { title, measure, values: points.map(({ label, value }) => ({ label, value })), ...spanOf(grid) }),
    shown: points.length,
    merged: grid.merged,
    table: toChartTable(chart, { key, series, measure }, grid),
    sums: sumSeries(chart, measure, grid),
  }
}

/** Returns the range of the x axis. If all points have the same position, the range is chosen so that the points are in the middle. */
function domainOf(positions: readonly number[]): readonly [number, number] {
  if (positions.length === 0) return [0, 1]
  const [low, high] = findMinAndMax(positions)
  return low === high ? [low - 1, high + 1] : [low, high]
}

const spanOf = ({ categories }: GroupedChartData) =>
  categories.length === 0 ? {} : { span: [categories[0]!, categories.at(-1)!] as const }

/** Whether the y axis starts at 0. It does not if all values are far from 0, so that changes stay visible. */
function startsAtZero(values: readonly number[]): boolean {
  if (values.length === 0) return true
  const [low, high] = findMinAndMax(values)
  return low <= 0 || low === high || high - low > low / 4
}

function checkValues({ kind, yScale, additive }: PreparedChart, measure: ChartMeasure, { cells }: GroupedChartData): void {
  const lowest = cells.length === 0 ? null : findMinAndMax(cells.map(({ value }) => value))[0]
  if (yScale === 'log' && kind !== 'line')
    throw createUnsuitableDataError(`${kind} starts at 0, which a log scale does not have; use line or scatter`)
  if (yScale === 'log' && lowest !== null && lowest <= 0)
    throw createUnsuitableDataError(`log needs values > 0; min is ${measure.formatPlain(lowest)}`)
  if (kind !== 'stackedArea') return
  if (!additive) throw createUnsuitableDataError(`${kind} needs values that can be added up; ${measure.column.name} cannot. Use line`)
  if (lowest !== null && lowest < 0) throw createUnsuitableDataError(`${kind} needs values ≥ 0; min is ${measure.formatPlain(lowest)}`)
}

interface EndName {
  text: string
  value: number
  color: string
}

/** Formats the label at the end of each line: the name of the series and its last value; only the value if there is one series. */
function nameEnds(
  chart: PreparedChart,
  measure: ChartMeasure,
  { grid, points, frame }: { grid: GroupedChartData; points: readonly LinePoint[]; frame: ChartFrame },
): EndName[] {
  return grid.series.flatMap((name, index) => {
    const last = points.findLast(({ series }) => series === index)
    if (!last) return []
    const value = measure.formatShort(last.value)
    const room = chart.width * MAX_NAME_SHARE - measureText(`  ${value}`, frame.textSize)
    return [
      {
        text: name === null ? value : `${truncateText(name, room, frame.textSize)}  ${value}`,
        value: last.from === null ? last.until : (last.from + last.until) / 2,
        color: name === null ? chart.palette.text : getSeriesColor(chart, grid, index),
      },
    ]
  })
}

/** Moves labels apart that would overlap, in the order of their values, and keeps them beside the plot. */
function spreadNames(
  names: readonly EndName[],
  { plot, frame, share }: { plot: PlotArea; frame: ChartFrame; share: (value: number) => number },
): PlacedText[] {
  const gap = frame.textSize * 1.35
  const wished = names
    .map(({ value, ...name }) => ({ ...name, y: plot.y + (1 - share(value)) * plot.height }))
    .toSorted((a, b) => a.y - b.y)
  for (const [index, name] of wished.entries()) if (index > 0) name.y = Math.max(name.y, wished[index - 1]!.y + gap)
  for (let index = wished.length - 1; index >= 0; index--) {
    const lowest = index === wished.length - 1 ? plot.y + plot.height : wished[index + 1]!.y - gap
    wished[index]!.y = Math.min(wished[index]!.y, lowest)
  }
  return wished.map(({ text, y, color }) => ({ text, x: plot.x + plot.width + frame.textSize * 0.8, y, color }))
}
