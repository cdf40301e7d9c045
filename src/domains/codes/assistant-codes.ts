import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { sendEmail } from '../../kernel/email.ts'
import { AppError, preconditionFailed } from '../../kernel/errors.ts'
import type { SignInContext } from '../../kernel/participant-tool.ts'
import { issueParticipantSession } from '../access/participant-sessions.ts'
import { spendGuess } from './budget.ts'
import { assistantCode } from './mails.ts'
import { type CodeFor, GUESSES, guessCode, LIFETIME_SECONDS, lockFor, normOf, putCode } from './one-code.ts'

const PER_EMAIL_AND_HOUR = 3
const PER_ACCOUNT_AND_DAY = 200

const codeFor = (ctx: SignInContext, email: string): CodeFor => ({
  tenantId: ctx.tenantId,
  purpose: 'assistant',
  eventId: ctx.event.id,
  email,
  accountId: ctx.account.id,
})

/** Always the mailbox before the account. Under its lock an account issues, guesses and is suspended by one call at a time. */
const lockMailbox = (ctx: SignInContext, email: string) => lockFor(ctx.db, `one-time codes of ${normOf(email)}`)
const lockAccount = (ctx: SignInContext) => lockFor(ctx.db, `one-time codes of account ${ctx.account.id}`)

/** Sends a code to whoever reads the mailbox. Nothing here asks whether they are registered, so neither answer nor time can tell. */
export async function requestAssistantCode(ctx: SignInContext, { email }: { email: string }) {
  await lockMailbox(ctx, email)
  await lockAccount(ctx)
  const { locale } = await refuseTooMany(ctx, email)
  const { id, code } = await putCode(ctx, codeFor(ctx, email))
  await sendEmail(ctx, assistantCode, {
    to: { address: email },
    content: { account: ctx.account.name, event: ctx.event.name, code },
    source: { kind: 'oneTimeCode', id, recipientKey: normOf(email) },
    locale,
    eventId: ctx.event.id,
    fromName: ctx.event.name,
  })
  recordChange(ctx, { kind: 'oneTimeCode', id, after: { email, code } })
  return { sent: true, expiresInSeconds: LIFETIME_SECONDS }
}

interface Standing {
  ofEmail: number
  ofAccount: number
  suspended: boolean
  locale: string
}

/** Read after the locks: what was sent meanwhile counts. */
async function refuseTooMany(ctx: SignInContext, email: string): Promise<{ locale: string }> {
  const { rows } = await sql<Standing>`
    select
      (select count(*)::int from one_time_codes c
        where c.email_norm = ${normOf(email)} and c.purpose = 'assistant' and c.created_at > lanyard_now() - interval '1 hour') as "ofEmail",
      (select count(*)::int from one_time_codes c
        where c.tenant_id = a.tenant_id and c.account_id = a.id and c.created_at > lanyard_now() - interval '24 hours') as "ofAccount",
      a.otp_suspended_at is not null as suspended,
      (select e.locale from events e where e.tenant_id = a.tenant_id and e.id = ${ctx.event.id}) as locale
    from api_accounts a where a.tenant_id = ${ctx.tenantId} and a.id = ${ctx.account.id}`.execute(ctx.db)
  const { ofEmail, ofAccount, suspended, locale } = rows[0]!
  if (ofEmail >= PER_EMAIL_AND_HOUR) throw new AppError('limit_exceeded', 'OTP rate limit exceeded for this email — try again in an hour')
  if (ofAccount >= PER_ACCOUNT_AND_DAY) throw new AppError('limit_exceeded', 'Daily OTP quota exceeded for this API account')
  if (suspended) throw preconditionFailed('Sign-in codes are suspended for this API account; an administrator can lift it')
  return { locale }
}

/** A right code is a session; a wrong one costs the code a guess and the account one of its budget. */
export async function verifyAssistantCode(ctx: SignInContext, { email, code }: { email: string; code: string }) {
  await lockAccount(ctx)
  const guess = await guessCode(ctx, codeFor(ctx, email), code)
  if (guess.kind === 'none') return { verified: false, reason: 'expired_or_missing' as const }
  if (guess.kind === 'wrong') {
    recordChange(ctx, {
      kind: 'oneTimeCode',
      id: guess.id,
      before: { wrongGuesses: guess.attempts - 1 },
      after: { wrongGuesses: guess.attempts },
    })
    const { suspended } = await spendGuess(ctx)
    return { verified: false, reason: 'wrong_code' as const, attemptsRemaining: suspended ? 0 : GUESSES - guess.attempts }
  }
  const { tenantId, account, event } = ctx
  const { token, expiresAt, participantExists } = await issueParticipantSession(ctx.db, {
    tenantId,
    accountId: account.id,
    eventId: event.id,
    email,
  })
  recordChange(ctx, { kind: 'participantSession', id: guess.id, after: { email, expiresAt, participantExists } })
  return { verified: true, session: { token: token.reveal(), expiresAt: expiresAt.toISOString() }, participantExists }
}
