import { oneOf, list, pageArguments, pageResult, searchArgument, text, totalResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listReportSummaries, ReportSummary } from '../../domains/reports/list-reports.ts'

export default eventTool({
  name: 'list_reports',
  title: 'List reports',
  description:
    'List the reports or overviews that exist already: standard ones, such as revenue, rooming list, dietary needs or no-shows, and those that organizers built, with parameters, last run and schedule. Not for results (use run_report) or one report in full (use get_report). Returns codes and descriptions.',
  effect: 'read',
  permission: 'reports.read',
  input: {
    kind: oneOf(['standard', 'designed']).optional(),
    category: text(63).optional(),
    search: searchArgument().optional(),
    status: oneOf(['active', 'archived']).default('active'),
    ...pageArguments,
  },
  output: { reports: list(ReportSummary), ...totalResult, ...pageResult },
  run: listReportSummaries,
})
