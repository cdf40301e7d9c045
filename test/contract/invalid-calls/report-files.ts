import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const REPORT_FILES_CALLS: readonly InvalidCall[] = [
  wrongValue('list_reports', 'kind', 'custom', 'designed', ['designed']),
  wrongName('list_reports', 'query', 'search', 'revenue'),
  wrongValue('get_report', 'runId', 'latest', undefined, ['24 characters'], { example: 1 }),
  wrongValue('run_report', 'format', 'excel', 'xlsx', ['xlsx']),
  missingArgument('run_report', 'report', ['report']),
  wrongValue('run_report', 'recipients', ['the board'], undefined, ['email']),
  wrongValue('export_event', 'personalData', 'all', 'none', ['none', 'full']),
  wrongValue('export_event', 'entities', ['participnt'], ['participant'], ['participant']),
]
