import { z } from 'zod'
import { toOneLine, code, id, list, object, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getReportOrRun } from '../../domains/reports/get-report.ts'
import { RunDetail, RunSummary } from '../../domains/reports/runs/run-shapes.ts'

const Loose = z.looseObject({})

export default eventTool({
  name: 'get_report',
  title: 'Show a report or a run',
  description:
    "Show how one report or a colleague's custom overview is built: parameters, widgets, schedule, latest runs, and what is wrong with it, such as removed fields; or with runId one run or export: progress, download link, checksum. Not for rows (use run_report) or all reports (use list_reports). Returns the record.",
  effect: 'read',
  permission: 'reports.read',
  input: { report: code().optional(), runId: id('reportRun').optional() },
  output: {
    report: toOneLine(Loose, 'code, name, kind, category, description, parameters[], columns[], widgets[], delivery').optional(),
    runs: toOneLine(list(RunSummary), 'runId, format, status, rows, requestedBy, createdAt').optional(),
    problems: toOneLine(
      list(object({ widgetId: text().optional(), kind: text(), message: text(2000) })),
      'widgetId, kind, message',
    ).optional(),
    run: toOneLine(RunDetail, 'runId, status, progress, asOf, rows, sha256, file, recipients[], error, totals[] ...').optional(),
  },
  run: getReportOrRun,
})
