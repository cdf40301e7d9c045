import type { FieldDocsByTool } from '../meanings.ts'

const RESULT: Record<string, string> = {
  columns: 'The columns, with type and class.',
  rows: 'Values by column name. Amounts have their currency; days and instants are text.',
  nextCursor: 'The cursor of the next page; null on the last one.',
  total: 'The number of all matching rows, if it was asked for.',
  asOf: 'The moment that all figures are of.',
  overlapping: 'One row may be in several groups, as with tags, so the groups do not add up.',
  suppressed: 'Groups of fewer than 5 participants that were merged, and how many participants they have.',
  withTestData: 'The rows include test data.',
  note: 'Says if the page was cut.',
}

export const REPORT_QUERY_RESULT_DOCS: FieldDocsByTool = {
  query_data: {
    ...RESULT,
    plan: 'With `explain`: the joined entities, and the rows and cost that the database estimates.',
    readable: 'With `explain`: what the query computes, in a sentence.',
  },
  query_across_events: {
    ...RESULT,
    events: 'How many events the result covers, and how many were left out for which reason.',
    rates: 'The exchange rates per euro of a conversion.',
  },
  get_my_events_stats: {
    events: 'One row for each event, by the definitions of its own summaries. Figures of areas that you may not read are null.',
    totals: 'Sums over all matching events, amounts by currency.',
    asOf: 'The moment that all figures are of.',
  },
}
