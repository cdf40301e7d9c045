import { type InvalidCall, named, valued, without } from './calls.ts'

export const DESIGNED_REPORTS_CALLS: readonly InvalidCall[] = [
  valued('design_report', 'theme', 'black', undefined, ['light']),
  valued('design_report', 'visibility', 'public', undefined, ['event']),
  named('design_report', 'title', 'name', 'Weekly figures'),
  without('update_report_widgets', 'operations', ['operations']),
  without('update_report_widgets', 'report', ['report']),
  valued('update_report_widgets', 'operations', [{ op: 'delete', widgetId: 'w1' }], undefined, ['remove']),
]
