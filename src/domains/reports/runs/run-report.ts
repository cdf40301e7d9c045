import type { EventContext } from '../../../kernel/context.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { formatInstant } from '../../../kernel/time.ts'
import type { PrefetchContext } from '../../../kernel/tool.ts'
import { runWithQueryLimit } from '../../figures/query/limit-queries.ts'
import { runInSnapshot } from '../../figures/query/snapshot.ts'
import type { ReportColumn } from '../../figures/report-table.ts'
import { type ParameterValues, resolveParameterValues } from '../designed/parameters.ts'
import type { FileFormat } from '../files/facts.ts'
import { MAX_FILE_ROWS_BY_FORMAT, createTooManyReportRowsError } from '../files/limits.ts'
import { listReportColumns, listReportTables } from '../files/parts.ts'
import { getRunnableReport } from '../find-report.ts'
import type { RunnableReport } from '../runnable.ts'
import { finishRun } from './finish-run.ts'
import { type OpenedReportContent, openReport, requirePermissions } from './open-report.ts'
import { checkRecipients } from './recipients.ts'
import { type WrittenReportFile, writeReportFile } from './render-run.ts'
import { type ReportPage, readReportPage } from './report-page.ts'
import { toRunFileResult } from './run-shapes.ts'
import { insertReportRun, type RunRequest, startRun } from './start-run.ts'
import { REPORT_RUN_STATES } from './states.ts'
import type { ReportRunOptions } from './tables.ts'

