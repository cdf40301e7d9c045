import { z } from 'zod'
import { count, flag, list, object, oneOf, text } from '../../../kernel/args.ts'

const tree = () => z.record(z.string(), z.unknown())
const names = (max: number) => list(text(200), max)

/** The keys of the query language in a widget. The query itself is checked where it is compiled. */
const keys = {
  entity: text(60).optional(),
  fields: names(40).optional(),
  groupBy: names(4).optional(),
  aggregates: names(12).optional(),
  aggregateFilters: z.record(z.string(), tree()).optional(),
  metrics: names(8).optional(),
  calculate: names(6).optional(),
  filter: tree().optional(),
  having: tree().optional(),
  orderBy: names(4).optional(),
  fill: oneOf(['zero']).optional(),
  limit: count(1, 1000).optional(),
  includeTestData: flag().optional(),
}

export const WidgetQuery = object(keys)

export const CHART_KINDS = [
  'bar',
  'groupedBar',
  'stackedBar',
  'line',
  'area',
  'stackedArea',
  'donut',
  'histogram',
  'boxplot',
  'scatter',
  'heatmap',
  'funnel',
  'figure',
] as const

/** How the rows of a query are drawn, as in plot_data. Its `x` and `y` are names of columns, those of the widget its place. */
const drawing = {
  chart: oneOf(CHART_KINDS),
  x: text(200).optional(),
  y: text(200).optional(),
  series: text(200).optional(),
  field: text(200).optional(),
  yScale: oneOf(['linear', 'log']).optional(),
}
export const DRAWING_KEYS = Object.keys(drawing) as readonly (keyof typeof drawing)[]

export const WidgetPlot = object({ ...keys, ...drawing })
