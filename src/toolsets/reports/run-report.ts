import { z } from 'zod'
import { toOneLine, code, count, describe, email, flag, keepNullInResult, list, locale, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { FILE_FORMATS } from '../../domains/reports/files/facts.ts'
import { listIneffectiveArguments, prepareReportRun, isReportRowsRequest, runReport } from '../../domains/reports/runs/run-report.ts'
import { RunFile } from '../../domains/reports/runs/run-shapes.ts'

const Loose = z.looseObject({})
const Row = z.record(z.string(), z.unknown())

export default eventTool({
  name: 'run_report',
  title: 'Run a report',
  description:
    'Run a report and get its rows, or a file: rooming list, badge list, accounting ledger, vegans and allergies, as CSV, Excel or PDF, generated today and mailed to people; sent emails cannot be undone, so use dryRun first. Not for own questions (use query_data). Returns rows with totals, or the run and its file.',
  effect: 'destructive',
  openWorld: true,
  keyed: true,
  permission: 'reports.read',
  callPermissions: (sent) => (Array.isArray(sent['recipients']) ? ['email.send'] : []),
  readsOnly: isReportRowsRequest,
  input: {
    report: code(),
    parameters: Row.optional(),
    format: oneOf(FILE_FORMATS).default('json'),
    recipients: list(email(), 50).min(1, 'at least one').optional(),
    message: text(1000).optional(),
    theme: oneOf(['light', 'dark']).optional(),
    locale: locale().optional(),
    includeTestData: flag().optional(),
    limit: count(1, 1000).optional(),
    cursor: describe(text(2000), 'The `nextCursor` of the previous page.').optional(),
  },
  output: {
    rows: toOneLine(list(Row), 'values by column name').optional(),
    columns: toOneLine(list(Loose), 'name, label, type, class').optional(),
    rowCount: count(0, Number.MAX_SAFE_INTEGER).optional(),
    totals: Row.optional(),
    checks: toOneLine(list(object({ name: text(), ok: flag() })), 'name, ok').optional(),
    widgets: toOneLine(list(Loose), 'id, columns?, rows?, totals?, chart?').optional(),
    asOf: text().optional(),
    nextCursor: keepNullInResult(text(2000).nullable()).optional(),
    withheld: list(text()),
    note: text(500).optional(),
    runId: text().optional(),
    jobId: text().optional(),
    status: text().optional(),
    file: RunFile.optional(),
    queued: count().optional(),
    skipped: toOneLine(list(object({ reason: text(), count: count() })), 'reason, count').optional(),
    personal: list(text()).optional(),
    recipients: toOneLine(list(object({ email: text(), known: flag() })), 'email, known').optional(),
  },
  findArgumentErrors: listIneffectiveArguments,
  previewOnly: ['personal'],
  prefetch: prepareReportRun,
  run: runReport,
})
