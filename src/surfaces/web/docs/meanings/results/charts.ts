import type { FieldDocsByTool } from '../meanings.ts'

export const CHART_RESULT_DOCS: FieldDocsByTool = {
  plot_data: {
    columns: 'The columns of the drawn rows.',
    rows: 'The drawn rows, at most 200: as `query_data` returns them, with one row for all that were merged into Other.',
    asOf: 'The moment that all figures are of.',
    overlapping: 'One row may be in several groups, as with tags, so the groups do not add up.',
    suppressed: 'Groups of fewer than 5 participants that were merged, and how many participants they have.',
    withTestData: 'The rows include test data.',
    sums: 'The sum of each series over all rows; empty if the values cannot be added up.',
    chart: 'The kind, heading and text alternative of the picture, how many rows it shows, and how many were merged into Other.',
    vegaLite: 'The specification of the picture without its data.',
    note: 'Says if there are more drawn rows than the result lists.',
  },
}
