import { sql } from 'kysely'
import { createIrreversibleEffectCounter } from '../../kernel/effects.ts'
import { type EmailDefinition, sendEmail } from '../../kernel/email.ts'
import { newId } from '../../kernel/ids.ts'
import type { Database, PasswordHasher } from '../../kernel/ports.ts'
import type { DerivedKeys, Secret } from '../../kernel/secrets.ts'
import type { Db } from '../../kernel/columns.ts'
import { countCallInHourWindow } from '../access/rate-windows.ts'
import { findLogin, readUserLanguage } from '../access/users.ts'
import { passwordResetEmail, signInLockedEmail } from './emails.ts'
import { lockUserOfPasswordLinks, mayRequestPasswordLink, createPasswordLink } from './passwords.ts'
import { type BrowserInfo, type BrowserSession, endBrowserSession, createBrowserSession } from './sessions.ts'
import { runThrottledAttempt, resetSignInFailures, type ThrottledAttemptOutcome } from './throttle.ts'
import { consumeRecoveryCode, consumeTotpCode } from './totp.ts'

export interface SignInDependencies {
  database: Database
  baseUrl: string
}

interface Attempt {
  address: string
  browser: BrowserInfo
}

interface SignInUser {
  id: string
  tenantId: number
  email: string
  name: string
}

export type SignInResult = { kind: 'wait' } | { kind: 'wrong' } | { kind: 'open'; token: Secret; totpPending: boolean }

/** Signs in with email and password. All failures take equally long and return the same message, so that they reveal no valid address. */
export async function signIn(
  parts: SignInDependencies & { passwords: PasswordHasher },
  given: Attempt & { email: string; password: string },
): Promise<SignInResult> {
  const { database, passwords } = parts
  const found = await findLogin(database.write, given.email)
  const user = found?.active ? found : null
  const outcome = await runSignInAttempt(parts, user, { account: given.email, address: given.address }, async () => {
    const right = await passwords.verify(user?.passwordHash ?? null, given.password)
    return right ? user : null
  })
  if (outcome.kind !== 'right') return { kind: outcome.kind }
  const { id, email, totpConfirmedAt } = outcome.value
  const totpPending = totpConfirmedAt !== null
  if (!totpPending) await resetSignInFailures(database.pool, email)
  return { kind: 'open', totpPending, token: await createBrowserSession(database.write, { userId: id, totpPending, ...given.browser }) }
}

/** Completes the sign-in with a second-factor code or recovery code. A new browser session replaces the pending one. */
export async function completeSecondFactorSignIn(
  parts: SignInDependencies & { keys: DerivedKeys },
  session: BrowserSession,
  given: Attempt & { code: string },
): Promise<SignInResult> {
  const { database, keys } = parts
  const { userId, email } = session
  const outcome = await runSignInAttempt(parts, toSignInUser(session), { account: email, address: given.address }, () =>
    database.transact(async (db) => {
      if (!(await consumeSecondFactorCode(db, keys, userId, given.code))) return null
      await endBrowserSession(db, session.tokenHash)
      return createBrowserSession(db, { userId, totpPending: false, ...given.browser })
    }),
  )
  if (outcome.kind !== 'right') return { kind: outcome.kind }
  await resetSignInFailures(database.pool, email)
  return { kind: 'open', totpPending: false, token: outcome.value }
}

export const consumeSecondFactorCode = async (db: Db, keys: DerivedKeys, userId: string, code: string): Promise<boolean> =>
  (await consumeTotpCode(db, keys, userId, code)) || (await consumeRecoveryCode(db, userId, code))

export const toSignInUser = (session: BrowserSession): SignInUser => ({
  id: session.userId,
  tenantId: session.tenantId,
  email: session.email,
  name: session.actor.name,
})

/**
 * Runs one attempt to sign in to an account, with rate limits. The account's owner gets an email about a lockout at most once an hour.
 * `person` is null for unknown accounts.
 */
export async function runSignInAttempt<T>(
  parts: SignInDependencies,
  person: SignInUser | null,
  who: { account: string; address: string },
  check: () => Promise<T | null>,
): Promise<ThrottledAttemptOutcome<T>> {
  const outcome = await runThrottledAttempt(parts.database.pool, who, check)
  if (outcome.kind === 'wrong' && outcome.justLocked && person) {
    const { write } = parts.database
    // Anyone can lock out another user with wrong passwords, so emails about lockouts are limited to one per hour.
    await sendNotice(write, parts, person, { email: signInLockedEmail, content: {}, sourceId: `locked ${await currentHour(write)}` })
  }
  return outcome
}

async function currentHour(db: Db): Promise<string> {
  const { rows } = await sql<{ hour: string }>`
    select to_char(lanyard_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24') as hour`.execute(db)
  return rows[0]!.hour
}

/** The limit per IP address is higher than per user, because people in an office share an IP address. */
const MAX_RESETS_PER_ADDRESS_HOUR = 30

/** Emails a reset link if the user exists. Unknown addresses get the same response and the same rate limit error. */
export async function requestPasswordReset(
  parts: SignInDependencies,
  given: { email: string; address: string; language?: string },
): Promise<'asked' | 'wait'> {
  if ((await countCallInHourWindow(parts.database.pool, `forgot:${given.address}`)) > MAX_RESETS_PER_ADDRESS_HOUR) return 'wait'
  await parts.database.transact(async (db) => {
    const user = await findLogin(db, given.email)
    if (!user?.active) return
    await lockUserOfPasswordLinks(db, user.id)
    if (!(await mayRequestPasswordLink(db, user.id))) return
    const link = await createPasswordLink(db, user.id, 'reset')
    const content = { link: `${parts.baseUrl}/console/password?token=${link.reveal()}` }
    await sendNotice(db, parts, user, { email: passwordResetEmail, content, language: given.language })
  })
  return 'asked'
}

interface NoticeEmail<Content> {
  email: EmailDefinition<Content>
  content: Content
  /** Part of the idempotency key of the email: of several emails with the same id, only one is sent. */
  sourceId?: string
  /** The language of the requesting browser, for users who have never signed in. */
  language?: string | undefined
}

async function sendNotice<Content>(db: Db, { baseUrl }: SignInDependencies, user: SignInUser, notice: NoticeEmail<Content>): Promise<void> {
  const ctx = { tenantId: user.tenantId, db, effects: createIrreversibleEffectCounter(), baseUrl }
  await sendEmail(ctx, notice.email, {
    to: { address: user.email, name: user.name },
    content: notice.content,
    source: { kind: 'sign-in', id: notice.sourceId ?? newId(), recipientKey: user.id },
    locale: (await readUserLanguage(db, user.id)) ?? notice.language ?? null,
  })
}
