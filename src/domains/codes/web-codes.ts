import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Db } from '../../kernel/columns.ts'
import { sendEmail } from '../../kernel/email.ts'
import type { Pool } from '../../kernel/ports.ts'
import { hashToken, type Secret } from '../../kernel/secrets.ts'
import { countInHour } from '../access/rate-windows.ts'
import type { MailingEvent } from '../messages/event-mail/mailing-event.ts'
import { eventPages } from '../tenancy/public-pages.ts'
import { webCode } from './mails.ts'
import { type CodeFor, guessCode, lockFor, normOf, putCode } from './one-code.ts'
import { openPersonSession } from './person-sessions.ts'

/** Codes of our own pages have windows of their own: no assistant can use up what a person may ask for here. */
const PER_MAILBOX_AND_HOUR = 3
/** Offices share an address; whoever goes through a list of other people's needs more. */
const PER_ADDRESS_AND_HOUR = 30

const codeFor = (ctx: MailingEvent, email: string): CodeFor => ({
  tenantId: ctx.tenantId,
  purpose: 'web',
  eventId: ctx.event.id,
  email,
  accountId: null,
})

/** Counted outside of any transaction, whatever then comes of it. */
export const mayAskFrom = async (pool: Pool, address: string): Promise<boolean> =>
  (await countInHour(pool, `web-code:${address}`)) <= PER_ADDRESS_AND_HOUR

/** Mails a code and a link to whoever reads the mailbox, registered or not: that is told after they have proved it. */
export async function requestWebCode(ctx: MailingEvent, { email, locale }: { email: string; locale: string }): Promise<'sent' | 'wait'> {
  await lockFor(ctx.db, `one-time codes of ${ctx.event.id} ${normOf(email)}`)
  if ((await sentInHour(ctx, email)) >= PER_MAILBOX_AND_HOUR) return 'wait'
  const { id, code, link } = await putCode(ctx, codeFor(ctx, email))
  await sendEmail(ctx, webCode, {
    to: { address: email },
    content: { event: ctx.event.name, code, link: `${eventPages(ctx).signIn}/link?token=${link.reveal()}` },
    source: { kind: 'oneTimeCode', id, recipientKey: normOf(email) },
    locale,
    eventId: ctx.event.id,
    fromName: ctx.event.name,
  })
  recordChange(ctx, { kind: 'oneTimeCode', id, after: { email, code } })
  return 'sent'
}

async function sentInHour({ db, tenantId, event }: MailingEvent, email: string): Promise<number> {
  const { rows } = await sql<{ sent: number }>`
    select count(*)::int as sent from one_time_codes
    where tenant_id = ${tenantId} and purpose = 'web' and event_id = ${event.id} and email_norm = ${normOf(email)}
      and created_at > lanyard_now() - interval '1 hour'`.execute(db)
  return rows[0]!.sent
}

type Verdict = { kind: 'open'; token: Secret } | { kind: 'wrong'; attempts: number } | { kind: 'none' }

export async function verifyWebCode(ctx: MailingEvent, { email, code }: { email: string; code: string }): Promise<Verdict> {
  const guess = await guessCode(ctx, codeFor(ctx, email), code)
  if (guess.kind === 'none') return guess
  if (guess.kind === 'right') return { kind: 'open', token: await signIn(ctx, guess.id, email) }
  const { id, attempts } = guess
  recordChange(ctx, { kind: 'oneTimeCode', id, before: { wrongGuesses: attempts - 1 }, after: { wrongGuesses: attempts } })
  return { kind: 'wrong', attempts }
}

async function signIn(ctx: MailingEvent, codeId: string, email: string): Promise<Secret> {
  recordChange(ctx, { kind: 'personSession', id: codeId, after: { email } })
  return openPersonSession(ctx.db, { tenantId: ctx.tenantId, eventId: ctx.event.id, email })
}

const isLive = ({ tenantId, event }: Pick<MailingEvent, 'tenantId' | 'event'>, token: string) => sql`
  tenant_id = ${tenantId} and link_hash = ${hashToken(token)} and event_id = ${event.id} and purpose = 'web'
  and used_at is null and superseded_at is null and expires_at > lanyard_now()`

/** Whom the link of a mail would sign in. Looking uses nothing up: programs that check mails open every link in them. */
export async function findWebLink(at: Pick<MailingEvent, 'tenantId' | 'event'> & { db: Db }, token: string): Promise<string | null> {
  const { rows } = await sql<{ email: string }>`select email_norm as email from one_time_codes where ${isLive(at, token)}`.execute(at.db)
  return rows[0]?.email ?? null
}

/** Once; the code of the same mail is used up with it. */
export async function takeWebLink(ctx: MailingEvent, token: string): Promise<Secret | null> {
  const { rows } = await sql<{ id: string; email: string }>`
    update one_time_codes set used_at = lanyard_now(), code_hash = null, link_hash = null
    where ${isLive(ctx, token)} returning id, email_norm as email`.execute(ctx.db)
  return rows[0] ? signIn(ctx, rows[0].id, rows[0].email) : null
}
