import type { Metric } from './types.ts'

const LIST: readonly Metric[] = [
  {
    code: 'registrations.complete',
    label: 'Complete registrations',
    formula: 'participants with the status complete',
    type: 'integer',
    entity: 'participant',
    aggregate: 'count',
    filter: { field: 'status', op: 'equals', value: 'complete' },
    dateField: 'completedAt',
  },
  {
    code: 'money.net',
    label: 'Net',
    formula: 'sum of the net amounts of order lines',
    type: 'money',
    entity: 'orderLine',
    aggregate: 'sum(net)',
    dateField: 'pricedAt',
  },
]

/** Every metric, by code. */
export const METRICS: ReadonlyMap<string, Metric> = new Map(LIST.map((metric) => [metric.code, metric]))
