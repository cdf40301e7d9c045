import { countEffects } from '../../kernel/effects.ts'
import { type Email, sendEmail } from '../../kernel/email.ts'
import { newId } from '../../kernel/ids.ts'
import type { Database, Passwords } from '../../kernel/ports.ts'
import type { Keys, Secret } from '../../kernel/secrets.ts'
import type {} from '../access/tables.ts'
import { passwordReset, signInLocked } from './mails.ts'
import { newPasswordLink } from './passwords.ts'
import { type BrowserSession, endSession, openSession } from './sessions.ts'
import { forgetFailures, mustWait, noteFailure } from './throttle.ts'
import { takeRecoveryCode, takeTotp } from './totp.ts'

interface Parts {
  database: Database
  baseUrl: string
}

interface Attempt {
  address: string
  userAgent: string
}

export type SignIn = { kind: 'wait' } | { kind: 'wrong' } | { kind: 'open'; token: Secret; totpPending: boolean }

/** Email and password. Every failure takes the same time and says the same. */
export async function signIn(
  parts: Parts & { passwords: Passwords },
  given: Attempt & { email: string; password: string },
): Promise<SignIn> {
  const { database, passwords } = parts
  const who = { account: given.email, address: given.address }
  if (await mustWait(database.pool, who)) return { kind: 'wait' }
  const user = await database.write
    .selectFrom('users')
    .select(['id', 'tenant_id', 'email', 'name', 'password_hash', 'totp_confirmed_at', 'active'])
    .where('email_norm', '=', given.email.toLowerCase())
    .executeTakeFirst()
  const right = await passwords.verify(user?.active ? user.password_hash : null, given.password)
  if (!user || !right) {
    const { justLocked } = await noteFailure(database.pool, who)
    if (justLocked && user) await mailTo(parts, user, signInLocked, {})
    return { kind: 'wrong' }
  }
  await forgetFailures(database.pool, given.email)
  const totpPending = user.totp_confirmed_at !== null
  return {
    kind: 'open',
    totpPending,
    token: await openSession(database.write, { userId: user.id, totpPending, userAgent: given.userAgent }),
  }
}

/** The second factor, by code or recovery code. The session that waited for it is replaced by a new one. */
export async function finishSignIn(
  parts: Parts & { keys: Keys },
  session: BrowserSession,
  given: Attempt & { code: string },
): Promise<SignIn> {
  const { database, keys } = parts
  const who = { account: session.email, address: given.address }
  if (await mustWait(database.pool, who)) return { kind: 'wait' }
  return database
    .transact(async (db): Promise<SignIn> => {
      const right = (await takeTotp(db, keys, session.userId, given.code)) || (await takeRecoveryCode(db, session.userId, given.code))
      if (!right) return { kind: 'wrong' }
      await endSession(db, session.tokenHash)
      return {
        kind: 'open',
        totpPending: false,
        token: await openSession(db, { userId: session.userId, totpPending: false, userAgent: given.userAgent }),
      }
    })
    .then(async (outcome) => {
      // After the transaction: a failure must be counted even though nothing else was kept.
      if (outcome.kind === 'wrong') await noteFailure(database.pool, who)
      return outcome
    })
}

/** Mails a link to set a new password, if there is such a person. The caller says the same either way. */
export async function forgotPassword(parts: Parts, given: { email: string }): Promise<void> {
  const { database, baseUrl } = parts
  const user = await database.write
    .selectFrom('users')
    .select(['id', 'tenant_id', 'email', 'name', 'active'])
    .where('email_norm', '=', given.email.toLowerCase())
    .executeTakeFirst()
  if (!user?.active) return
  const link = await newPasswordLink(database.write, user.id, 'reset')
  await mailTo(parts, user, passwordReset, { link: `${baseUrl}/console/password?token=${link.reveal()}` })
}

async function mailTo<Content>(
  { database, baseUrl }: Parts,
  user: { id: string; tenant_id: number; email: string; name: string },
  email: Email<Content>,
  content: Content,
): Promise<void> {
  const ctx = { tenantId: user.tenant_id, db: database.write, effects: countEffects(), baseUrl }
  await sendEmail(ctx, email, {
    to: { address: user.email, name: user.name },
    content,
    source: { kind: 'sign-in', id: newId(), recipientKey: user.id },
  })
}
