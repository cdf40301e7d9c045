import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Db } from '../../kernel/columns.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { sendEmail } from '../../kernel/email.ts'
import type { Pool } from '../../kernel/ports.ts'
import { hashToken, type Secret } from '../../kernel/secrets.ts'
import { countCallInHourWindow } from '../access/rate-windows.ts'
import type { EventEmailContext } from '../messages/event-mail/email-context.ts'
import { mayEmailMailbox } from '../messages/mailbox-limit.ts'
import { invitationListCodeEmail, webSignInCodeEmail } from './emails.ts'
import {
  type OneTimeCodeScope,
  type CodeVerificationResult,
  verifyOneTimeCode,
  takeAdvisoryLock,
  type IssuedOneTimeCode,
  issueOneTimeCode,
} from './one-time-code.ts'
import { createPersonSession } from './person-sessions.ts'
import { redactUsedCodesInEmails } from './spent-emails.ts'
import type { PersonSessionKind } from './tables.ts'

/** Limit of one-time codes that web pages email to one mailbox. Codes for assistants have another limit, so they cannot use it up. */
const MAX_CODES_PER_MAILBOX_HOUR = 3
/** Limit of one-time codes that one IP address may request, higher than the limit of one mailbox, because offices share an IP address. */
const MAX_CODES_PER_IP_HOUR = 30

/** Purpose of a one-time code. A code for a registration works neither for group administration nor for the exhibitor portal. */
export type WebOneTimeCodePurpose = 'web' | 'groupAdmin' | 'company'

const SESSION_KINDS: Record<WebOneTimeCodePurpose, PersonSessionKind> = { web: 'person', groupAdmin: 'groupAdmin', company: 'exhibitor' }

type PagePurpose = WebOneTimeCodePurpose | 'invite' | 'report'

const toCodeScope = (ctx: EventEmailContext, purpose: PagePurpose, email: string): OneTimeCodeScope => ({
  tenantId: ctx.tenantId,
  purpose,
  eventId: ctx.event.id,
  email,
  accountId: null,
})

/**
 * Whether the IP address may request another one-time code. Requests are counted outside of any transaction, so that failed ones count too.
 */
export const mayRequestCodeFromIp = async (pool: Pool, address: string): Promise<boolean> =>
  (await countCallInHourWindow(pool, `web-code:${address}`)) <= MAX_CODES_PER_IP_HOUR

interface WebCodeRequest {
  purpose: WebOneTimeCodePurpose
  email: string
  locale: string
  /** Path of the page that the email's link opens. */
  linkPath: string
}

/**
 * Emails a code and a link, whether or not the address is registered; that is revealed only after verification. Above the limit of the
 * mailbox for all events nothing is sent, and the response is the same.
 */
export async function sendWebSignInCode(
  ctx: EventEmailContext,
  { purpose, email, locale, linkPath }: WebCodeRequest,
): Promise<'sent' | 'wait'> {
  const put = await issueRateLimitedCode(ctx, purpose, email)
  if (put === null) return 'wait'
  const { id, code, link } = put
  const isWithinLimit = await mayEmailMailbox(ctx, 'signInCode', email)
  await sendEmail(ctx, webSignInCodeEmail, {
    to: { address: email },
    content: { event: ctx.event.name, code, link: `${ctx.baseUrl}${linkPath}?token=${link.reveal()}` },
    source: { kind: 'oneTimeCode', id, recipientKey: foldEmailCase(email) },
    locale,
    eventId: ctx.event.id,
    fromName: ctx.event.name,
    when: isWithinLimit,
  })
  return 'sent'
}

/**
 * Emails a code to an address on an invitation list. For other addresses a code is issued too and not sent, so that neither the response
 * nor its time reveals who is on the list. Above the rate limit nothing is sent, and the response is the same.
 */
export async function sendInvitationListCode(
  ctx: EventEmailContext,
  { email, flow, locale, sendsCode }: { email: string; flow: string; locale: string; sendsCode: boolean },
): Promise<void> {
  const put = await issueRateLimitedCode(ctx, 'invite', email)
  if (put === null) return
  const isWithinLimit = await mayEmailMailbox(ctx, 'inviteCode', email)
  await sendEmail(ctx, invitationListCodeEmail, {
    to: { address: email },
    content: { event: ctx.event.name, flow, code: put.code },
    source: { kind: 'oneTimeCode', id: put.id, recipientKey: foldEmailCase(email) },
    locale,
    eventId: ctx.event.id,
    fromName: ctx.event.name,
    when: sendsCode && isWithinLimit,
  })
}

