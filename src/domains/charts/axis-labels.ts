import type { PlotArea } from './frame.ts'
import type { Tick } from './periods.ts'
import type { PlacedText } from './scene.ts'
import { truncateText } from '../fonts/text-width.ts'

interface Look {
  plot: PlotArea
  textSize: number
  color: string
}

/**
 * Draws the names of the rows to the left of the plot, as far as they fit. Names are data, and the Vega-Lite specification contains no
 * data.
 */
export function placeRowLabels(names: readonly string[], { plot, textSize, color, width }: Look & { width: number }): PlacedText[] {
  const step = plot.height / Math.max(1, names.length)
  const every = Math.max(1, Math.ceil((textSize * 1.05) / step))
  return names.flatMap((name, index): PlacedText[] =>
    index % every === 0
      ? [{ text: truncateText(name, width, textSize), x: plot.x - textSize * 0.6, y: plot.y + (index + 0.5) * step, color, align: 'right' }]
      : [],
  )
}

/** Places the labels of an axis's ticks below the plot (the area in which values are drawn). */
export function placeTickLabels(
  ticks: readonly Tick[],
  { plot, textSize, color, domain: [from, until] }: Look & { domain: readonly [number, number] },
): PlacedText[] {
  return ticks.map(({ value, label }) => ({
    text: label,
    x: plot.x + ((value - from) / (until - from)) * plot.width,
    y: plot.y + plot.height + textSize * 1.15,
    color,
    align: 'center',
  }))
}
