import { METRICS } from '../metrics/index.ts'
import type { Metric } from '../metrics/types.ts'
import type { Permission } from '../../../kernel/permissions.ts'
import { compileGroupQuery } from '../query/compile-groups.ts'
import { listBaseMetrics, buildMetricRequests } from '../query/metric-statements.ts'
import type { QuerySnapshot } from '../query/snapshot.ts'
import type { FieldType } from '../dictionary/types.ts'

export interface DescribedMetric {
  code: string
  label: string
  formula: string
  type: Metric['type']
  dateField: string | null
  dimensions: string[]
}

type Reading = Pick<QuerySnapshot, 'dictionary' | 'scope' | 'reader'>

const DIMENSIONS: readonly FieldType[] = ['enum', 'code', 'boolean', 'list', 'country', 'day', 'instant']

/** Returns the first permission that the caller lacks to query a metric; null if the query would be accepted. */
export function findMissingMetricPermission({ dictionary, scope, reader }: Reading, metric: Metric): Permission | null {
  const needs = buildMetricRequests(listBaseMetrics(metric), {}, []).flatMap(
    (request) => compileGroupQuery(dictionary, scope, request).plan.needs,
  )
  return needs.find(({ permission }) => !reader.permissions.has(permission))?.permission ?? null
}

/** Lists the metrics of one event that the caller may read, in the order of their declaration. */
export const listReadableMetrics = (snapshot: Reading): Metric[] =>
  [...METRICS.values()].filter((metric) => findMissingMetricPermission(snapshot, metric) === null)

/** Lists the fields by which a metric can be grouped: the fields of all entities that it is computed from. */
function listDimensions({ dictionary, reader }: Reading, metric: Metric): string[] {
  const bases = [...new Set(listBaseMetrics(metric).map(({ entity }) => entity))].map((name) => dictionary.get(name)!)
  const [first, ...others] = bases
  return Object.entries(first!.fields)
    .filter(
      ([name, { type, class: of = 'open' }]) =>
        DIMENSIONS.includes(type) &&
        (of === 'open' || reader.permissions.has('personal.read')) &&
        !name.startsWith('sharing.') &&
        others.every(({ fields }) => fields[name]?.type === type),
    )
    .map(([name]) => name)
}

export function describeMetric(snapshot: Reading, metric: Metric): DescribedMetric {
  const dates = new Set(listBaseMetrics(metric).map(({ dateField }) => dateField))
  const { code, label, formula, type } = metric
  return { code, label, formula, type, dateField: dates.size === 1 ? [...dates][0]! : null, dimensions: listDimensions(snapshot, metric) }
}
