import { object, oneOf, text } from '../../../kernel/args.ts'
import { CHART_KINDS } from '../../charts/chart.ts'
import { queryKeys, queryPage } from '../../figures/query/arguments.ts'

/** The keys of the query language in a widget. The query itself is checked where it is compiled. */
const keys = { ...queryKeys, limit: queryPage.limit }

export const WidgetQuery = object(keys)

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
