import { type InvalidCall, wrongName, wrongValue } from './calls.ts'

export const REPORTS_QUERY_CALLS: readonly InvalidCall[] = [
  wrongValue('query_data', 'entity', 'participants', 'participant', ['participant']),
  wrongValue('query_data', 'fill', 'none', 'zero', ['zero'], { example: 1, right: { groupBy: ['createdAt:day'] } }),
  wrongValue('query_data', 'limit', 5000, 1000, ['1000']),
  wrongName('query_data', 'table', 'entity', 'participant'),
  wrongValue('query_across_events', 'currency', 'euro', 'per', ['per', 'convert']),
  wrongValue('query_across_events', 'status', ['live'], ['published'], ['published']),
  wrongValue('get_my_events_stats', 'sort', 'revenue', 'net', ['net', 'complete']),
  wrongValue('get_my_events_stats', 'status', ['live'], ['published'], ['published']),
]
