import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { sendEmail } from '../../kernel/email.ts'
import { AppError, preconditionFailed } from '../../kernel/errors.ts'
import type { SignInContext } from '../../kernel/participant-tool.ts'
import { issueParticipantSession } from '../access/participant-sessions.ts'
import { recordWrongCodeAttempt } from './budget.ts'
import { assistantSignInCodeEmail } from './emails.ts'
import {
  type OneTimeCodeScope,
  MAX_ONE_TIME_CODE_ATTEMPTS,
  verifyOneTimeCode,
  ONE_TIME_CODE_TTL_SECONDS,
  takeAdvisoryLock,
  issueOneTimeCode,
} from './one-time-code.ts'

const MAX_CODES_PER_EMAIL_HOUR = 3
const MAX_CODES_PER_ACCOUNT_DAY = 200

const toCodeScope = (ctx: SignInContext, email: string): OneTimeCodeScope => ({
  tenantId: ctx.tenantId,
  purpose: 'assistant',
  eventId: ctx.event.id,
  email,
  accountId: ctx.account.id,
})

/** Locks the mailbox. This lock is always taken before the lock of the API account, which serializes requests, guesses and suspension. */
const lockMailbox = (ctx: SignInContext, email: string) => takeAdvisoryLock(ctx.db, `one-time codes of ${foldEmailCase(email)}`)
const lockAccount = (ctx: SignInContext) => takeAdvisoryLock(ctx.db, `one-time codes of account ${ctx.account.id}`)

/** Emails a sign-in code. Does not check whether the address is registered, so neither response nor timing reveals it. */
export async function sendAssistantSignInCode(ctx: SignInContext, { email }: { email: string }) {
  await lockMailbox(ctx, email)
  await lockAccount(ctx)
  const { locale } = await refuseOverLimit(ctx, email)
  const { id, code } = await issueOneTimeCode(ctx, toCodeScope(ctx, email))
  await sendEmail(ctx, assistantSignInCodeEmail, {
    to: { address: email },
    content: { account: ctx.account.name, event: ctx.event.name, code },
    source: { kind: 'oneTimeCode', id, recipientKey: foldEmailCase(email) },
    locale,
    eventId: ctx.event.id,
    fromName: ctx.event.name,
  })
  recordChange(ctx, { kind: 'oneTimeCode', id, after: { email, code } })
  return { sent: true, expiresInSeconds: ONE_TIME_CODE_TTL_SECONDS }
}

interface AccountUsage {
  ofEmail: number
  ofAccount: number
  suspended: boolean
  locale: string
}

/** Refuses requests above the rate limits. The counts are read after taking the locks, so that concurrent requests are counted. */
async function refuseOverLimit(ctx: SignInContext, email: string): Promise<{ locale: string }> {
  const { rows } = await sql<AccountUsage>`
    select
      (select count(*)::int from one_time_codes c
        where c.email_norm = ${foldEmailCase(email)} and c.purpose = 'assistant' and c.created_at > lanyard_now() - interval '1 hour') as "ofEmail",
      (select count(*)::int from one_time_codes c
        where c.tenant_id = a.tenant_id and c.account_id = a.id and c.created_at > lanyard_now() - interval '24 hours') as "ofAccount",
      a.otp_suspended_at is not null as suspended,
      (select e.locale from events e where e.tenant_id = a.tenant_id and e.id = ${ctx.event.id}) as locale
    from api_accounts a where a.tenant_id = ${ctx.tenantId} and a.id = ${ctx.account.id}`.execute(ctx.db)
  const { ofEmail, ofAccount, suspended, locale } = rows[0]!
  if (ofEmail >= MAX_CODES_PER_EMAIL_HOUR)
    throw new AppError('limit_exceeded', 'OTP rate limit exceeded for this email — try again in an hour')
  if (ofAccount >= MAX_CODES_PER_ACCOUNT_DAY) throw new AppError('limit_exceeded', 'Daily OTP quota exceeded for this API account')
  if (suspended) throw preconditionFailed('Sign-in codes are suspended for this API account; an administrator can lift it')
  return { locale }
}

/**
 * Verifies a sign-in code. A correct code opens a sign-in session; a wrong one uses up one guess of the code and one of the API account's
 * daily guesses.
 */
export async function verifyAssistantSignInCode(ctx: SignInContext, { email, code }: { email: string; code: string }) {
  await lockAccount(ctx)
  const guess = await verifyOneTimeCode(ctx, toCodeScope(ctx, email), code)
  if (guess.kind === 'none') return { verified: false, reason: 'expired_or_missing' as const }
  if (guess.kind === 'wrong') {
    recordChange(ctx, {
      kind: 'oneTimeCode',
      id: guess.id,
      before: { wrongGuesses: guess.attempts - 1 },
      after: { wrongGuesses: guess.attempts },
    })
    const { suspended } = await recordWrongCodeAttempt(ctx)
    return {
      verified: false,
      reason: 'wrong_code' as const,
      attemptsRemaining: suspended ? 0 : MAX_ONE_TIME_CODE_ATTEMPTS - guess.attempts,
    }
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
