import { AppError } from '../../../kernel/errors.ts'
import type { DataQuery, ConditionTree } from '../../figures/query/data-query.ts'
import { compileConditionTree } from '../../figures/query/filter.ts'
import { StatementPlan } from '../../figures/query/plan.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import type { PlotRequest } from '../plots/read-plot.ts'
import { listMetricEntities } from './additive.ts'
import { replaceParametersInFilter, type ParameterValues } from './parameters.ts'
import { CHART_ARGUMENT_NAMES } from './query-input.ts'
import type { ChartWidget, QueryWidget } from './widgets.ts'

/** What all widgets share in one run of a report: the database snapshot, the parameter values and the filter. */
export interface WidgetRunContext {
  snapshot: QuerySnapshot
  values: ParameterValues
  /** The report's filter, which applies to all widgets that have its fields. */
  filter: ConditionTree | null
  includeTestData: boolean
}

/** Returns the stored query of a widget, without filling in parameters. */
export function getStoredQuery(widget: QueryWidget): DataQuery {
  const written: Record<string, unknown> = { ...(widget.query ?? { metrics: 'metrics' in widget ? widget.metrics : [] }) }
  for (const key of CHART_ARGUMENT_NAMES) if (widget.type === 'chart') delete written[key]
  return written as DataQuery
}

export interface BuiltWidgetQuery {
  query: DataQuery
  /** Whether the report's filter is ignored, because the widget's entity does not have its fields. */
  ignoresFilter: boolean
}

/** Returns the query of a widget for one run: parameters are replaced by their values, and the report's filter is added if it applies. */
export function buildWidgetQuery(widget: QueryWidget, { snapshot, values, filter, includeTestData }: WidgetRunContext): BuiltWidgetQuery {
  const written = getStoredQuery(widget)
  const own = written.filter ? replaceParametersInFilter(written.filter, values) : null
  const shared = filter ? replaceParametersInFilter(filter, values) : null
  const applies = shared !== null && acceptsFilter(snapshot, written, shared)
  const filters = [own, applies ? shared : null].filter((one) => one !== null)
  const having = written.having ? replaceParametersInFilter(written.having, values) : null
  const { filter: _filter, having: _having, ...rest } = written
  const query: DataQuery = {
    ...rest,
    ...(filters.length === 0 ? {} : { filter: filters.length === 1 ? filters[0]! : { all: filters } }),
    ...(having ? { having } : {}),
    ...(written.aggregateFilters ? { aggregateFilters: fillAggregateFilters(written.aggregateFilters, values) } : {}),
    // Only table widgets can include test data, because they show it in separate rows.
    ...(includeTestData && widget.type === 'table' ? { includeTestData } : {}),
  }
  return { query, ignoresFilter: shared !== null && !applies }
}

/** Returns the query of a chart widget for one run, with the kind of chart and its axes. */
export function buildChartRequest(widget: ChartWidget, run: WidgetRunContext): { request: PlotRequest; ignoresFilter: boolean } {
  const { query, ignoresFilter } = buildWidgetQuery(widget, run)
  const { chart, field, x, y, series, yScale } = widget.query
  return { request: { ...query, chart, field, x, y, series, yScale }, ignoresFilter }
}

const fillAggregateFilters = (trees: Readonly<Record<string, ConditionTree>>, values: ParameterValues): Record<string, ConditionTree> =>
  Object.fromEntries(Object.entries(trees).map(([named, tree]) => [named, replaceParametersInFilter(tree, values) ?? { all: [] }]))

/** Whether every entity that the query reads has the fields of the filter. */
const acceptsFilter = (snapshot: QuerySnapshot, query: DataQuery, filter: ConditionTree): boolean =>
  findFilterError(snapshot, query, filter) === null

function findFilterError({ dictionary, scope }: QuerySnapshot, query: DataQuery, filter: ConditionTree): AppError | null {
  const roots = query.entity === undefined ? listMetricEntities(query.metrics ?? []) : [query.entity]
  for (const root of roots) {
    const entity = dictionary.get(root)
    if (!entity) continue
    try {
      compileConditionTree(new StatementPlan(dictionary, scope, entity), filter, 'filter')
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_arguments') return error
      throw error
    }
  }
  return null
}

/** Throws if the filter applies to none of the widgets, for example because a field is misspelled. */
export function requireApplicableFilter({ snapshot, values, filter }: WidgetRunContext, widgets: readonly QueryWidget[]): void {
  const filled = filter && replaceParametersInFilter(filter, values)
  if (!filled || widgets.length === 0) return
  const errors = widgets.map((widget) => findFilterError(snapshot, getStoredQuery(widget), filled))
  if (errors.every((error) => error !== null)) throw errors[0]!
}