export interface RunReportInput {
  report: string
  parameters?: Record<string, unknown> | undefined
  format: FileFormat
  recipients?: readonly string[] | undefined
  message?: string | undefined
  theme?: 'light' | 'dark' | undefined
  locale?: string | undefined
  includeTestData?: boolean | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/** Lists arguments of a call that would have no effect, each with the reason. */
export function listIneffectiveArguments(sent: Record<string, unknown>): { path: string; message: string }[] {
  const find = (names: readonly string[], message: string) =>
    names.filter((name) => sent[name] !== undefined).map((path) => ({ path, message }))
  const isFile = (sent['format'] ?? 'json') !== 'json' || sent['recipients'] !== undefined
  return [
    ...(sent['recipients'] === undefined ? find(['message'], 'is the text of an email: it needs recipients') : []),
    ...(isFile ? find(['limit', 'cursor'], 'is only for rows in the answer: a file always has all rows') : []),
  ]
}

/** The maximum number of rows of a file that is written while the caller waits. */
const MAX_SYNCHRONOUS_ROWS = 5_000
/** The maximum number of rows that a dry run counts. */
const MAX_COUNTED_ROWS = 100_000

/**
 * The data that a tool call reads before its transaction: a page of rows, or the content of a report file, written if the file is small.
 */
export type PreparedReportRun =
  | { kind: 'page'; page: ReportPage }
  | {
      kind: 'file'
      report: Pick<RunnableReport, 'code' | 'name'>
      values: ParameterValues
      content: Pick<OpenedReportContent, 'personal' | 'containsPersonal' | 'needs' | 'withheld'>
      columns: ReportColumn[]
      counted: CountedRows
      written: WrittenReportFile | null
    }

/** The number of rows of a report; a lower bound if counting stopped at the limit. */
interface CountedRows {
  rows: number
  isComplete: boolean
}

const toOptions = ({ locale, theme, includeTestData, message }: RunReportInput): ReportRunOptions => ({
  locale,
  theme,
  includeTestData,
  message,
})

/** Whether a call asks for rows as JSON, and not for a file or an email. */
const isPage = (sent: { format?: unknown; recipients?: unknown }): boolean =>
  (sent.format ?? 'json') === 'json' && !Array.isArray(sent.recipients)

/** Whether a call only returns rows. A dry run returns the effects of the call instead. */
export const isReportRowsRequest = (sent: Record<string, unknown>): boolean => isPage(sent) && sent['dryRun'] !== true

export const prepareReportRun = (ctx: PrefetchContext<EventContext>, input: RunReportInput): Promise<PreparedReportRun> =>
  runWithQueryLimit(ctx, () => readReportRun(ctx, input))

async function readReportRun(ctx: PrefetchContext<EventContext>, input: RunReportInput): Promise<PreparedReportRun> {
  const report = await getRunnableReport(ctx, input.report)
  const values = resolveParameterValues(report.parameters, input.parameters ?? {})
  const options = toOptions(input)
  if (isReportRowsRequest({ ...input, dryRun: ctx.isDryRun })) {
    const { limit, cursor } = input
    return { kind: 'page', page: await readReportPage(ctx, report, { values, options, limit, cursor }) }
  }
  const { opened, columns, counted } = await runInSnapshot(ctx, 'run_report', async (snapshot) => {
    const content = await openReport({ ...snapshot, onlyCounts: true }, report, { values, options, files: ctx.files })
    return {
      opened: content,
      columns: [...new Map(listReportColumns(content.parts).map((column) => [column.name, column])).values()],
      counted: await countUpTo(content, input.format, ctx.isDryRun ? MAX_COUNTED_ROWS : MAX_SYNCHRONOUS_ROWS),
    }
  })
  if (!isPage(input)) requirePermissions('run_report', opened.needs, ctx.permissions)
  // A file that needs a confirmation is written by a background job after the confirmation, so that a rejected call leaves no file.
  const isSmall = input.format === 'csv' && !input.recipients && counted.isComplete && opened.personal.length === 0
  const target = { db: ctx.db, files: ctx.files, log: ctx.log }
  const written = isSmall && !ctx.isDryRun ? await writeReportFile(ctx, report, { values, options, format: 'csv', target }) : null
  return { kind: 'file', report, values, content: opened, columns, counted, written }
}

/** Counts the rows of all tables up to `limit`. Throws if a table has more rows than the file format allows. */
async function countUpTo({ parts }: OpenedReportContent, format: FileFormat, limit: number): Promise<CountedRows> {
  let rows = 0
  for (const table of listReportTables(parts)) {
    let ofTable = 0
    const tableLimit = MAX_FILE_ROWS_BY_FORMAT[format] ?? Number.POSITIVE_INFINITY
    for await (const _row of table.rows) {
      if (++ofTable > tableLimit) throw createTooManyReportRowsError(format)
      if (++rows > limit && tableLimit === Number.POSITIVE_INFINITY) return { rows: limit, isComplete: false }
    }
  }
  return { rows, isComplete: true }
}

/** Runs a report: returns a page of rows, or starts a run whose file is stored and emailed. */
export async function runReport(ctx: EventContext, input: RunReportInput, prepared: PreparedReportRun) {
  if (prepared.kind === 'page') return toPageResult(prepared.page)
  const { report, values, content, columns, counted, written } = prepared
  const { rows } = counted
  const { format, recipients } = input
  const shown = {
    rowCount: rows,
    columns: columns.map((column) => ({ ...column })),
    personal: content.personal,
    withheld: [...content.withheld],
    ...(counted.isComplete ? {} : { note: `More than ${rows.toLocaleString('en')} rows. Counting stopped there.` }),
  }
  if (isPage(input)) return shown
  const checked = recipients ? await checkRecipients(ctx, recipients, content.needs) : null
  if (checked && checked.allowed.length === 0)
    throw preconditionFailed(
      'No recipient left: recipients must be organizers who may see every field, or addresses in the report recipients of the client',
      { fields: checked.addresses.map(({ email }, at) => ({ path: `recipients[${at}]`, message: `${email}: not_allowed` })) },
    )
  if (content.personal.length > 0) {
    ctx.effects.add('changes', `personal data in ${report.code}`, { report: report.code, rows, personal: content.personal })
    ctx.effects.requireConfirmation(`A file with personal data (${content.personal.join(', ')}) always needs a confirmToken`)
  }
  for (const { email } of checked?.allowed ?? []) ctx.effects.add('recipients', foldEmailCase(email), { email, report: report.code })
  const request: RunRequest = {
    kind: 'report',
    report: { code: report.code, name: report.name },
    parameters: values,
    format,
    recipients: checked?.allowed ?? [],
    options: toOptions(input),
  }
  const run = written ? await saveWrittenRun(ctx, request, written) : await startRun(ctx, request)
  return {
    ...run,
    ...shown,
    ...(checked ? { queued: checked.allowed.length, skipped: checked.skipped, recipients: checked.addresses } : {}),
  }
}

const toPageResult = ({ columns, rows, totals, checks, widgets, ...page }: ReportPage) => ({
  ...page,
  ...(widgets ? { widgets: widgets.map((widget) => ({ ...widget })) } : {}),
  columns: columns.map((column) => ({ ...column })),
  rows,
  totals,
  checks,
})

/** Saves a report run whose file was written during the tool call, and finishes the run. */
async function saveWrittenRun(ctx: EventContext, request: RunRequest, written: WrittenReportFile) {
  const runId = newId()
  const queued = await insertReportRun(ctx, request, { runId, jobId: null, requestedBy: ctx.actor })
  const running = await changeRecordState(ctx, REPORT_RUN_STATES, queued, 'running')
  const done = await finishRun(ctx, running, written)
  return { runId, status: done.status, asOf: formatInstant(written.rendered.asOf), file: toRunFileResult(ctx, done)! }
}
