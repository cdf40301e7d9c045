import { METRICS } from '../metrics/index.ts'
import type { BaseMetric, DerivedMetric, Metric } from '../metrics/types.ts'
import type { FilteredAggregate, GroupQueryRequest } from './compile-groups.ts'
import type { DataQuery, ConditionTree } from './data-query.ts'
import { type Expression, evaluateExpression, listExpressionNames, parseExpression } from './expression.ts'
import { describeSimilarNames, type GroupByKey, parseAggregate, createInvalidArgumentError } from './names.ts'

/** The name of the group key that stands for the date field of each metric, which differs between metrics. */
const OWN_DATE = 'date'

const isDerived = (metric: Metric): metric is DerivedMetric => 'expression' in metric

export function getMetric(code: string, at: string): Metric {
  const metric = METRICS.get(code)
  if (!metric)
    throw createInvalidArgumentError(at, `there is no metric "${code.slice(0, 60)}". ${describeSimilarNames(code, [...METRICS.keys()])}`)
  return metric
}

const expressions = new Map<string, Expression>()

function expressionOf(metric: DerivedMetric): Expression {
  const known = expressions.get(metric.code) ?? parseExpression(metric.expression, 'metrics')
  expressions.set(metric.code, known)
  return known
}

/** Returns the date field by which metrics of an entity are divided into periods. */
export const findMetricDateField = (entity: string | undefined): string | null => {
  for (const metric of METRICS.values()) if (!isDerived(metric) && metric.entity === entity && metric.dateField) return metric.dateField
  return null
}

/** Lists the base metrics that a metric is computed from. */
export const listBaseMetrics = (metric: Metric): BaseMetric[] =>
  isDerived(metric) ? listExpressionNames(expressionOf(metric)).flatMap((code) => listBaseMetrics(getMetric(code, 'metrics'))) : [metric]

/** Computes a metric from the values of base metrics: amounts in minor units, percentages with one decimal. */
export function computeMetric(metric: Metric, valueOf: (code: string) => number | null): number | null {
  if (!isDerived(metric)) return valueOf(metric.code)
  const value = evaluateExpression(expressionOf(metric), (code) => computeMetric(getMetric(code, 'metrics'), valueOf))
  if (value === null) return null
  const digits = metric.type === 'percent' ? 1 : metric.type === 'decimal' ? 4 : 0
  const scale = 10 ** digits
  return (Math.sign(value) * Math.round(Math.abs(value) * scale + 1e-9)) / scale
}

/** Groups the base metrics that one SQL statement can compute: those of the same entity and, if needed, of the same date field. */
export function buildMetricRequests(
  metrics: readonly BaseMetric[],
  query: DataQuery,
  keys: readonly { key: GroupByKey; at: string }[],
  { usesOwnRates = false, mayReadPersonal = () => false }: { usesOwnRates?: boolean; mayReadPersonal?: () => boolean } = {},
): GroupQueryRequest[] {
  const usesDate = keys.some(({ key }) => key.path === OWN_DATE)
  const sets = Map.groupBy(metrics, ({ entity, dateField }) => (usesDate || usesOwnRates ? `${entity} ${dateField}` : entity))
  return [...sets.values()].map((set): GroupQueryRequest => {
    const [first] = set
    const own = keys.map(({ key, at }) => {
      if (key.path !== OWN_DATE) return { key, at }
      if (first!.dateField === null) throw createInvalidArgumentError(at, `${first!.code} has no date to group by`)
      return { key: { ...key, path: first!.dateField }, at }
    })
    const filters = set.map(({ filter, personalFilter }) => (personalFilter && mayReadPersonal() ? personalFilter : filter))
    const shared: ConditionTree[] = filters.every((one) => one !== undefined) ? [{ any: filters }] : []
    return {
      entity: first!.entity,
      keys: own,
      aggregates: set.map((metric, i): FilteredAggregate => ({
        ...parseAggregate(metric.aggregate, 'metrics'),
        name: metric.code,
        at: 'metrics',
        filter: filters[i],
        peakOf: metric.peakOf,
      })),
      filters: [...shared.map((tree) => ({ tree, at: 'metrics' })), ...(query.filter ? [{ tree: query.filter, at: 'filter' }] : [])],
      includeTestData: query.includeTestData === true,
      dateField: first!.dateField,
    }
  })
}
