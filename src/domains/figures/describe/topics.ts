/** The grammar of the query language, as describe_data explains it. */
export const QUERY_GRAMMAR: readonly string[] = [
  'entity: what one row is. Leave it out only if metrics are asked for.',
  'fields (≤ 40 paths) lists rows. groupBy, aggregates and metrics make groups. A query has one of the two modes.',
  'A path is relation.relation.field with at most 3 relations, such as order.participant.country. Bindings such as @custom.diet are paths too.',
  'groupBy (≤ 4): path or path:bucket, with an optional " as name". Buckets: hour, day, week, month, quarter, year, dayOfWeek (1 = Monday), hourOfDay, daysBefore, step(n) for numbers. Instants need a bucket. date:month stands for the date field of each metric.',
  'aggregates (≤ 12): count, count(path), countDistinct(path), sum(path), avg(path), min(path), max(path), percentile(path, 0.9), each with an optional " as name".',
  'aggregateFilters: { name: tree } restricts one aggregate to rows where the tree is true.',
  'metrics (≤ 8): codes such as money.net; see topic metrics.',
  'calculate (≤ 6): "name = expression" over names of aggregates and metrics, numbers, + - * / ( ). Division by 0 is null.',
  'filter: { all: [ … ] }, { any: [ … ] } or { field, op, value }. Operators: equals, notEquals, in, notIn, contains, startsWith, gt, gte, lt, lte, between [from, until], onDay, isSet, isNotSet. Depth ≤ 5, ≤ 50 conditions.',
  'To-many relations in a filter: { relation, has: "any" | "none", where: tree }.',
  'Days in a filter: 2026-10-01, or { today: -7 }, { start: -30 }, { end: 1 } in days from today, the first or the last day of the event.',
  'having: a tree on names of result columns. orderBy (≤ 4): name, or -name for descending.',
  'fill: "zero" adds empty date buckets: counts and sums are 0, averages and rates null. total: true counts all matches.',
  'includeTestData: true adds rows of test data, grouped by isTestData.',
  'Limits: limit ≤ 1,000 (default 100), 10,000 groups, 8 joined entities, 10 seconds.',
]

/** Example queries that work at every event. */
export const QUERY_EXAMPLES: readonly Readonly<Record<string, unknown>>[] = [
  { entity: 'participant', groupBy: ['status'] },
  { metrics: ['registrations.complete', 'money.net', 'money.owed'] },
  { metrics: ['money.net'], groupBy: ['date:month'] },
  {
    entity: 'orderLine',
    groupBy: ['productCode'],
    aggregates: ['sum(net) as net', 'sum(tax) as tax', 'sum(total) as total'],
    orderBy: ['-total'],
  },
  { entity: 'participant', groupBy: ['completedAt:day'], filter: { field: 'completedAt', op: 'gte', value: { today: -30 } }, fill: 'zero' },
  {
    entity: 'participant',
    groupBy: ['flowSlug'],
    aggregates: ['count as complete', 'count as cancelled'],
    aggregateFilters: {
      complete: { field: 'status', op: 'equals', value: 'complete' },
      cancelled: { field: 'status', op: 'equals', value: 'cancelled' },
    },
    calculate: ['share = 100 * cancelled / (complete + cancelled)'],
  },
  {
    entity: 'participant',
    groupBy: ['tags'],
    filter: { field: 'status', op: 'equals', value: 'complete' },
    orderBy: ['-count'],
    limit: 10,
  },
  {
    entity: 'participant',
    fields: ['status', 'flowSlug', 'completedAt', 'balance'],
    filter: {
      all: [
        { field: 'status', op: 'equals', value: 'complete' },
        { field: 'balance', op: 'gt', value: '0' },
      ],
    },
    orderBy: ['-balance'],
  },
  {
    entity: 'participant',
    filter: {
      all: [
        { field: 'status', op: 'equals', value: 'complete' },
        { relation: 'lines', has: 'none', where: { field: 'kind', op: 'equals', value: 'sale' } },
      ],
    },
  },
  { entity: 'invoice', groupBy: ['ageBucket'], aggregates: ['count', 'sum(balance)'], filter: { field: 'balance', op: 'gt', value: '0' } },
  { entity: 'order', groupBy: ['total:step(100) as from'], orderBy: ['from'] },
  {
    entity: 'payment',
    groupBy: ['method', 'receivedAt:month as month'],
    aggregates: ['sum(amount) as amount', 'percentile(amount, 0.5) as median'],
  },
]

/** The kinds of charts that the tool plot_data draws, with the columns that each kind needs. */
export const CHART_KIND_NOTES: readonly { kind: string; needs: string }[] = [
  { kind: 'bar', needs: '1 or 2 keys, 1 value; more than 30 bars: the top 29 and "Other"' },
  { kind: 'groupedBar', needs: '2 keys, 1 value' },
  { kind: 'stackedBar', needs: '2 keys, 1 value' },
  { kind: 'line', needs: 'a date or ordered key, 1 to 6 series' },
  { kind: 'area', needs: 'a date or ordered key, 1 to 6 series' },
  { kind: 'stackedArea', needs: 'a date or ordered key, 1 to 6 series' },
  { kind: 'donut', needs: '1 key, values ≥ 0 that can be added up; at most 6 slices' },
  { kind: 'histogram', needs: 'a number or money field' },
  { kind: 'boxplot', needs: 'a number or money field' },
  { kind: 'scatter', needs: '2 numbers' },
  { kind: 'heatmap', needs: '2 keys, 1 value' },
  { kind: 'funnel', needs: 'ordered steps or the pages of a flow' },
  { kind: 'figure', needs: '1 value' },
]

export const REPORT_TOPIC_NOTES: readonly string[] = [
  'Standard reports have fixed columns and parameters: list_reports shows them, run_report runs one as JSON, CSV, XLSX, PDF or HTML.',
  'A designed report is a page of widgets: table, pivot, chart, figure, text, standard, image, divider, pageBreak. Make it with design_report, change it with update_report_widgets.',
  'get_report_fields shows what a widget of an entity may hold.',
  'Files with personal data need the personal.export permission.',
]
