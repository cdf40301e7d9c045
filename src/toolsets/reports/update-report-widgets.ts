import { toOneLine, code, count, flag, ifRevision, list, oneOf } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { WidgetOperation } from '../../domains/reports/designed/operations.ts'
import { ReportPreviewShape, ReportProblemShape, ReportWidgetInput } from '../../domains/reports/designed/shapes.ts'
import { updateReportWidgets } from '../../domains/reports/designed/update-widgets.ts'
import { MAX_WIDGETS } from '../../domains/reports/designed/widgets.ts'

export default eventTool({
  name: 'update_report_widgets',
  title: 'Change widgets of a report',
  description:
    'Add, edit, drop, move or resize single tiles on the layout of a custom report or one-pager: tables, charts, a big number, text boxes, all or nothing. New fields suspend its delivery. Not for name, filter or schedule (use design_report), nor for standard reports. Returns all widgets and previews of the changed ones.',
  effect: 'change',
  permission: 'reports.write',
  dryRun: true,
  input: {
    report: code(),
    operations: list(toOneLine(WidgetOperation, 'op add|update|remove|move, widgetId, widget, x, y, w, h, after'), 40).min(
      1,
      'at least one operation',
    ),
    ifRevision: ifRevision(),
  },
  output: {
    widgets: list(ReportWidgetInput, MAX_WIDGETS),
    changed: flag(),
    revision: count(),
    problems: list(toOneLine(ReportProblemShape, 'widgetId, kind, message')),
    preview: toOneLine(ReportPreviewShape, 'id, columns[], rows[]'),
    deliverySuspended: oneOf(['contentChanged']).optional(),
  },
  run: updateReportWidgets,
})
