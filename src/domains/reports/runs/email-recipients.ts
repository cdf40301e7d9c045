import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { MAX_ATTACHMENT_BYTES } from '../../../kernel/email-attachments.ts'
import { sendEmail } from '../../../kernel/email.ts'
import type { JobRunContext } from '../../../kernel/jobs.ts'
import { formatDay, formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { hashToken, newToken } from '../../../kernel/secrets.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { readUserLanguage } from '../../access/users.ts'
import { getFile, openFile } from '../../files/files.ts'
import { reportEmail } from './emails.ts'
import { checkRecipients } from './recipients.ts'
import { buildReportRunFileUrlPath } from './run-links.ts'
import { toRequesterContext, PERMISSION_WITHDRAWN_MESSAGE } from './requester.ts'
import { findReportRun } from './runs.ts'
import type { ReportRunRow, RunRecipientRow } from './tables.ts'

/** Emails the file of a finished run to its recipients. Each recipient gets one email, even if the job is repeated. */
export async function sendReportRunEmails(job: JobRunContext<'event'>, runId: string): Promise<void> {
  const { run, waiting } = await job.step(async (ctx) => ({ run: await findReportRun(ctx, runId), waiting: await listWaiting(ctx, runId) }))
  if (run?.status !== 'done' || waiting.length === 0) return
  const attachment = isAttached(run) ? await readFile(job, run) : null
  for (const recipient of waiting) await job.step((ctx) => emailRecipient(ctx, run, recipient, attachment))
}

/** Whether the file is attached to the email. Files with personal data are never attached. */
const isAttached = ({ contains_personal, bytes, kind }: ReportRunRow) =>
  kind === 'report' && !contains_personal && bytes !== null && bytes <= MAX_ATTACHMENT_BYTES

interface ReadFile {
  name: string
  mime: string
  content: Buffer
}

async function readFile(job: JobRunContext<'event'>, run: ReportRunRow): Promise<ReadFile> {
  const file = await getFile({ db: job.db, tenantId: run.tenant_id }, { fileId: run.file_id! })
  const chunks: Buffer[] = []
  for await (const chunk of await openFile(job.files, file)) chunks.push(chunk as Buffer)
  return { name: file.name, mime: file.mime, content: Buffer.concat(chunks) }
}

/** Lists recipients to whom no email was queued yet. Recipients who may not open the file are left out. */
const listWaiting = (ctx: EventContext, runId: string): Promise<RunRecipientRow[]> =>
  eventDb(ctx)
    .selectFrom('report_run_recipients')
    .selectAll()
    .where('run_id', '=', runId)
    .where('refused_reason', 'is', null)
    .where(
      sql<boolean>`not exists (select from messages m where m.tenant_id = report_run_recipients.tenant_id and m.source_kind = ${REPORT_EMAIL_SOURCE_KIND}
        and m.source_id = report_run_recipients.run_id and m.recipient_key = report_run_recipients.email_norm)`,
    )
    .orderBy('id')
    .execute()

export const REPORT_EMAIL_SOURCE_KIND = 'reportRun'

/** Queues the email to one recipient, after checking again that the requester may send the file and the recipient may open it. */
async function emailRecipient(ctx: EventContext, run: ReportRunRow, recipient: RunRecipientRow, file: ReadFile | null): Promise<void> {
  const requester = await toRequesterContext(ctx, run, ['email.send', ...run.needs])
  if (!requester) return refuse(ctx, recipient, PERMISSION_WITHDRAWN_MESSAGE)
  const { allowed } = await checkRecipients(ctx, [recipient.email], run.needs)
  if (allowed.length === 0) return refuse(ctx, recipient, 'not_allowed')
  const isOutside = recipient.user_id === null
  const locale = run.options.locale ?? (recipient.user_id && (await readUserLanguage(ctx.db, recipient.user_id))) ?? 'en'
  const path = file ? '' : isOutside ? await createLink(ctx, recipient) : buildReportRunFileUrlPath(ctx, run.id)
  await sendEmail(ctx, reportEmail, {
    to: { address: recipient.email },
    content: {
      report: run.name,
      event: ctx.event.name,
      requester: run.requested_by_name,
      asOf: formatInstantWithTimeZone(locale, run.as_of!, ctx.event.timezone),
      message: run.options.message ?? null,
      isScheduled: run.options.isScheduled ?? false,
      containsPersonal: run.contains_personal,
      access: file ? 'attached' : isOutside ? 'code' : 'signIn',
      path,
      expiresOn: formatDay(locale, toDayInZone(ctx.event.timezone, run.expires_at!)),
    },
    source: { kind: REPORT_EMAIL_SOURCE_KIND, id: run.id, recipientKey: recipient.email_norm },
    locale,
    eventId: ctx.event.id,
    fromName: ctx.event.name,
    ...(file ? { attachments: [file] } : {}),
  })
}

async function createLink(ctx: EventContext, { run_id, id }: RunRecipientRow): Promise<string> {
  const token = newToken('report_')
  await eventDb(ctx)
    .updateTable('report_run_recipients')
    .set({ token_hash: hashToken(token) })
    .where('run_id', '=', run_id)
    .where('id', '=', id)
    .execute()
  return `/report/${token}`
}

async function refuse(ctx: EventContext, { run_id, id }: RunRecipientRow, reason: string): Promise<void> {
  await eventDb(ctx)
    .updateTable('report_run_recipients')
    .set({ refused_reason: reason })
    .where('run_id', '=', run_id)
    .where('id', '=', id)
    .execute()
}
