import { object, oneOf, text } from '../../../kernel/args.ts'
import { CHART_KINDS } from '../../charts/chart.ts'
import { queryArguments, queryPageArguments } from '../../figures/query/arguments.ts'

/** Query arguments of a widget. Only their names are checked here; the query itself is validated when it is compiled. */
const keys = { ...queryArguments, limit: queryPageArguments.limit }

export const WidgetQuery = object(keys)

/**
 * The keys that define how the rows of a query are drawn, as in plot_data. `x` and `y` of a query name columns; `x` and `y` of a widget are
 * its position.
 */
const drawing = {
  chart: oneOf(CHART_KINDS),
  x: text(200).optional(),
  y: text(200).optional(),
  series: text(200).optional(),
  field: text(200).optional(),
  yScale: oneOf(['linear', 'log']).optional(),
}
export const CHART_ARGUMENT_NAMES = Object.keys(drawing) as readonly (keyof typeof drawing)[]

export const ChartWidgetQuery = object({ ...keys, ...drawing })
