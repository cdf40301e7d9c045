import { sql } from 'kysely'
import { countEffects } from '../../kernel/effects.ts'
import { type Email, sendEmail } from '../../kernel/email.ts'
import { newId } from '../../kernel/ids.ts'
import type { Database, Passwords } from '../../kernel/ports.ts'
import type { Keys, Secret } from '../../kernel/secrets.ts'
import type { Db } from '../../kernel/columns.ts'
import { countInHour } from '../access/rate-windows.ts'
import { findLogin, languageOf } from '../access/users.ts'
import { passwordReset, signInLocked } from './mails.ts'
import { lockPerson, mayAskForLink, newPasswordLink } from './passwords.ts'
import { type Browser, type BrowserSession, endSession, openSession } from './sessions.ts'
import { attempt, forgetFailures, type Outcome } from './throttle.ts'
import { takeRecoveryCode, takeTotp } from './totp.ts'

export interface Parts {
  database: Database
  baseUrl: string
}

interface Attempt {
  address: string
  browser: Browser
}

interface Person {
  id: string
  tenantId: number
  email: string
  name: string
}

export type SignIn = { kind: 'wait' } | { kind: 'wrong' } | { kind: 'open'; token: Secret; totpPending: boolean }

/** Email and password. Every failure takes the same time and says the same. */
export async function signIn(
  parts: Parts & { passwords: Passwords },
  given: Attempt & { email: string; password: string },
): Promise<SignIn> {
  const { database, passwords } = parts
  const found = await findLogin(database.write, given.email)
  const user = found?.active ? found : null
  const outcome = await attemptAs(parts, user, { account: given.email, address: given.address }, async () => {
    const right = await passwords.verify(user?.passwordHash ?? null, given.password)
    return right ? user : null
  })
  if (outcome.kind !== 'right') return { kind: outcome.kind }
  const { id, email, totpConfirmedAt } = outcome.value
  const totpPending = totpConfirmedAt !== null
  if (!totpPending) await forgetFailures(database.pool, email)
  return { kind: 'open', totpPending, token: await openSession(database.write, { userId: id, totpPending, ...given.browser }) }
}

/** The second factor, by code or recovery code. The session that waited for it is replaced by a new one. */
export async function finishSignIn(
  parts: Parts & { keys: Keys },
  session: BrowserSession,
  given: Attempt & { code: string },
): Promise<SignIn> {
  const { database, keys } = parts
  const { userId, email } = session
  const outcome = await attemptAs(parts, personOf(session), { account: email, address: given.address }, () =>
    database.transact(async (db) => {
      if (!(await takeSecondFactor(db, keys, userId, given.code))) return null
      await endSession(db, session.tokenHash)
      return openSession(db, { userId, totpPending: false, ...given.browser })
    }),
  )
  if (outcome.kind !== 'right') return { kind: outcome.kind }
  await forgetFailures(database.pool, email)
  return { kind: 'open', totpPending: false, token: outcome.value }
}

export const takeSecondFactor = async (db: Db, keys: Keys, userId: string, code: string): Promise<boolean> =>
  (await takeTotp(db, keys, userId, code)) || (await takeRecoveryCode(db, userId, code))

export const personOf = (session: BrowserSession): Person => ({
  id: session.userId,
  tenantId: session.tenantId,
  email: session.email,
  name: session.actor.name,
})

/** One attempt in the name of an account. Its owner is told of the failure that locks it, once an hour; `person` is null where there is no such account. */
export async function attemptAs<T>(
  parts: Parts,
  person: Person | null,
  who: { account: string; address: string },
  check: () => Promise<T | null>,
): Promise<Outcome<T>> {
  const outcome = await attempt(parts.database.pool, who, check)
  if (outcome.kind === 'wrong' && outcome.justLocked && person) {
    const { write } = parts.database
    // Anybody can lock another's account again and again: that must not fill the other's mailbox.
    await mailTo(write, parts, person, { email: signInLocked, content: {}, sourceId: `locked ${await currentHour(write)}` })
  }
  return outcome
}

async function currentHour(db: Db): Promise<string> {
  const { rows } = await sql<{ hour: string }>`
    select to_char(lanyard_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24') as hour`.execute(db)
  return rows[0]!.hour
}

/** Offices share an address; whoever goes through a list of addresses of others needs more. */
const FORGOTTEN_PER_HOUR = 30

/** Mails a link to set a new password, if there is such a person. The caller says the same either way, and who asks too often is told so whoever they ask for. */
export async function forgotPassword(
  parts: Parts,
  given: { email: string; address: string; language?: string },
): Promise<'asked' | 'wait'> {
  if ((await countInHour(parts.database.pool, `forgot:${given.address}`)) > FORGOTTEN_PER_HOUR) return 'wait'
  await parts.database.transact(async (db) => {
    const user = await findLogin(db, given.email)
    if (!user?.active) return
    await lockPerson(db, user.id)
    if (!(await mayAskForLink(db, user.id))) return
    const link = await newPasswordLink(db, user.id, 'reset')
    const content = { link: `${parts.baseUrl}/console/password?token=${link.reveal()}` }
    await mailTo(db, parts, user, { email: passwordReset, content, language: given.language })
  })
  return 'asked'
}

interface Mail<Content> {
  email: Email<Content>
  content: Content
  /** What has the same one reaches the person once. */
  sourceId?: string
  /** Of the browser that asks, for somebody who has not been in yet. */
  language?: string | undefined
}

async function mailTo<Content>(db: Db, { baseUrl }: Parts, user: Person, mail: Mail<Content>): Promise<void> {
  const ctx = { tenantId: user.tenantId, db, effects: countEffects(), baseUrl }
  await sendEmail(ctx, mail.email, {
    to: { address: user.email, name: user.name },
    content: mail.content,
    source: { kind: 'sign-in', id: mail.sourceId ?? newId(), recipientKey: user.id },
    locale: (await languageOf(db, user.id)) ?? mail.language ?? null,
  })
}
