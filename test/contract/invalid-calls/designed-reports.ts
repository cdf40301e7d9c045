import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const DESIGNED_REPORTS_CALLS: readonly InvalidCall[] = [
  wrongValue('design_report', 'theme', 'black', undefined, ['light']),
  wrongValue('design_report', 'visibility', 'public', undefined, ['event']),
  wrongName('design_report', 'title', 'name', 'Weekly figures'),
  missingArgument('update_report_widgets', 'operations', ['operations']),
  missingArgument('update_report_widgets', 'report', ['report']),
  wrongValue('update_report_widgets', 'operations', [{ op: 'delete', widgetId: 'w1' }], undefined, ['remove']),
]
