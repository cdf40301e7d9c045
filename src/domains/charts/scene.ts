import type { TopLevelSpec } from 'vega-lite'
import type { ChartFrame, PlotArea } from './frame.ts'
import { LEGEND_SYMBOL_GAP } from './frame.ts'
import type { PreparedChart } from './prepare.ts'
import type { Tick } from './periods.ts'

type Json = Record<string, unknown>

/** A Vega-Lite specification and its data, kept separate so that the specification can be shown without the data. */
export interface VegaSpecWithData {
  spec: TopLevelSpec
  datasets: Record<string, readonly Json[]>
}

/** A text at a position in the chart, in pixels from its upper left corner. */
export interface PlacedText {
  text: string
  x: number
  y: number
  color: string
  align?: 'left' | 'center' | 'right'
  size?: number
  weight?: number
}

/** Combines the layers of a chart with its title, legend and labels into one scene for the renderer. */
export function makeScene(
  chart: PreparedChart,
  frame: ChartFrame,
  plot: PlotArea,
  { layers, datasets, labels = [] }: { layers: readonly Json[]; datasets: Record<string, readonly Json[]>; labels?: readonly PlacedText[] },
): VegaSpecWithData {
  const { palette } = chart
  const isEmpty = (datasets['rows'] ?? []).length === 0
  const middle = { x: plot.x + plot.width / 2, y: plot.y + plot.height / 2, align: 'center' as const }
  const texts: readonly PlacedText[] = isEmpty
    ? [...labels, { ...middle, text: chart.say('chart.noData'), color: palette.muted, size: frame.textSize * 1.3 }]
    : labels
  const placed = texts.map(({ align = 'left', size = frame.textSize, weight = 400, x, y, ...label }) => ({
    ...label,
    align,
    size,
    weight,
    x: x - plot.x,
    y: y - plot.y,
  }))
  const legend = frame.legend.map(({ x, y, ...entry }) => ({ ...entry, x: x - plot.x, y: y - plot.y }))
  const decorations = [
    ...(placed.length > 0 ? [placedTextLayer('labels')] : []),
    ...(legend.length > 0 ? legendLayers(frame, palette.text) : []),
    ...titleLayers(chart, frame, plot),
  ]
  const spec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: palette.background,
    width: plot.width,
    height: plot.height,
    padding: { left: plot.x, top: plot.y, right: frame.width - plot.x - plot.width, bottom: frame.height - plot.y - plot.height },
    autosize: { type: 'none' },
    layer: [...layers, ...decorations],
    config: makeConfig(chart, frame),
  }
  return {
    spec: spec as unknown as TopLevelSpec,
    datasets: { ...datasets, ...(placed.length > 0 ? { labels: placed } : {}), ...(legend.length > 0 ? { legend } : {}) },
  }
}

/** Encodes a data field whose values are positions in pixels, so that Vega applies no scale to it. */
const inPixels = (field: string) => ({ field, type: 'quantitative', scale: null, axis: null })

const placedTextLayer = (name: string): Json => ({
  data: { name },
  mark: {
    type: 'text',
    aria: false,
    baseline: 'middle',
    align: { expr: 'datum.align' },
    fontSize: { expr: 'datum.size' },
    fontWeight: { expr: 'datum.weight' },
  },
  encoding: { x: inPixels('x'), y: inPixels('y'), text: { field: 'text' }, color: { field: 'color', type: 'nominal', scale: null } },
})

const legendLayers = ({ textSize }: ChartFrame, color: string): Json[] => [
  {
    data: { name: 'legend' },
    mark: { type: 'square', aria: false, opacity: 1, filled: true, size: textSize * textSize * 0.7, xOffset: textSize * 0.42 },
    encoding: { x: inPixels('x'), y: inPixels('y'), color: { field: 'color', type: 'nominal', scale: null } },
  },
  {
    data: { name: 'legend' },
    mark: {
      type: 'text',
      aria: false,
      baseline: 'middle',
      align: 'left',
      fontSize: textSize,
      color,
      xOffset: LEGEND_SYMBOL_GAP * textSize,
    },
    encoding: { x: inPixels('x'), y: inPixels('y'), text: { field: 'label' } },
  },
]

function titleLayers({ palette }: PreparedChart, frame: ChartFrame, plot: PlotArea): Json[] {
  const at = (y: number) => ({ x: { value: frame.margin - plot.x }, y: { value: y - plot.y } })
  // The title is passed as data, because Vega would read a title such as "hasOwnProperty" as the name of a property.
  const line = (text: string, y: number, mark: Json): Json => ({
    data: { values: [{ text }] },
    mark: { type: 'text', aria: false, align: 'left', baseline: 'top', ...mark },
    encoding: { ...at(y), text: { field: 'text' } },
  })
  const { margin, titleLines, titleSize, textSize, subtitle } = frame
  const lineHeight = titleSize * 1.25
  return [
    ...titleLines.map((text, index) =>
      line(text, margin + index * lineHeight, { fontSize: titleSize, fontWeight: 600, color: palette.text }),
    ),
    ...(subtitle === ''
      ? []
      : [line(subtitle, margin + titleLines.length * lineHeight + textSize * 0.3, { fontSize: textSize, color: palette.muted })]),
  ]
}

function makeConfig({ palette }: PreparedChart, { textSize }: ChartFrame): Json {
  return {
    font: 'Inter, sans-serif',
    view: { stroke: null },
    axis: {
      labelFontSize: textSize,
      labelColor: palette.muted,
      labelPadding: Math.round(textSize * 0.5),
      gridColor: palette.grid,
      domainColor: palette.axis,
      tickColor: palette.axis,
      title: null,
      // Screen readers skip the axis, because they would read the raw numbers of the scale instead of the tick labels.
      aria: false,
    },
  }
}

/** Builds a Vega expression that labels the values of an axis with fixed texts. */
export const buildTickLabelExpression = (ticks: readonly Tick[]): string =>
  `${JSON.stringify(Object.fromEntries(ticks.map(({ value, label }) => [String(value), label])))}[datum.value]`

/** Specifies a numeric axis with a grid line at each tick. */
export const buildVegaNumberAxis = (ticks: readonly Tick[], grid = true): Json => ({
  values: ticks.map(({ value }) => value),
  labelExpr: buildTickLabelExpression(ticks),
  grid,
  domain: false,
  ticks: false,
  labelOverlap: false,
  labelFlush: false,
})
