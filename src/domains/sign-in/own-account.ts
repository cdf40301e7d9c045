import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Db } from '../../kernel/columns.ts'
import type { Context } from '../../kernel/context.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { cleanName } from '../../kernel/clean-text.ts'
import type { PasswordHasher } from '../../kernel/ports.ts'
import { type DerivedKeys, Secret } from '../../kernel/secrets.ts'
import { isSecondFactorSetupPending } from '../access/user-credentials.ts'
import { hideSetupChecklistForUser, renameUser } from '../access/user-profiles.ts'
import { setPassword } from './passwords.ts'
import { type BrowserSession, endUserSessions } from './sessions.ts'
import { runSignInAttempt, type SignInDependencies, toSignInUser, consumeSecondFactorCode } from './sign-in.ts'
import { startTotpSetup, confirmTotpSetup, createRecoveryCodes, removeTotp } from './totp.ts'

const MAX_NAME = 120
const TOO_MANY_ATTEMPTS_MESSAGE = 'Too many failed attempts. Wait 15 minutes, then try again.'
const WRONG_CODE_MESSAGE = 'That code is not correct or was already used. Wait for the next one.'

export interface OwnAccount {
  name: string
  email: string
  passwordChangedAt: Date | null
  secondFactor: 'off' | 'pending' | 'on'
  recoveryCodesLeft: number
  checklistHidden: boolean
}

export async function getOwnAccount(db: Db, userId: string): Promise<OwnAccount> {
  const { rows } = await sql<OwnAccount>`
    select u.name, u.email, u.password_changed_at as "passwordChangedAt",
      case when u.totp_confirmed_at is not null then 'on' when ${isSecondFactorSetupPending} then 'pending' else 'off' end as "secondFactor",
      (select count(*)::int from recovery_codes r where r.user_id = u.id and r.used_at is null) as "recoveryCodesLeft",
      u.checklist_hidden_at is not null as "checklistHidden"
    from users u where u.id = ${userId}`.execute(db)
  return rows[0]!
}

interface OwnUser {
  userId: string
}

export async function renameOwnUser(ctx: Context, { userId }: OwnUser, given: string): Promise<void> {
  const name = cleanName(given)
  if (name === '') throw invalidArguments([{ path: 'name', message: 'Enter your name.' }])
  if (name.length > MAX_NAME) throw invalidArguments([{ path: 'name', message: `A name can have at most ${MAX_NAME} characters.` }])
  await renameUser(ctx, userId, name)
}

export async function hideSetupChecklist(ctx: Context, { userId }: OwnUser): Promise<void> {
  await hideSetupChecklistForUser(ctx.db, userId)
  recordChange(ctx, { kind: 'user', id: userId, after: { checklistHidden: true } })
}

/** Verifies the user's password or code again, so that another person at an unlocked browser cannot take over the account. */
export async function reauthenticateOwnUser(
  parts: SignInDependencies & { passwords: PasswordHasher },
  session: BrowserSession,
  given: { password: string; address: string; path: string },
): Promise<void> {
  const user = await parts.database.write
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', session.userId)
    .executeTakeFirstOrThrow()
  const outcome = await runSignInAttempt(parts, toSignInUser(session), { account: session.email, address: given.address }, async () =>
    (await parts.passwords.verify(user.password_hash, given.password)) ? true : null,
  )
  if (outcome.kind === 'wait') throw invalidArguments([{ path: given.path, message: TOO_MANY_ATTEMPTS_MESSAGE }])
  if (outcome.kind === 'wrong') throw invalidArguments([{ path: given.path, message: 'That is not your current password.' }])
}

export async function changeOwnPassword(ctx: Context, session: BrowserSession, password: string, passwords: PasswordHasher): Promise<void> {
  await setPassword(ctx.db, { id: session.userId, email: session.email }, password, { passwords, exceptSession: session.tokenHash })
  recordChange(ctx, { kind: 'user', id: session.userId, after: { password: new Secret(password) } })
}

/** Verifies a second-factor code or recovery code. The code is used up even if the following action fails. */
export async function consumeOwnSecondFactorCode(
  parts: SignInDependencies & { keys: DerivedKeys },
  session: BrowserSession,
  given: { code: string; address: string },
): Promise<void> {
  const outcome = await runSignInAttempt(parts, toSignInUser(session), { account: session.email, address: given.address }, () =>
    parts.database.transact(async (db) => ((await consumeSecondFactorCode(db, parts.keys, session.userId, given.code)) ? true : null)),
  )
  if (outcome.kind === 'right') return
  throw invalidArguments([{ path: 'code', message: outcome.kind === 'wait' ? TOO_MANY_ATTEMPTS_MESSAGE : WRONG_CODE_MESSAGE }])
}

export async function startSecondFactorSetup(ctx: Context, { userId }: OwnUser): Promise<void> {
  const secret = await startTotpSetup(ctx.db, ctx.keys, userId)
  recordChange(ctx, { kind: 'user', id: userId, after: { secondFactorSecret: new Secret(secret) } })
}

/** Turns the second factor on. Returns the recovery codes, which are shown once. */
export async function confirmSecondFactorSetup(ctx: Context, { userId }: OwnUser, code: string): Promise<string[]> {
  const codes = await confirmTotpSetup(ctx.db, ctx.keys, userId, code)
  if (!codes) throw invalidArguments([{ path: 'code', message: WRONG_CODE_MESSAGE }])
  recordChange(ctx, { kind: 'user', id: userId, before: { secondFactor: false }, after: { secondFactor: true } })
  return codes
}

export async function renewRecoveryCodes(ctx: Context, { userId }: OwnUser): Promise<string[]> {
  const account = await getOwnAccount(ctx.db, userId)
  if (account.secondFactor !== 'on') throw new AppError('precondition_failed', 'The second factor is off, so there are no recovery codes.')
  const codes = await createRecoveryCodes(ctx.db, userId)
  recordChange(ctx, { kind: 'user', id: userId, after: { recoveryCodes: new Secret(codes.join(' ')) } })
  return codes
}

export async function turnOffSecondFactor(ctx: Context, { userId }: OwnUser): Promise<void> {
  await removeTotp(ctx.db, userId)
  recordChange(ctx, { kind: 'user', id: userId, before: { secondFactor: true }, after: { secondFactor: false } })
}

export async function endOtherSessions(ctx: Context, session: BrowserSession): Promise<number> {
  const ended = await endUserSessions(ctx.db, session.userId, session.tokenHash)
  if (ended > 0) recordChange(ctx, { kind: 'user', id: session.userId, after: { sessionsEnded: ended } })
  return ended
}
