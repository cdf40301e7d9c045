import { describeChart } from '../alt-text.ts'
import type { DrawnChart } from '../drawn.ts'
import { type ChartFrame, makeFrame, computePlotArea, type PlotArea } from '../frame.ts'
import { type ChartMeasure, createChartMeasure, createUnsuitableDataError } from '../measures.ts'
import { computeNumberAxis, type NumberAxis } from '../number-axis.ts'
import { chooseFittingTicks, type Tick } from '../periods.ts'
import { chooseMeasureColumn, chooseTitle, type PreparedChart } from '../prepare.ts'
import { buildTickLabelExpression, makeScene, buildVegaNumberAxis, type PlacedText } from '../scene.ts'
import { type HistogramBin, computeHistogramBins } from '../statistics.ts'
import { measureText } from '../../fonts/text-width.ts'
import { createTickFitCheck } from './line-positions.ts'

interface HistogramLayout {
  bins: readonly HistogramBin[]
  axis: NumberAxis
  plot: PlotArea
  textSize: number
  domain: readonly [number, number]
  ticks: readonly Tick[]
}

/** Draws a histogram: the number of values in ranges of equal width. */
export function drawHistogram(chart: PreparedChart): DrawnChart {
  const { say, locale } = chart
  if (chart.yScale === 'log') throw createUnsuitableDataError('histogram starts at 0, which a log scale does not have')
  const field = chooseMeasureColumn(chart)
  const values = chart.rows.map(field.read).filter((value) => value !== null)
  const bins = computeHistogramBins(values, field.wholeNumbers)
  const counts = createChartMeasure({ name: 'count', label: say('chart.count'), type: 'integer' }, [], locale)
  const title = chooseTitle(chart, field.label)
  const frame = makeFrame(chart, { title, subtitle: counts.label })
  const layout = layOutBins(chart, frame, { bins, field, counts })
  const { plot, domain } = layout
  const rangeOf = ({ from, until }: HistogramBin) => say('chart.range', { from: field.format(from), until: field.format(until) })
  return {
    scene: makeScene(chart, frame, plot, {
      layers: [makeBinLayer(chart, layout)],
      datasets: {
        rows: bins.map((bin) => ({ ...bin, label: say('chart.item', { label: rangeOf(bin), value: counts.format(bin.count) }) })),
      },
      labels: labelBins(chart, counts, layout),
    }),
    title,
    altText: describeChart(
      { ...chart, additive: true },
      {
        title,
        measure: counts,
        values: bins.map((bin) => ({ label: rangeOf(bin), value: bin.count })),
        ...(bins.length === 0 ? {} : { span: [field.format(domain[0]), field.format(domain[1])] as const }),
      },
    ),
    shown: bins.length,
    merged: 0,
    table: {
      columns: [
        { name: 'from', label: field.column.label, type: field.column.type },
        { name: 'until', label: field.column.label, type: field.column.type },
        counts.column,
      ],
      rows: bins.map(({ from, until, count }) => ({ from: field.toValue(from), until: field.toValue(until), count })),
    },
    sums: [{ series: null, sum: values.length }],
  }
}

function layOutBins(
  chart: PreparedChart,
  frame: ChartFrame,
  { bins, field, counts }: { bins: readonly HistogramBin[]; field: ChartMeasure; counts: ChartMeasure },
): HistogramLayout {
  const { textSize } = frame
  const axis = computeNumberAxis(
    bins.map(({ count }) => count),
    counts,
    { fromZero: true, count: Math.max(2, (chart.height - frame.top - 4 * textSize) / 70), headroom: 0.06 },
  )
  const plot = computePlotArea(frame, {
    left: Math.max(...axis.ticks.map(({ label }) => measureText(label, textSize))) + textSize * 0.6,
    bottom: textSize * 1.7,
  })
  const domain = [bins[0]?.from ?? 0, bins.at(-1)?.until ?? 1] as const
  const edges = bins.length === 0 ? [] : [...bins.map(({ from }) => from), domain[1]]
  const ticks = chooseFittingTicks(
    edges,
    (taken) => taken.map((value) => ({ value, label: field.formatTick(value) })),
    createTickFitCheck({ plot, frame, domain }),
  )
  return { bins, axis, plot, textSize, domain, ticks }
}

const makeBinLayer = ({ palette }: PreparedChart, { axis, domain, ticks, textSize }: HistogramLayout) => ({
  data: { name: 'rows' },
  mark: { type: 'bar', color: palette.series[0], stroke: palette.background, strokeWidth: 1 },
  encoding: {
    x: {
      field: 'from',
      type: 'quantitative',
      scale: { domain: [...domain], nice: false, zero: false },
      axis: {
        values: ticks.map(({ value }) => value),
        labelExpr: buildTickLabelExpression(ticks),
        grid: false,
        labelOverlap: false,
        labelBound: false,
        labelFlush: false,
        tickSize: Math.round(textSize * 0.4),
      },
    },
    x2: { field: 'until' },
    y: {
      type: 'quantitative',
      scale: { domain: axis.domain, nice: false, zero: false },
      axis: buildVegaNumberAxis(axis.ticks),
      field: 'count',
    },
    y2: { datum: 0 },
    description: { field: 'label', type: 'nominal' },
  },
})

/** Places the counts above their bars, unless they are wider than the bar. */
function labelBins({ palette }: PreparedChart, counts: ChartMeasure, { bins, axis, plot, textSize }: HistogramLayout): PlacedText[] {
  const step = plot.width / Math.max(1, bins.length)
  return bins.flatMap((bin, index): PlacedText[] => {
    const text = counts.formatShort(bin.count)
    if (bin.count === 0 || measureText(text, textSize) > step - 2) return []
    const y = plot.y + (1 - axis.share(bin.count)) * plot.height - textSize * 0.8
    return [{ text, x: plot.x + (index + 0.5) * step, y, color: palette.text, align: 'center' }]
  })
}
