import { toOneLine, code, flag, ifRevision, instant, list, locale, name, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { conditionTreeSchema } from '../../domains/figures/query/arguments.ts'
import { DeliveryInput, ReportPageInput } from '../../domains/reports/designed/arguments.ts'
import { designReport } from '../../domains/reports/designed/design-report.ts'
import { ParameterInput } from '../../domains/reports/designed/parameters.ts'
import { DesignedReportShape, ReportPreviewShape, ReportProblemShape, ReportWidgetInput } from '../../domains/reports/designed/shapes.ts'
import { MAX_WIDGETS } from '../../domains/reports/designed/widgets.ts'

export default eventTool({
  name: 'design_report',
  title: 'Design a report',
  description:
    'Emails of a delivery cannot be undone, so use dryRun first. Build or change a custom report (dashboard, one-pager for management) of tables, charts, figures and text, copy a standard one, archive it, or mail it to an inbox each day, week or month. Not for single widgets: use update_report_widgets. Returns the report and a preview.',
  effect: 'destructive',
  permission: 'reports.write',
  callPermissions: ({ delivery }) => (delivery ? ['email.send'] : []),
  openWorld: true,
  confirm: ({ delivery }) => Boolean(delivery),
  input: {
    report: code().optional(),
    name: name().optional(),
    description: text(1000).nullable().optional(),
    category: code().nullable().optional(),
    fromReport: code().optional(),
    visibility: oneOf(['private', 'event']).optional(),
    parameters: list(toOneLine(ParameterInput, 'name, type, label, required, default'), 20).optional(),
    filter: toOneLine(conditionTreeSchema(), '{all|any: [{field, op, value}]}').nullable().optional(),
    widgets: list(ReportWidgetInput, MAX_WIDGETS).optional(),
    page: toOneLine(ReportPageInput, 'size A4|letter, orientation portrait|landscape').optional(),
    theme: oneOf(['light', 'dark']).optional(),
    locale: locale().nullable().optional(),
    delivery: toOneLine(DeliveryInput, 'recipients[], format, every day|week|month, weekday, monthDay, at, until').nullable().optional(),
    archive: flag().optional(),
    ifRevision: ifRevision(),
  },
  output: {
    report: DesignedReportShape,
    changed: list(text()),
    problems: list(toOneLine(ReportProblemShape, 'widgetId, kind, message')),
    preview: toOneLine(object({ widgets: ReportPreviewShape }), 'widgets[] { id, columns[], rows[] }'),
    delivery: toOneLine(object({ next: list(instant()), personal: list(text()) }), 'next[], personal[]').optional(),
  },
  run: designReport,
})
