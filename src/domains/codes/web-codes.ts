import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Db } from '../../kernel/columns.ts'
import { sendEmail } from '../../kernel/email.ts'
import type { Pool } from '../../kernel/ports.ts'
import { hashToken, type Secret } from '../../kernel/secrets.ts'
import { countInHour } from '../access/rate-windows.ts'
import type { MailingEvent } from '../messages/event-mail/mailing-event.ts'
import { inviteCode, webCode } from './mails.ts'
import { type CodeFor, type Guess, guessCode, lockFor, type NewCode, normOf, putCode } from './one-code.ts'
import { openPersonSession } from './person-sessions.ts'
import { emptySpentMails } from './spent-mails.ts'
import type { SessionKind } from './tables.ts'

/** Codes of our own pages have windows of their own: no assistant can use up what a person may ask for here. */
const PER_MAILBOX_AND_HOUR = 3
/** Offices share an address; whoever goes through a list of other people's needs more. */
const PER_ADDRESS_AND_HOUR = 30

/** What a code is asked for on our pages. One for a registration is worth nothing where groups are looked after. */
export type WebPurpose = 'web' | 'groupAdmin'

const SESSIONS: Record<WebPurpose, SessionKind> = { web: 'person', groupAdmin: 'groupAdmin' }

type PagePurpose = WebPurpose | 'invite'

const codeFor = (ctx: MailingEvent, purpose: PagePurpose, email: string): CodeFor => ({
  tenantId: ctx.tenantId,
  purpose,
  eventId: ctx.event.id,
  email,
  accountId: null,
})

/** Counted outside of any transaction, whatever then comes of it. */
export const mayAskFrom = async (pool: Pool, address: string): Promise<boolean> =>
  (await countInHour(pool, `web-code:${address}`)) <= PER_ADDRESS_AND_HOUR

interface Requesting {
  purpose: WebPurpose
  email: string
  locale: string
  /** The page where the link of the mail is opened, from the root of this site. */
  linkPath: string
}

/** Mails a code and a link to whoever reads the mailbox, registered or not: that is told after they have proved it. */
export async function requestWebCode(ctx: MailingEvent, { purpose, email, locale, linkPath }: Requesting): Promise<'sent' | 'wait'> {
  const put = await putLimited(ctx, purpose, email)
  if (put === null) return 'wait'
  const { id, code, link } = put
  await sendEmail(ctx, webCode, {
    to: { address: email },
    content: { event: ctx.event.name, code, link: `${ctx.baseUrl}${linkPath}?token=${link.reveal()}` },
    source: { kind: 'oneTimeCode', id, recipientKey: normOf(email) },
    locale,
    eventId: ctx.event.id,
    fromName: ctx.event.name,
  })
  return 'sent'
}

/** Mails a code to somebody who is on the list of a form. Whoever asked too often has the newest one, and nobody is told either. */
export async function mailInviteCode(
  ctx: MailingEvent,
  { email, flow, locale }: { email: string; flow: string; locale: string },
): Promise<void> {
  const put = await putLimited(ctx, 'invite', email)
  if (put === null) return
  await sendEmail(ctx, inviteCode, {
    to: { address: email },
    content: { event: ctx.event.name, flow, code: put.code },
    source: { kind: 'oneTimeCode', id: put.id, recipientKey: normOf(email) },
    locale,
    eventId: ctx.event.id,
    fromName: ctx.event.name,
  })
}

/** A code for a mailbox, as often as it may be sent one. Null when that was often enough. */
async function putLimited(ctx: MailingEvent, purpose: PagePurpose, email: string): Promise<NewCode | null> {
  await lockFor(ctx.db, `one-time codes of ${ctx.event.id} ${normOf(email)}`)
  if ((await sentInHour(ctx, purpose, email)) >= PER_MAILBOX_AND_HOUR) return null
  const put = await putCode(ctx, codeFor(ctx, purpose, email))
  recordChange(ctx, { kind: 'oneTimeCode', id: put.id, after: { email, code: put.code } })
  return put
}

