import type { PreparedChart } from './prepare.ts'
import { measureText, truncateText, wrapText } from '../fonts/text-width.ts'

/** The parts of a chart around its plot: title, subtitle and legend. */
export interface ChartFrame {
  width: number
  height: number
  margin: number
  /** The text size of a chart in pixels. */
  textSize: number
  titleSize: number
  titleLines: readonly string[]
  subtitle: string
  legend: readonly LegendEntry[]
  /** The distance from the upper edge of the chart at which the plot may begin, below title and legend. */
  top: number
}

export interface LegendEntry {
  label: string
  color: string
  x: number
  y: number
}

/** The rectangle of a chart in which values are drawn. */
export interface PlotArea {
  x: number
  y: number
  width: number
  height: number
}

const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value))

/** Arranges title, subtitle and legend at the top of a chart. */
export function makeFrame(
  { width, height }: PreparedChart,
  { title, subtitle, legend = [] }: { title: string; subtitle: string; legend?: readonly { label: string; color: string }[] },
): ChartFrame {
  const textSize = clamp(Math.round(14 * Math.sqrt(width / 1200)), 10, 18)
  const margin = Math.round(textSize * 1.7)
  const titleSize = Math.round(textSize * 1.5)
  const inner = width - 2 * margin
  const titleLines = wrapText(title, { width: inner, size: titleSize, weight: 'semiBold', lines: height < 300 ? 1 : 2 })
  const titleBottom = margin + titleLines.length * titleSize * 1.25
  const subtitleBottom = subtitle === '' ? titleBottom : titleBottom + textSize * 1.6
  const entries = arrangeLegend(legend, { left: margin, width: inner, top: subtitleBottom + textSize * 0.6, textSize })
  const legendBottom = entries.length === 0 ? subtitleBottom : entries.at(-1)!.y + textSize * 0.9
  return {
    width,
    height,
    margin,
    textSize,
    titleSize,
    titleLines,
    subtitle: truncateText(subtitle, inner, textSize),
    legend: entries,
    top: Math.round(legendBottom + textSize * 1.2),
  }
}

export const LEGEND_SYMBOL_GAP = 1.3
const ENTRY_GAP = 1.8

/** Arranges the legend entries in lines, from the left. */
function arrangeLegend(
  entries: readonly { label: string; color: string }[],
  { left, width, top, textSize }: { left: number; width: number; top: number; textSize: number },
): LegendEntry[] {
  let [x, y] = [left, top + textSize / 2]
  return entries.map(({ label, color }) => {
    const text = truncateText(label, width - LEGEND_SYMBOL_GAP * textSize, textSize)
    const entryWidth = LEGEND_SYMBOL_GAP * textSize + measureText(text, textSize)
    if (x > left && x + entryWidth > left + width) [x, y] = [left, y + textSize * 1.6]
    const entry = { label: text, color, x, y }
    x += entryWidth + ENTRY_GAP * textSize
    return entry
  })
}

/** Returns the plot inside the margins, with space for axis labels and for labels on the right. */
export function computePlotArea(
  { width, height, margin, top }: ChartFrame,
  { left = 0, right = 0, bottom = 0 }: { left?: number; right?: number; bottom?: number },
): PlotArea {
  const x = Math.round(margin + left)
  return {
    x,
    y: top,
    width: Math.max(20, Math.round(width - margin - right) - x),
    height: Math.max(20, Math.round(height - margin - bottom) - top),
  }
}
