import { recordChange } from '../../../kernel/audit.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { foldEmail } from '../../../kernel/email-address.ts'
import { sendEmail } from '../../../kernel/email.ts'
import type { Pool } from '../../../kernel/ports.ts'
import { hashToken, type DerivedKeys } from '../../../kernel/secrets.ts'
import { checkWebCodeGuess, issueLimitedCode } from '../../codes/web-codes.ts'
import { MAX_GUESSES } from '../../codes/one-time-code.ts'
import type { EventEmailContext } from '../../messages/event-mail/email-context.ts'
import { joinLinkedEvent, LINKED_EVENT_SQL, type LinkedEvent } from '../../tenancy/scope.ts'
import { reportCodeEmail } from './emails.ts'

/** The report file that an email link gives an external recipient access to. */
export interface ReportLink extends LinkedEvent {
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
  ${LINKED_EVENT_SQL}
from report_run_recipients p
join report_runs r on r.tenant_id = p.tenant_id and r.event_id = p.event_id and r.id = p.run_id
${joinLinkedEvent('p')}
where p.token_hash = $1`

/** Finds the report file for an external recipient's link, with the current permissions; null if the link is unknown. */
export async function findReportLink(pool: Pool, token: string): Promise<ReportLink | null> {
  const { rows } = await pool.query<ReportLink>(FIND_LINK, [hashToken(token)])
  return rows[0] ?? null
}

/** Emails a one-time code to the recipient of a report link. Returns false if the address has been sent too many codes. */
export async function sendReportCode(ctx: EventEmailContext, { email, name }: ReportLink, locale: string): Promise<boolean> {
  const issued = await issueLimitedCode(ctx, 'report', email)
  if (issued === null) return false
  await sendEmail(ctx, reportCodeEmail, {
    to: { address: email },
    content: { event: ctx.event.name, report: name, code: issued.code },
    source: { kind: 'oneTimeCode', id: issued.id, recipientKey: foldEmail(email) },
    locale,
    eventId: ctx.event.id,
    fromName: ctx.event.name,
  })
  return true
}

export type ReportCodeResult = { kind: 'right' } | { kind: 'wrong'; left: number } | { kind: 'none' }

export async function verifyReportCode(ctx: EventEmailContext, { email, runId }: ReportLink, code: string): Promise<ReportCodeResult> {
  const guess = await checkWebCodeGuess(ctx, 'report', email, code)
  if (guess.kind === 'none') return guess
  if (guess.kind === 'wrong') return { kind: 'wrong', left: MAX_GUESSES - guess.attempts }
  recordChange(ctx, { kind: 'reportRun', id: runId, after: { openedBy: email } })
  return { kind: 'right' }
}

const SESSION_LABEL = 'report link session'
/** How long an external recipient who entered a code may download the file before a new code is required. */
export const REPORT_SESSION_SECONDS = 3600

export const createReportSession = (keys: DerivedKeys, { recipientId }: ReportLink, now: Date): string =>
  keys.seal(SESSION_LABEL, String(now.getTime() + REPORT_SESSION_SECONDS * 1000), recipientId)

export async function isReportSession(
  ctx: { keys: DerivedKeys; db: EventEmailContext['db'] },
  { recipientId }: ReportLink,
  cookie: string | undefined,
): Promise<boolean> {
  const until = cookie === undefined ? null : ctx.keys.open(SESSION_LABEL, cookie, recipientId)
  return until !== null && Number(until.toString()) > (await getDatabaseTime(ctx)).getTime()
}
