import { recordChange } from '../../../kernel/audit.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { sendEmail } from '../../../kernel/email.ts'
import type { Pool } from '../../../kernel/ports.ts'
import { hashToken, type DerivedKeys } from '../../../kernel/secrets.ts'
import { verifyWebOneTimeCode, issueRateLimitedCode } from '../../codes/web-codes.ts'
import { MAX_ONE_TIME_CODE_ATTEMPTS } from '../../codes/one-time-code.ts'
import type { EventEmailContext } from '../../messages/event-mail/email-context.ts'
import { buildEventAndClientJoins, EVENT_WITH_CLIENT_COLUMNS_SQL, type EventFoundByToken } from '../../tenancy/scope.ts'
import { reportAccessCodeEmail } from './emails.ts'

/** The report file that an email link gives an external recipient access to. */
export interface ReportFileLink extends EventFoundByToken {
  recipientId: string
  email: string
  runId: string
  name: string
  fileId: string | null
  fileName: string | null
  bytes: number | null
  containsPersonal: boolean
  expiresAt: Date | null
  /** Whether the file exists and the client's settings still list the recipient's address. */
  isOpen: boolean
}

const FIND_LINK = `
select p.id as "recipientId", p.email, r.id as "runId", r.name, r.file_id as "fileId", r.file_name as "fileName", r.bytes,
  r.contains_personal as "containsPersonal", r.expires_at as "expiresAt",
  r.status = 'done' and r.expires_at > lanyard_now()
    and exists (select from unnest(k.report_recipients) listed where lanyard_fold_email(listed) = p.email_norm) as "isOpen",
  ${EVENT_WITH_CLIENT_COLUMNS_SQL}
from report_run_recipients p
join report_runs r on r.tenant_id = p.tenant_id and r.event_id = p.event_id and r.id = p.run_id
${buildEventAndClientJoins('p')}
where p.token_hash = $1`

/** Finds the report file of an external recipient's link, and whether the recipient may still open it; null if the link is unknown. */
export async function findReportFileLink(pool: Pool, token: string): Promise<ReportFileLink | null> {
  const { rows } = await pool.query<ReportFileLink>(FIND_LINK, [hashToken(token)])
  return rows[0] ?? null
}

/** Emails a one-time code to the recipient of a report link. Returns false if the address has been sent too many codes. */
export async function sendReportAccessCode(ctx: EventEmailContext, { email, name }: ReportFileLink, locale: string): Promise<boolean> {
  const issued = await issueRateLimitedCode(ctx, 'report', email)
  if (issued === null) return false
  await sendEmail(ctx, reportAccessCodeEmail, {
    to: { address: email },
    content: { event: ctx.event.name, report: name, code: issued.code },
    source: { kind: 'oneTimeCode', id: issued.id, recipientKey: foldEmailCase(email) },
    locale,
    eventId: ctx.event.id,
    fromName: ctx.event.name,
  })
  return true
}

export type ReportAccessCodeResult = { kind: 'right' } | { kind: 'wrong'; left: number } | { kind: 'none' }

export async function verifyReportAccessCode(
  ctx: EventEmailContext,
  { email, runId }: ReportFileLink,
  code: string,
): Promise<ReportAccessCodeResult> {
  const guess = await verifyWebOneTimeCode(ctx, 'report', email, code)
  if (guess.kind === 'none') return guess
  if (guess.kind === 'wrong') return { kind: 'wrong', left: MAX_ONE_TIME_CODE_ATTEMPTS - guess.attempts }
  recordChange(ctx, { kind: 'reportRun', id: runId, after: { openedBy: email } })
  return { kind: 'right' }
}

const SESSION_LABEL = 'report link session'
/** How long an external recipient who entered a code may download the file before a new code is required. */
export const REPORT_DOWNLOAD_SESSION_SECONDS = 3600

export const createReportDownloadSession = (keys: DerivedKeys, { recipientId }: ReportFileLink, now: Date): string =>
  keys.seal(SESSION_LABEL, String(now.getTime() + REPORT_DOWNLOAD_SESSION_SECONDS * 1000), recipientId)

export async function isReportDownloadSession(
  ctx: { keys: DerivedKeys; db: EventEmailContext['db'] },
  { recipientId }: ReportFileLink,
  cookie: string | undefined,
): Promise<boolean> {
  const until = cookie === undefined ? null : ctx.keys.open(SESSION_LABEL, cookie, recipientId)
  return until !== null && Number(until.toString()) > (await getDatabaseTime(ctx)).getTime()
}
