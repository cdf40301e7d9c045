import type { FieldDocsByTool } from '../meanings.ts'

export const DESIGNED_REPORT_RESULT_DOCS: FieldDocsByTool = {
  design_report: {
    report: 'The report with its widgets and its delivery.',
    changed: 'Names of the changed fields; `created` for a new report.',
    problems: 'What keeps widgets from showing all they should.',
    preview: 'Up to 5 rows of each widget.',
    delivery: 'The next three times, and the columns with personal data.',
  },
  update_report_widgets: {
    widgets: 'All widgets in reading order.',
    changed: 'Whether a widget changed.',
    revision: 'Revision of the report.',
    problems: 'What keeps widgets from showing all they should.',
    preview: 'Up to 5 rows of each added or changed widget.',
    deliverySuspended: 'The delivery is suspended until design_report confirms it, because other fields would be sent.',
  },
}
