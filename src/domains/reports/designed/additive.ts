import type { DataQuery } from '../../figures/query/data-query.ts'
import { getMetric, listBaseMetrics } from '../../figures/query/metric-statements.ts'
import { parseAggregate } from '../../figures/query/names.ts'
import type { Metric } from '../../figures/metrics/types.ts'

const isAdditiveFunction = (aggregate: string) => ['count', 'sum'].includes(parseAggregate(aggregate, '').fn)

/** Whether the values of a metric may be added up over groups. Counts and sums may, but averages, distinct counts and rates may not. */
function isAdditiveMetric(metric: Metric): boolean {
  if (metric.type === 'percent' || metric.type === 'decimal') return false
  if (!('expression' in metric)) return isAdditiveFunction(metric.aggregate)
  return !/[/*]/.test(metric.expression) && listBaseMetrics(metric).every(isAdditiveMetric)
}

/** Whether a column of a query may be added up over its rows. */
export function isAdditiveColumn(query: DataQuery, name: string): boolean {
  const aggregates = query.aggregates ?? (query.metrics === undefined ? ['count'] : [])
  const aggregate = aggregates.find((written, at) => parseAggregate(written, `aggregates/${at}`).name === name)
  if (aggregate !== undefined) return isAdditiveFunction(aggregate)
  const calculate = query.calculate ?? []
  const at = calculate.findIndex((written) => written.split('=')[0]!.trim() === name)
  // A calculation can only refer to calculations before it, so only these are passed on.
  if (at >= 0)
    return isSumOf(calculate[at]!.replace(/^[^=]*=/, ''), (term) => isAdditiveColumn({ ...query, calculate: calculate.slice(0, at) }, term))
  return (query.metrics ?? []).includes(name) && isAdditiveMetric(getMetric(name, 'metrics'))
}

/**
 * Whether an expression contains only sums and differences of additive values. A constant is not additive, because it would be added once
 * per group.
 */
const isSumOf = (expression: string, isTermAdditive: (term: string) => boolean): boolean =>
  !/[*/]/.test(expression) &&
  expression
    .split(/[+\-()\s]+/)
    .filter((term) => term !== '')
    .every(isTermAdditive)

/** Lists the entities that the given metrics are computed from. */
export const listMetricEntities = (codes: readonly string[]): string[] => [
  ...new Set(codes.flatMap((code) => listBaseMetrics(getMetric(code, 'metrics')).map(({ entity }) => entity))),
]
