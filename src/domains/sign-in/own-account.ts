import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Db } from '../../kernel/columns.ts'
import type { Context } from '../../kernel/context.ts'
import { editableRecord, editRecord, lockRecord } from '../../kernel/edit-record.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { cleanName } from '../../kernel/outside-text.ts'
import type { Passwords } from '../../kernel/ports.ts'
import { type Keys, Secret } from '../../kernel/secrets.ts'
import { setPassword } from './passwords.ts'
import { type BrowserSession, endSessionsOf } from './sessions.ts'
import { attemptAs, type Parts, personOf, takeSecondFactor } from './sign-in.ts'
import { beginTotp, confirmTotp, isPending, newRecoveryCodes, removeTotp } from './totp.ts'

const MAX_NAME = 120
const WAIT = 'Too many failed attempts. Wait 15 minutes, then try again.'
const WRONG_CODE = 'This code is not right, or it was used already. Wait for the next one.'

export interface OwnAccount {
  name: string
  email: string
  passwordChangedAt: Date | null
  secondFactor: 'off' | 'pending' | 'on'
  recoveryCodesLeft: number
  /** They do not want to see the set-up checklist any more. */
  checklistHidden: boolean
}

export async function getOwnAccount(db: Db, userId: string): Promise<OwnAccount> {
  const { rows } = await sql<OwnAccount>`
    select u.name, u.email, u.password_changed_at as "passwordChangedAt",
      case when u.totp_confirmed_at is not null then 'on' when ${isPending} then 'pending' else 'off' end as "secondFactor",
      (select count(*)::int from recovery_codes r where r.user_id = u.id and r.used_at is null) as "recoveryCodesLeft",
      u.checklist_hidden_at is not null as "checklistHidden"
    from users u where u.id = ${userId}`.execute(db)
  return rows[0]!
}

/** Who changes something of their own. */
interface Own {
  userId: string
}

const USER = editableRecord({
  table: 'users',
  kind: 'user',
  noun: 'User',
  name: ({ email }) => email,
  key: ['id'],
  fields: { name: 'name' },
})

export async function renameSelf(ctx: Context, { userId }: Own, given: string): Promise<void> {
  const name = cleanName(given)
  if (name === '') throw invalidArguments([{ path: 'name', message: 'Enter your name.' }])
  if (name.length > MAX_NAME) throw invalidArguments([{ path: 'name', message: `A name has at most ${MAX_NAME} characters.` }])
  const before = await lockRecord(ctx, USER, { id: userId })
  if (before) await editRecord(ctx, USER, before, { name })
}

export async function hideChecklist(ctx: Context, { userId }: Own): Promise<void> {
  await sql`update users set checklist_hidden_at = lanyard_now() where id = ${userId}`.execute(ctx.db)
  recordChange(ctx, { kind: 'user', id: userId, after: { checklistHidden: true } })
}

/** Whoever sits at a browser left open must not get further than that browser: what follows asks for the password or a code again. */
export async function checkOwnPassword(
  parts: Parts & { passwords: Passwords },
  session: BrowserSession,
  given: { password: string; address: string; path: string },
): Promise<void> {
  const user = await parts.database.write
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', session.userId)
    .executeTakeFirstOrThrow()
  const outcome = await attemptAs(parts, personOf(session), { account: session.email, address: given.address }, async () =>
    (await parts.passwords.verify(user.password_hash, given.password)) ? true : null,
  )
  if (outcome.kind === 'wait') throw invalidArguments([{ path: given.path, message: WAIT }])
  if (outcome.kind === 'wrong') throw invalidArguments([{ path: given.path, message: 'This is not your current password.' }])
}

export async function changeOwnPassword(ctx: Context, session: BrowserSession, password: string, passwords: Passwords): Promise<void> {
  await setPassword(ctx.db, { id: session.userId, email: session.email }, password, { passwords, exceptSession: session.tokenHash })
  recordChange(ctx, { kind: 'user', id: session.userId, after: { password: new Secret(password) } })
}

/** A code or recovery code is used up even when what it was asked for fails afterwards. */
export async function checkOwnCode(
  parts: Parts & { keys: Keys },
  session: BrowserSession,
  given: { code: string; address: string },
): Promise<void> {
  const outcome = await attemptAs(parts, personOf(session), { account: session.email, address: given.address }, () =>
    parts.database.transact(async (db) => ((await takeSecondFactor(db, parts.keys, session.userId, given.code)) ? true : null)),
  )
  if (outcome.kind === 'right') return
  throw invalidArguments([{ path: 'code', message: outcome.kind === 'wait' ? WAIT : WRONG_CODE }])
}

export async function beginSecondFactor(ctx: Context, { userId }: Own): Promise<void> {
  const secret = await beginTotp(ctx.db, ctx.keys, userId)
  recordChange(ctx, { kind: 'user', id: userId, after: { secondFactorSecret: new Secret(secret) } })
}

/** Gives the recovery codes, which are shown once. */
export async function confirmSecondFactor(ctx: Context, { userId }: Own, code: string): Promise<string[]> {
  const codes = await confirmTotp(ctx.db, ctx.keys, userId, code)
  if (!codes) throw invalidArguments([{ path: 'code', message: WRONG_CODE }])
  recordChange(ctx, { kind: 'user', id: userId, before: { secondFactor: false }, after: { secondFactor: true } })
  return codes
}

export async function renewRecoveryCodes(ctx: Context, { userId }: Own): Promise<string[]> {
  const account = await getOwnAccount(ctx.db, userId)
  if (account.secondFactor !== 'on') throw new AppError('precondition_failed', 'The second factor is off, so it needs no recovery codes.')
  const codes = await newRecoveryCodes(ctx.db, userId)
  recordChange(ctx, { kind: 'user', id: userId, after: { recoveryCodes: new Secret(codes.join(' ')) } })
  return codes
}

export async function turnOffSecondFactor(ctx: Context, { userId }: Own): Promise<void> {
  await removeTotp(ctx.db, userId)
  recordChange(ctx, { kind: 'user', id: userId, before: { secondFactor: true }, after: { secondFactor: false } })
}

export async function endOtherSessions(ctx: Context, session: BrowserSession): Promise<number> {
  const ended = await endSessionsOf(ctx.db, session.userId, session.tokenHash)
  if (ended > 0) recordChange(ctx, { kind: 'user', id: session.userId, after: { sessionsEnded: ended } })
  return ended
}