async function sentInHour({ db, tenantId, event }: MailingEvent, purpose: PagePurpose, email: string): Promise<number> {
  const { rows } = await sql<{ sent: number }>`
    select count(*)::int as sent from one_time_codes
    where tenant_id = ${tenantId} and purpose = ${purpose} and event_id = ${event.id} and email_norm = ${normOf(email)}
      and created_at > lanyard_now() - interval '1 hour'`.execute(db)
  return rows[0]!.sent
}

type Verdict = { kind: 'open'; token: Secret } | { kind: 'wrong'; attempts: number } | { kind: 'none' }

export async function verifyWebCode(
  ctx: MailingEvent,
  { purpose, email, code }: { purpose: WebPurpose; email: string; code: string },
): Promise<Verdict> {
  const guess = await guessed(ctx, purpose, email, code)
  if (guess.kind === 'none') return guess
  if (guess.kind === 'right') return { kind: 'open', token: await signIn(ctx, purpose, guess.id, email) }
  return { kind: 'wrong', attempts: guess.attempts }
}

/** Whether somebody reads the mailbox of an address that is on a list. A wrong code and none at all are told alike: who is listed is nobody's business. */
export const isInviteCode = async (ctx: MailingEvent, { email, code }: { email: string; code: string }): Promise<boolean> =>
  (await guessed(ctx, 'invite', email, code)).kind === 'right'

async function guessed(ctx: MailingEvent, purpose: PagePurpose, email: string, code: string): Promise<Guess> {
  const guess = await guessCode(ctx, codeFor(ctx, purpose, email), code)
  if (guess.kind === 'wrong') {
    const { id, attempts } = guess
    recordChange(ctx, { kind: 'oneTimeCode', id, before: { wrongGuesses: attempts - 1 }, after: { wrongGuesses: attempts } })
  }
  return guess
}

async function signIn(ctx: MailingEvent, purpose: WebPurpose, codeId: string, email: string): Promise<Secret> {
  const kind = SESSIONS[purpose]
  recordChange(ctx, { kind: 'personSession', id: codeId, after: { email, ...(kind === 'person' ? {} : { as: kind }) } })
  return openPersonSession(ctx.db, { tenantId: ctx.tenantId, eventId: ctx.event.id, email, kind })
}

const isLive = ({ tenantId, event }: Pick<MailingEvent, 'tenantId' | 'event'>, purpose: WebPurpose, token: string) => sql`
  tenant_id = ${tenantId} and link_hash = ${hashToken(token)} and event_id = ${event.id} and purpose = ${purpose}
  and used_at is null and superseded_at is null and expires_at > lanyard_now()`

/** Whom the link of a mail would sign in. Looking uses nothing up: programs that check mails open every link in them. */
export async function findWebLink(
  at: Pick<MailingEvent, 'tenantId' | 'event'> & { db: Db },
  purpose: WebPurpose,
  token: string,
): Promise<string | null> {
  const { rows } = await sql<{ email: string }>`
    select email_norm as email from one_time_codes where ${isLive(at, purpose, token)}`.execute(at.db)
  return rows[0]?.email ?? null
}

/** Once; the code of the same mail is used up with it. */
export async function takeWebLink(ctx: MailingEvent, purpose: WebPurpose, token: string): Promise<Secret | null> {
  const { rows } = await sql<{ id: string; email: string }>`
    update one_time_codes set used_at = lanyard_now(), code_hash = null, link_hash = null
    where ${isLive(ctx, purpose, token)} returning id, email_norm as email`.execute(ctx.db)
  if (!rows[0]) return null
  await emptySpentMails(ctx.db, ctx.tenantId, rows)
  return signIn(ctx, purpose, rows[0].id, rows[0].email)
}
