import { describeChart } from '../alt-text.ts'
import type { DrawnChart } from '../drawn.ts'
import { makeFrame, computePlotArea, type PlotArea } from '../frame.ts'
import { toChartTable, readGroupedChartData, sumSeries } from '../grid.ts'
import { type ChartMeasure, createUnsuitableDataError } from '../measures.ts'
import { findMinAndMax } from '../number-axis.ts'
import { chooseKeyColumn, chooseMeasureColumn, chooseTitle, type PreparedChart } from '../prepare.ts'
import { makeScene, type PlacedText } from '../scene.ts'
import { createPercentFormatter, toPercentages } from '../shares.ts'
import { measureText, truncateText } from '../../fonts/text-width.ts'

const MAX_SLICES = 6

interface Slice {
  label: string
  value: number
  percent: string
  color: string
  /** The start and end angle of a slice in radians, clockwise from the top. */
  start: number
  end: number
}

/** Draws a donut chart: the shares of a whole. */
export function drawDonut(chart: PreparedChart): DrawnChart {
  const { say, palette, width } = chart
  const key = chooseKeyColumn(chart)
  const measure = chooseMeasureColumn(chart, key)
  if (!chart.additive) throw createUnsuitableDataError(`donut needs values that can be added up; ${measure.column.name} cannot. Use bar`)
  const grid = readGroupedChartData(chart, { key, measure }, { categories: MAX_SLICES })
  requireNonNegativeValues(
    chart,
    measure,
    grid.cells.map(({ value }) => value),
  )
  const title = chooseTitle(chart, measure.column.label, key.label)
  const frame = makeFrame(chart, { title, subtitle: measure.label })
  const { textSize } = frame
  const plot = computePlotArea(frame, {})
  const slices = cutSlices(
    chart,
    measure,
    grid.cells.map(({ category, value }) => ({ label: grid.categories[category]!, value, isOther: category === grid.otherCategory })),
  )
  const radius = Math.max(10, Math.min(plot.height / 2 - textSize * 1.2, width * 0.22))
  const center = { x: plot.x + plot.width / 2, y: plot.y + plot.height / 2 }
  const total = measure.format(measure.sum(slices.map(({ value }) => value)))
  const labels: PlacedText[] = [
    ...labelSlices(slices, { plot, center, radius, textSize, color: palette.text, measure }),
    ...(measureText(total, textSize * 1.4, 'semiBold') < radius * 1.1
      ? [{ text: total, x: center.x, y: center.y, color: palette.text, align: 'center' as const, size: textSize * 1.4, weight: 600 }]
      : []),
  ]
  return {
    scene: makeScene(chart, frame, plot, {
      layers: [makeRing(radius, palette.background)],
      datasets: {
        rows: slices.map(({ label, value, percent, start, end, color }) => ({
          start,
          end,
          color,
          label: say('chart.share', { label, value: measure.format(value), percent }),
        })),
      },
      labels,
    }),
    title,
    altText: describeChart(chart, { title, measure, values: slices }),
    shown: grid.cells.length,
    merged: grid.merged,
    table: toChartTable(chart, { key, measure }, grid),
    sums: sumSeries(chart, measure, grid),
  }
}

/** Builds the layer with one ring segment for each slice. */
const makeRing = (radius: number, background: string) => ({
  data: { name: 'rows' },
  mark: { type: 'arc', innerRadius: radius * 0.6, outerRadius: radius, stroke: background, strokeWidth: 1 },
  encoding: {
    theta: { field: 'start', type: 'quantitative', scale: null, stack: null },
    theta2: { field: 'end' },
    color: { field: 'color', type: 'nominal', scale: null },
    description: { field: 'label', type: 'nominal' },
  },
})

export function requireNonNegativeValues({ kind }: PreparedChart, measure: ChartMeasure, values: readonly number[]): void {
  const lowest = values.length === 0 ? 0 : findMinAndMax(values)[0]
  if (lowest < 0) throw createUnsuitableDataError(`${kind} needs values ≥ 0; min is ${measure.formatPlain(lowest)}`)
}

function cutSlices(
  { locale, palette }: PreparedChart,
  measure: ChartMeasure,
  values: readonly { label: string; value: number; isOther: boolean }[],
): Slice[] {
  const percents = toPercentages(
    values.map(({ value }) => value),
    (value) => value * 10_000,
  )
  const total = measure.sum(values.map(({ value }) => value)) || 1
  const format = createPercentFormatter(locale)
  let start = 0
  return values.map(({ label, value, isOther }, index) => {
    const end = start + (value / total) * 2 * Math.PI
    const slice = { label, value, percent: format(percents[index]!), color: isOther ? palette.others : palette.series[index]!, start, end }
    start = end
    return slice
  })
}

interface Around {
  plot: PlotArea
  center: { x: number; y: number }
  radius: number
  textSize: number
  color: string
  measure: ChartMeasure
}

/** Places names, values and percentages on both sides of the ring, moved apart where they would overlap. */
function labelSlices(slices: readonly Slice[], { plot, center, radius, textSize, color, measure }: Around): PlacedText[] {
  const lineHeight = textSize * 1.35
  const room = plot.width / 2 - radius - textSize * 1.6
  const wished = slices.map((slice) => {
    const middle = (slice.start + slice.end) / 2
    const isRight = Math.sin(middle) >= 0
    const value = `${measure.formatShort(slice.value)} · ${slice.percent}`
    const y = center.y - Math.cos(middle) * (radius + textSize)
    const x = center.x + Math.sin(middle) * (radius + textSize)
    return { name: truncateText(slice.label, room, textSize), value: truncateText(value, room, textSize), isRight, x, y }
  })
  return [true, false].flatMap((side) => {
    const own = wished.filter(({ isRight }) => isRight === side).toSorted((a, b) => a.y - b.y)
    for (const [index, label] of own.entries()) if (index > 0) label.y = Math.max(label.y, own[index - 1]!.y + 2.3 * lineHeight)
    for (let index = own.length - 1; index >= 0; index--) {
      const lowest = index === own.length - 1 ? plot.y + plot.height - lineHeight / 2 : own[index + 1]!.y - 2.3 * lineHeight
      own[index]!.y = Math.min(own[index]!.y, lowest)
    }
    return own.flatMap(({ name, value, x, y, isRight }) => {
      // Keeps labels above and below the ring at a distance from it.
      const nearest = Math.max(0, Math.abs(y - center.y) - lineHeight)
      const edge = Math.sqrt(Math.max(0, (radius + textSize) ** 2 - nearest ** 2))
      const at = {
        x: isRight ? Math.max(x, center.x + edge) : Math.min(x, center.x - edge),
        color,
        align: isRight ? ('left' as const) : ('right' as const),
      }
      return [
        { ...at, text: name, y: y - lineHeight / 2, weight: 600 },
        { ...at, text: value, y: y + lineHeight / 2 },
      ]
    })
  })
}
