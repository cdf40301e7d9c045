import { type InvalidCall, named, valued } from './calls.ts'

export const REPORTS_QUERY_CALLS: readonly InvalidCall[] = [
  valued('query_data', 'entity', 'participants', 'participant', ['participant']),
  valued('query_data', 'fill', 'none', 'zero', ['zero']),
  valued('query_data', 'limit', 5000, 1000, ['1000']),
  named('query_data', 'table', 'entity', 'participant'),
  valued('query_across_events', 'currency', 'euro', 'per', ['per', 'convert']),
  valued('query_across_events', 'status', ['live'], ['published'], ['published']),
  valued('get_my_events_stats', 'sort', 'revenue', 'net', ['net', 'complete']),
  valued('get_my_events_stats', 'status', ['live'], ['published'], ['published']),
]
