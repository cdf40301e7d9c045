import type { DataQuery } from '../../figures/query/data-query.ts'
import { findMetric, listBaseMetrics } from '../../figures/query/metric-statements.ts'
import { parseAggregate } from '../../figures/query/names.ts'

/** Counts of rows and sums may be added up; distinct counts, averages and extremes may not. */
const isAdditive = (aggregate: string) => ['count', 'sum'].includes(parseAggregate(aggregate, '').fn)

/** Only sums and differences of additive figures are additive. */
const isSum = (expression: string) => !/[*/]/.test(expression)

function isAdditiveMetric(code: string): boolean {
  const metric = findMetric(code, 'metrics')
  return (!('expression' in metric) || isSum(metric.expression)) && listBaseMetrics(metric).every(({ aggregate }) => isAdditive(aggregate))
}

/** The names of the values of a query that may be added up over its groups. */
export function listAdditiveNames({ aggregates, metrics, calculate }: DataQuery): ReadonlySet<string> {
  const written = aggregates ?? (metrics === undefined ? ['count'] : [])
  const names = new Set([
    ...written.filter(isAdditive).map((one) => parseAggregate(one, '').name),
    ...(metrics ?? []).filter(isAdditiveMetric),
  ])
  for (const calculation of calculate ?? []) {
    const [name, expression] = calculation.split(/=(.*)/s).map((part) => part.trim()) as [string, string]
    // A number without a name would be added once per group.
    const terms = expression.split(/[+\-() ]+/).filter(Boolean)
    if (isSum(expression) && terms.every((term) => names.has(term))) names.add(name)
  }
  return names
}
