import type { PlotArea } from '../frame.ts'
import { getSeriesColor, type GroupedChartData } from '../grid.ts'
import type { ChartMeasure } from '../measures.ts'
import type { NumberAxis } from '../number-axis.ts'
import type { PreparedChart } from '../prepare.ts'
import type { PlacedText } from '../scene.ts'
import { measureText } from '../../fonts/text-width.ts'
import { chooseTextColor } from '../theme.ts'

/** A bar of a bar chart, from one value to another. A bar that is not stacked starts at 0. */
export interface ChartBar {
  category: number
  series: number
  from: number
  until: number
  value: number
  /** The category and the series of the bar, as one label. */
  label: string
  isStacked: boolean
}

/** Lays out bars. Positive parts are stacked upwards and negative parts downwards. */
export function layOutBars({ cells, categories, series }: GroupedChartData, isStacked: boolean): ChartBar[] {
  const ends = new Map<string, number>()
  return cells.map(({ category, series: index, value }) => {
    const side = `${category} ${value < 0}`
    const from = isStacked ? (ends.get(side) ?? 0) : 0
    ends.set(side, from + value)
    const name = series[index]
    const label = name == null ? categories[category]! : `${categories[category]}, ${name}`
    return { category, series: index, from, until: from + value, value, label, isStacked }
  })
}

/** The share of the distance between two categories that bars fill. */
export const BAR_WIDTH_SHARE = 0.76
const LABEL_GAP = 4

export interface BarChartLayout {
  grid: GroupedChartData
  bars: readonly ChartBar[]
  axis: NumberAxis
  plot: PlotArea
  measure: ChartMeasure
  textSize: number
  isHorizontal: boolean
}

/** Returns where the middle of a bar is and how thick the bar is, in pixels across its direction. */
export function computeBarPosition(bar: ChartBar, { grid, plot, isHorizontal }: BarChartLayout): { middle: number; thickness: number } {
  const step = (isHorizontal ? plot.height : plot.width) / Math.max(1, grid.categories.length)
  const band = step * BAR_WIDTH_SHARE
  const start = (isHorizontal ? plot.y : plot.x) + step * bar.category + (step - band) / 2
  if (bar.isStacked) return { middle: start + band / 2, thickness: band }
  const thickness = band / grid.series.length
  return { middle: start + thickness * (bar.series + 0.5), thickness }
}

/** Places the values next to the ends of bars, or inside stacked parts, where there is space. */
export function labelBars(chart: PreparedChart, parts: BarChartLayout): PlacedText[] {
  return parts.bars.flatMap((bar) => {
    const text = parts.measure.formatShort(bar.value)
    return bar.isStacked ? labelPart(chart, parts, bar, text) : labelEnd(chart, parts, bar, text)
  })
}

const along = ({ axis, plot, isHorizontal }: BarChartLayout, value: number) =>
  isHorizontal ? plot.x + axis.share(value) * plot.width : plot.y + (1 - axis.share(value)) * plot.height

function labelEnd({ palette }: PreparedChart, parts: BarChartLayout, bar: ChartBar, text: string): PlacedText[] {
  const { textSize, isHorizontal } = parts
  const { middle, thickness } = computeBarPosition(bar, parts)
  const width = measureText(text, textSize)
  const end = along(parts, bar.until)
  const isNegative = bar.value < 0
  if (isHorizontal) {
    if (thickness < textSize * 0.85) return []
    return [
      { text, x: end + (isNegative ? -LABEL_GAP : LABEL_GAP) * 1.5, y: middle, color: palette.text, align: isNegative ? 'right' : 'left' },
    ]
  }
  const room = (thickness / BAR_WIDTH_SHARE) * (parts.grid.series.length > 1 ? BAR_WIDTH_SHARE : 1)
  if (width > room - 2) return []
  return [{ text, x: middle, y: end + (isNegative ? 1 : -1) * (LABEL_GAP + textSize / 2), color: palette.text, align: 'center' }]
}

function labelPart(chart: PreparedChart, parts: BarChartLayout, bar: ChartBar, text: string): PlacedText[] {
  const { textSize, isHorizontal, grid } = parts
  const { middle, thickness } = computeBarPosition(bar, parts)
  const [start, end] = [along(parts, bar.from), along(parts, bar.until)]
  const length = Math.abs(end - start)
  const width = measureText(text, textSize)
  const fits = isHorizontal ? width + 6 <= length && textSize * 1.1 <= thickness : textSize * 1.2 <= length && width + 4 <= thickness
  if (!fits) return []
  const color = chooseTextColor(getSeriesColor(chart, grid, bar.series))
  const center = (start + end) / 2
  return [isHorizontal ? { text, x: center, y: middle, color, align: 'center' } : { text, x: middle, y: center, color, align: 'center' }]
}