/** Issues a one-time code; returns null if the mailbox has reached its hourly limit. */
export async function issueRateLimitedCode(ctx: EventEmailContext, purpose: PagePurpose, email: string): Promise<IssuedOneTimeCode | null> {
  await takeAdvisoryLock(ctx.db, `one-time codes of ${ctx.event.id} ${foldEmailCase(email)}`)
  if ((await countSentInHour(ctx, purpose, email)) >= MAX_CODES_PER_MAILBOX_HOUR) return null
  return issueOneTimeCode(ctx, toCodeScope(ctx, purpose, email))
}

async function countSentInHour({ db, tenantId, event }: EventEmailContext, purpose: PagePurpose, email: string): Promise<number> {
  const { rows } = await sql<{ sent: number }>`
    select count(*)::int as sent from one_time_codes
    where tenant_id = ${tenantId} and purpose = ${purpose} and event_id = ${event.id} and email_norm = ${foldEmailCase(email)}
      and created_at > lanyard_now() - interval '1 hour'`.execute(db)
  return rows[0]!.sent
}

type Verdict = { kind: 'open'; token: Secret } | { kind: 'wrong'; attempts: number } | { kind: 'none' }

interface WebCodeGuess {
  purpose: WebOneTimeCodePurpose
  email: string
  code: string
  /** The registration that was started in this browser before the visitor entered a sign-in code. */
  startedId?: string | null
}

export async function verifyWebSignInCode(
  ctx: EventEmailContext,
  { purpose, email, code, startedId = null }: WebCodeGuess,
): Promise<Verdict> {
  const guess = await verifyWebOneTimeCode(ctx, purpose, email, code)
  if (guess.kind === 'none') return guess
  if (guess.kind === 'right') return { kind: 'open', token: await signIn(ctx, purpose, guess.id, { email, startedId }) }
  return { kind: 'wrong', attempts: guess.attempts }
}

/** Verifies the one-time code of a person on an invitation list. A wrong code and an unlisted address give the same response. */
export const verifyInvitationListCode = async (
  ctx: EventEmailContext,
  { email, code }: { email: string; code: string },
): Promise<boolean> => (await verifyWebOneTimeCode(ctx, 'invite', email, code)).kind === 'right'

/**
 * Checks an entered one-time code. A wrong code is counted in the row of the issued code and not audited, because any visitor can enter
 * one.
 */
export const verifyWebOneTimeCode = (
  ctx: EventEmailContext,
  purpose: PagePurpose,
  email: string,
  code: string,
): Promise<CodeVerificationResult> => verifyOneTimeCode(ctx, toCodeScope(ctx, purpose, email), code)

async function signIn(
  ctx: EventEmailContext,
  purpose: WebOneTimeCodePurpose,
  codeId: string,
  { email, startedId = null }: Pick<WebCodeGuess, 'email' | 'startedId'>,
): Promise<Secret> {
  const kind = SESSION_KINDS[purpose]
  recordChange(ctx, { kind: 'personSession', id: codeId, after: { email, ...(kind === 'person' ? {} : { as: kind }) } })
  return createPersonSession(ctx.db, { tenantId: ctx.tenantId, eventId: ctx.event.id, email, kind, startedId })
}

const isLinkLive = (
  { tenantId, event }: Pick<EventEmailContext, 'tenantId' | 'event'>,
  purpose: WebOneTimeCodePurpose,
  token: string,
) => sql`
  tenant_id = ${tenantId} and link_hash = ${hashToken(token)} and event_id = ${event.id} and purpose = ${purpose}
  and used_at is null and superseded_at is null and expires_at > lanyard_now()`

/** Finds the email address that a link would sign in. Does not consume the link, because email scanners open links. */
export async function findEmailOfSignInLink(
  at: Pick<EventEmailContext, 'tenantId' | 'event'> & { db: Db },
  purpose: WebOneTimeCodePurpose,
  token: string,
): Promise<string | null> {
  const { rows } = await sql<{ email: string }>`
    select email_norm as email from one_time_codes where ${isLinkLive(at, purpose, token)}`.execute(at.db)
  return rows[0]?.email ?? null
}

/** Signs in with a link. Link and code become invalid. */
export async function consumeSignInLink(
  ctx: EventEmailContext,
  purpose: WebOneTimeCodePurpose,
  token: string,
  startedId: string | null = null,
): Promise<Secret | null> {
  const { rows } = await sql<{ id: string; email: string }>`
    update one_time_codes set used_at = lanyard_now(), code_hash = null, link_hash = null
    where ${isLinkLive(ctx, purpose, token)} returning id, email_norm as email`.execute(ctx.db)
  if (!rows[0]) return null
  await redactUsedCodesInEmails(ctx.db, ctx.tenantId, rows)
  return signIn(ctx, purpose, rows[0].id, { email: rows[0].email, startedId })
}
