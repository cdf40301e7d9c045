import { z } from 'zod'
import { toOneLine, list, object, oneOf, pageArguments, pageResult, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { FIELD_ACCESS_CLASSES, FIELD_TYPES } from '../../domains/figures/dictionary/types.ts'
import { WIDGET_TYPES } from '../../domains/reports/designed/widgets.ts'
import { getReportFields } from '../../domains/reports/report-fields.ts'

const Field = object({
  name: z.string(),
  label: z.string(),
  path: z.string(),
  type: oneOf(FIELD_TYPES),
  class: oneOf(FIELD_ACCESS_CLASSES),
  allowed: z.boolean(),
  needs: z.string().optional(),
  format: list(z.string()),
  aggregates: list(z.string()),
})

export default eventTool({
  name: 'get_report_fields',
  title: 'Fields for reports',
  description:
    'Show what my own overview or report page may contain before I build it: columns of a report, or fields of an entity, how each thing can be totalled and formatted, and the kinds of widgets with their properties. Not for the numbers (use query_data) or the layout itself (use design_report). Returns fields and widget types.',
  effect: 'read',
  toleratesLag: true,
  permission: 'reports.read',
  input: {
    report: toOneLine(text(63).optional(), 'Code of a report; or pass entity.'),
    entity: toOneLine(text(40).optional(), 'Name, such as participant.'),
    widgetType: oneOf(WIDGET_TYPES).optional(),
    ...pageArguments,
  },
  output: {
    fields: toOneLine(list(Field), 'name, label, path, type, class, allowed, needs, format, aggregates'),
    parameters: toOneLine(list(z.record(z.string(), z.unknown())), 'name, type, label, required, default'),
    standardColumns: list(z.string()).optional(),
    metrics: list(z.string()),
    widgetTypes: toOneLine(list(object({ type: z.string(), properties: list(z.string()) })), 'type, properties'),
    ...pageResult,
  },
  run: getReportFields,
})
