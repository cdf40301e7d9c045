import type { FieldDocsByTool } from '../meanings.ts'

const QUERY: Record<string, string> = {
  entity: 'What one row is, such as `participant` or `orderLine`. `describe_data` lists the entities. Left out only with `metrics`.',
  fields: 'Paths of the columns, such as `lastName` or `order.total`. Lists rows, so it excludes groups.',
  groupBy: 'Keys such as `flowSlug`, `completedAt:month` or `total:step(50) as price`. Metrics take `date:month` for their own date.',
  aggregates: 'Values of each group: `count`, `countDistinct(path)`, `sum(path)`, `avg(path)`, `percentile(path, 0.9)`, each with an optional ` as name`.',
  aggregateFilters: 'Conditions on the rows of one aggregate, by its name.',
  metrics: 'Codes of metrics, such as `money.net`, with the definition that every summary uses.',
  calculate: 'Values computed from others, such as `share = 100 * a / b`. Division by 0 is null.',
  filter: 'A condition tree on rows: `all` or `any` of conditions with `field`, `op` and `value`, or `relation`, `has` and `where`.',
  having: 'A condition tree on the values of groups.',
  orderBy: 'Names of columns; `-name` is descending. Empty values come last.',
  fill: 'Adds date buckets without rows: counts and sums are 0, averages and rates null.',
  includeTestData: 'Includes test data, in rows of its own.',
  limit: 'Maximum number of rows, 100 if it is missing.',
  cursor: 'The `nextCursor` of the previous page of the same query.',
  total: 'Counts all matching rows.',
}

export const REPORT_QUERY_ARGUMENT_DOCS: FieldDocsByTool = {
  query_data: { ...QUERY, explain: 'Returns what the query computes and its estimated cost instead of rows.' },
  query_across_events: {
    ...QUERY,
    clientCode: 'Only events of this client.',
    eventCodes: 'Only these events, as event code or `client/event`.',
    status: 'Only events with one of these states.',
    from: 'Only events that start on this day or later.',
    until: 'Only events that start on this day or earlier.',
    currency: '`per`: amounts of different currencies stay apart. `convert`: they are converted into `reportingCurrency`.',
    reportingCurrency: 'The currency to convert into.',
    rateOn: '`row`: each row at the rate of its own day. A day: all rows at the rate of that day.',
  },
  get_my_events_stats: {
    clientCode: 'Only events of this client.',
    status: 'Only events with one of these states; published ones if it is missing.',
    from: 'Only events that start on this day or later.',
    until: 'Only events that start on this day or earlier.',
    search: 'Words in the name or code of the event.',
    sort: 'The first day, or the largest figure first.',
    currency: '`convert`: the totals are converted into `reportingCurrency` at the latest rates.',
    reportingCurrency: 'The currency of the totals.',
  },
}
