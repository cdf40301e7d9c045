import { type InvalidCall, named, valued, without } from './calls.ts'

export const REPORT_FILES_CALLS: readonly InvalidCall[] = [
  valued('list_reports', 'kind', 'custom', 'designed', ['designed']),
  named('list_reports', 'query', 'search', 'revenue'),
  valued('get_report', 'runId', 'latest', undefined, ['24 characters'], { example: 1 }),
  valued('run_report', 'format', 'excel', 'xlsx', ['xlsx']),
  without('run_report', 'report', ['report']),
  valued('run_report', 'recipients', ['the board'], undefined, ['email']),
  valued('export_event', 'personalData', 'all', 'none', ['none', 'full']),
  valued('export_event', 'entities', ['participnt'], ['participant'], ['participant']),
]
