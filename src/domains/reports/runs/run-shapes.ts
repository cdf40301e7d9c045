import { sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, flag, id, instant, list, object, oneOf, text } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { REPORT_EMAIL_SOURCE_KIND } from './email-recipients.ts'
import { buildReportRunFileUrlPath } from './run-links.ts'
import { REPORT_RUN_STATES } from './states.ts'
import type { ReportRunRow } from './tables.ts'

export const RunFile = toOneLine(object({ name: text(), url: text(2000), expiresAt: instant() }), 'name, url (asks to sign in), expiresAt')

/** Describes the file of a finished run, with a URL that requires signing in; null if there is no file. */
export const toRunFileResult = (ctx: Pick<EventContext, 'client' | 'event' | 'baseUrl'>, run: ReportRunRow) =>
  run.status === 'done' && run.file_name !== null && run.expires_at !== null
    ? { name: run.file_name, url: `${ctx.baseUrl}${buildReportRunFileUrlPath(ctx, run.id)}`, expiresAt: formatInstant(run.expires_at) }
    : null

export const RECIPIENT_STATUSES = ['queued', 'sent', 'bounced', 'refused'] as const

/** A report run as shown in lists. */
export const RunSummary = object({
  runId: id('reportRun'),
  report: text().nullable(),
  name: text(),
  format: text(),
  status: oneOf(REPORT_RUN_STATES.all),
  rows: count(0, Number.MAX_SAFE_INTEGER).nullable(),
  requestedBy: text(),
  createdAt: instant(),
})

export const toReportRunSummary = (run: ReportRunRow): z.input<typeof RunSummary> => ({
  runId: run.id,
  report: run.report_code,
  name: run.name,
  format: run.format,
  status: run.status,
  rows: run.rows,
  requestedBy: run.requested_by_name,
  createdAt: formatInstant(run.created_at),
})

export const RunDetail = object({
  ...RunSummary.shape,
  parameters: z.record(z.string(), z.unknown()),
  progress: object({
    done: count(0, Number.MAX_SAFE_INTEGER),
    total: count(0, Number.MAX_SAFE_INTEGER).nullable(),
  }).nullable(),
  asOf: instant().nullable(),
  bytes: count(0, Number.MAX_SAFE_INTEGER).nullable(),
  sha256: text(64).nullable(),
  file: RunFile.nullable(),
  containsPersonal: flag(),
  recipients: list(object({ email: text(), status: oneOf(RECIPIENT_STATUSES), reason: text().optional() })),
  error: text(2000).optional(),
  totals: list(z.looseObject({})),
  manifest: z.looseObject({}).optional(),
  expiresAt: instant().nullable(),
  again: object({ tool: text(), arguments: z.looseObject({}) }).optional(),
})

/** Returns the tool call that creates the file of an expired run again. */
function toRepeatedCall({ report_code, parameters, format, options }: ReportRunRow) {
  if (report_code === null) {
    const { entities, ...exported } = options.export!
    return { tool: 'export_event', arguments: { ...exported, ...(entities === null ? {} : { entities }) } }
  }
  const { isScheduled: _isScheduled, message: _message, export: _export, ...shown } = options
  return { tool: 'run_report', arguments: { report: report_code, parameters, format, ...shown } }
}

/** Returns a report run in full, with its progress, its file and the state of its emails. */
export async function toRunDetail(ctx: EventContext, run: ReportRunRow): Promise<z.input<typeof RunDetail>> {
  const { manifest, tables = [] } = run.result
  return {
    ...toReportRunSummary(run),
    parameters: run.parameters,
    progress: await readProgress(ctx, run),
    asOf: run.as_of && formatInstant(run.as_of),
    bytes: run.bytes,
    sha256: run.sha256,
    file: toRunFileResult(ctx, run),
    containsPersonal: run.contains_personal,
    recipients: await listRecipients(ctx, run.id),
    ...(run.error === null ? {} : { error: run.error }),
    totals: manifest ? [manifest.totals] : tables.map(({ title, rows, totals, checks }) => ({ title, rows, totals, checks })),
    ...(manifest ? { manifest: { files: manifest.files.length, rows: run.rows, totals: manifest.totals, leftOut: manifest.leftOut } } : {}),
    expiresAt: run.expires_at && formatInstant(run.expires_at),
    ...(run.status === 'expired' ? { again: toRepeatedCall(run) } : {}),
  }
}

async function readProgress(ctx: EventContext, run: ReportRunRow): Promise<{ done: number; total: number | null } | null> {
  if (run.job_id === null || (run.status !== 'queued' && run.status !== 'running')) return null
  const row = await eventDb(ctx)
    .selectFrom('jobs')
    .select(['progress_done', 'progress_total'])
    .where('id', '=', run.job_id)
    .executeTakeFirst()
  return row ? { done: row.progress_done, total: row.progress_total } : null
}

/** Lists the recipients of a run with the state of their emails. */
async function listRecipients(ctx: EventContext, runId: string) {
  const rows = await eventDb(ctx)
    .selectFrom('report_run_recipients')
    .select(['email', 'refused_reason'])
    .select(
      sql<
        string | null
      >`(select m.status from messages m where m.tenant_id = report_run_recipients.tenant_id and m.source_kind = ${REPORT_EMAIL_SOURCE_KIND}
        and m.source_id = report_run_recipients.run_id and m.recipient_key = report_run_recipients.email_norm and m.resend_of is null)`.as(
        'sent',
      ),
    )
    .where('run_id', '=', runId)
    .orderBy('id')
    .execute()
  return rows.map(({ email, refused_reason, sent }) => {
    // If the mail server did not confirm an email, it may still have delivered it, so the email is not sent a second time.
    const reason = refused_reason ?? (sent === 'uncertain' ? sent : null)
    return {
      email,
      status: refused_reason === null ? toRecipientStatus(sent) : ('refused' as const),
      ...(reason === null ? {} : { reason }),
    }
  })
}

function toRecipientStatus(status: string | null): (typeof RECIPIENT_STATUSES)[number] {
  if (status === 'sent' || status === 'delivered' || status === 'uncertain' || status === 'kept' || status === 'complained') return 'sent'
  if (status === 'bounced') return 'bounced'
  return status === 'failed' || status === 'cancelled' || status === 'skipped' ? 'refused' : 'queued'
}
