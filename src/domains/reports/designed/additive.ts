import type { DataQuery } from '../../figures/query/data-query.ts'
import { findMetric, listBaseMetrics } from '../../figures/query/metric-statements.ts'
import { parseAggregate } from '../../figures/query/names.ts'
import type { Metric } from '../../figures/metrics/types.ts'

const isAdditiveFunction = (aggregate: string) => ['count', 'sum'].includes(parseAggregate(aggregate, '').fn)

/** Whether the values of several groups may be added up: counts and sums may, averages, distinct counts and rates may not. */
function isAdditiveMetric(metric: Metric): boolean {
  if (metric.type === 'percent' || metric.type === 'decimal') return false
  if (!('expression' in metric)) return isAdditiveFunction(metric.aggregate)
  return !/[/*]/.test(metric.expression) && listBaseMetrics(metric).every(isAdditiveMetric)
}

/** Whether a column of a query may be added up over its rows. */
export function isAdditive(query: DataQuery, name: string): boolean {
  const aggregate = (query.aggregates ?? []).find((written, at) => parseAggregate(written, `aggregates/${at}`).name === name)
  if (aggregate !== undefined) return isAdditiveFunction(aggregate)
  return (query.metrics ?? []).includes(name) && isAdditiveMetric(findMetric(name, 'metrics'))
}

/** The entities that the rows of metrics come from. */
export const listMetricEntities = (codes: readonly string[]): string[] => [
  ...new Set(codes.flatMap((code) => listBaseMetrics(findMetric(code, 'metrics')).map(({ entity }) => entity))),
]
