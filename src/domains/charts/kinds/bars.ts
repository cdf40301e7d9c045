import { placeTickLabels, placeRowLabels } from '../axis-labels.ts'
import { describeChart } from '../alt-text.ts'
import { makeFrame, computePlotArea } from '../frame.ts'
import { getSeriesColor, type GroupedChartData, toChartTable, readGroupedChartData, sumSeries } from '../grid.ts'
import type { DrawnChart } from '../drawn.ts'
import { type ChartMeasure, createUnsuitableDataError } from '../measures.ts'
import { computeNumberAxis } from '../number-axis.ts'
import { chooseKeyColumn, chooseMeasureColumn, chooseSeriesColumn, chooseTitle, type PreparedChart } from '../prepare.ts'
import { makeScene } from '../scene.ts'
import { measureText } from '../../fonts/text-width.ts'
import { layOutBars, labelBars } from './bar-layout.ts'
import { makeBarLayers } from './bar-layers.ts'

export const MAX_BARS = 30
/** Maximum number of characters of a label below a vertical bar. With longer labels the bars are horizontal. */
const MAX_LABEL_LENGTH = 12
/** Maximum share of the chart's width that category labels may take up. */
const MAX_LABEL_SHARE = 0.32

/** Draws one bar per category; with a second group key, grouped or stacked bars. */
export function drawBars(chart: PreparedChart): DrawnChart {
  const key = chooseKeyColumn(chart)
  const measure = chooseMeasureColumn(chart, key)
  const series = chooseSeriesColumn(chart, key, measure.column)
  checkBars(chart, measure)
  const grid = readGroupedChartData(chart, { key, series, measure }, { categories: MAX_BARS })
  const title = chooseTitle(chart, measure.column.label, key.label, series?.label)
  const legend = series ? grid.series.map((label, index) => ({ label: label!, color: getSeriesColor(chart, grid, index) })) : []
  const frame = makeFrame(chart, { title, subtitle: measure.label, legend })
  const { textSize } = frame
  const isHorizontal = liesFlat(chart, grid, textSize)
  const labelWidth = Math.min(chart.width * MAX_LABEL_SHARE, Math.max(0, ...grid.categories.map((label) => measureText(label, textSize))))
  const bars = layOutBars(grid, chart.kind === 'stackedBar')
  const ends = bars.flatMap(({ from, until }) => [from, until])
  const roughLength = isHorizontal ? chart.width - 2 * frame.margin - labelWidth : chart.height - frame.top - 4 * textSize
  const valueLabel = Math.max(0, ...bars.map(({ value }) => measureText(measure.formatShort(value), textSize)))
  const axis = computeNumberAxis(ends, measure, {
    fromZero: true,
    count: isHorizontal ? Math.max(2, roughLength / 110) : Math.max(2, roughLength / 70),
    headroom:
      chart.kind === 'stackedBar' || ends.every((end) => end === 0)
        ? 0
        : Math.min(0.3, (isHorizontal ? valueLabel + textSize : textSize * 1.6) / Math.max(50, roughLength)),
  })
  const tickWidth = Math.max(...axis.ticks.map(({ label }) => measureText(label, textSize)))
  const plot = computePlotArea(frame, {
    left: isHorizontal ? labelWidth + textSize * 0.8 : tickWidth + textSize * 0.6,
    right: isHorizontal ? Math.max(0, measureText(axis.ticks.at(-1)!.label, textSize) / 2 - frame.margin) : 0,
    bottom: textSize * 1.7,
  })
  const parts = { grid, bars, axis, plot, measure, textSize, isHorizontal }
  const look = { plot, textSize, color: chart.palette.text }
  const labels = [
    ...labelBars(chart, parts),
    ...(isHorizontal
      ? placeRowLabels(grid.categories, { ...look, width: labelWidth })
      : placeTickLabels(
          grid.categories.map((label, index) => ({ value: index + 0.5, label })),
          { ...look, domain: [0, grid.categories.length] },
        )),
  ]
  const { layers, datasets } = makeBarLayers(chart, { ...parts, hasSeries: series !== undefined })
  return {
    scene: makeScene(chart, frame, plot, { layers, datasets, labels }),
    title,
    altText: describeChart(chart, { title, measure, values: bars.map(({ label, value }) => ({ label, value })), ...spanOf(grid) }),
    shown: grid.cells.length,
    merged: grid.merged,
    table: toChartTable(chart, { key, series, measure }, grid),
    sums: sumSeries(chart, measure, grid),
  }
}

const spanOf = ({ categories }: GroupedChartData) =>
  categories.length === 0 ? {} : { span: [categories[0]!, categories.at(-1)!] as const }

function checkBars({ kind, yScale, additive }: PreparedChart, { column }: ChartMeasure): void {
  if (yScale === 'log') throw createUnsuitableDataError(`${kind} starts at 0, which a log scale does not have; use line or scatter`)
  if (kind === 'stackedBar' && !additive)
    throw createUnsuitableDataError(`${kind} needs values that can be added up; ${column.name} cannot. Use groupedBar`)
}

/** Whether bars are horizontal, because a label is long or does not fit below its bar. */
function liesFlat({ width, kind }: PreparedChart, { categories, series }: GroupedChartData, textSize: number): boolean {
  if (categories.some((label) => [...label].length > MAX_LABEL_LENGTH)) return true
  const step = (width - textSize * 8) / Math.max(1, categories.length)
  const isWide = kind === 'groupedBar' && series.length * categories.length > 2 * MAX_BARS
  return isWide || categories.some((label) => measureText(label, textSize) > step - 6)
}
