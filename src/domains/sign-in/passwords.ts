import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import type { Passwords } from '../../kernel/ports.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import { endSessionsOf } from './sessions.ts'

const MIN_LENGTH = 12
const MAX_LENGTH = 200

/** Long enough, and none of those that are tried first. What remains is the person's choice. */
export function checkPassword(password: string, { email, path = 'password' }: { email: string; path?: string }): void {
  const refuse = (message: string) => {
    throw invalidArguments([{ path, message }])
  }
  if (password.length < MIN_LENGTH) refuse(`A password has at least ${MIN_LENGTH} characters.`)
  if (password.length > MAX_LENGTH) refuse(`A password has at most ${MAX_LENGTH} characters.`)
  if (isCommon(password, email)) refuse('This password is among the first that attackers try. Choose another one.')
}

const COMMON_ROOTS = [
  'password',
  'passwort',
  'welcome',
  'letmein',
  'qwerty',
  'qwertz',
  'azerty',
  'iloveyou',
  'administrator',
  'admin',
  'lanyard',
  'conference',
  'changeme',
  'monkey',
  'dragon',
  'football',
  'sunshine',
  'princess',
  'abc',
  'abcdefghijkl',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
]

/** A common word with digits and signs around it, one character or a short piece again and again, a plain sequence, or the person's own address. */
function isCommon(password: string, email: string): boolean {
  const plain = password.toLowerCase()
  const letters = plain
    .replaceAll('0', 'o')
    .replaceAll('1', 'l')
    .replaceAll('3', 'e')
    .replaceAll('@', 'a')
    .replaceAll('$', 's')
    .replaceAll(/[^a-z]/g, '')
  const name = email.toLowerCase().split('@')[0]!
  if (COMMON_ROOTS.some((root) => letters === root || letters === root + root || letters === root + root + root)) return true
  if (/^(.{1,4})\1+.{0,3}$/.test(plain)) return true
  if ('01234567890123456789'.includes(plain) || 'abcdefghijklmnopqrstuvwxyz'.includes(plain) || '98765432109876543210'.includes(plain))
    return true
  return plain === email.toLowerCase() || (name.length > 3 && letters === name.replaceAll(/[^a-z]/g, ''))
}

/** Sets the password. Every other browser and every connected app of the person is signed out: whoever knew the old one is out. */
export async function setPassword(
  db: Db,
  user: { id: string; email: string },
  password: string,
  given: { passwords: Passwords; exceptSession?: Buffer; path?: string },
): Promise<void> {
  checkPassword(password, { email: user.email, ...(given.path ? { path: given.path } : {}) })
  const hash = await given.passwords.hash(password)
  await sql`
    update users set password_hash = ${hash}, password_changed_at = lanyard_now(), access_version = access_version + 1
    where id = ${user.id}`.execute(db)
  await endSessionsOf(db, user.id, given.exceptSession)
}

const LIFETIMES = { reset: '30 minutes', invite: '72 hours' } as const

/** A link that sets a password once. An earlier link of the same kind stops working. */
export async function newPasswordLink(db: Db, userId: string, kind: keyof typeof LIFETIMES): Promise<Secret> {
  const token = newToken('lpw_')
  await sql`update password_links set used_at = lanyard_now() where user_id = ${userId} and kind = ${kind} and used_at is null`.execute(db)
  await sql`
    insert into password_links (hash, user_id, kind, expires_at)
    values (${hashToken(token)}, ${userId}, ${kind}, lanyard_now() + ${LIFETIMES[kind]}::interval)`.execute(db)
  return new Secret(token)
}

export async function findPasswordLink(db: Db, token: string) {
  const { rows } = await sql<{ userId: string; email: string; name: string; kind: 'reset' | 'invite' }>`
    select u.id as "userId", u.email, u.name, l.kind from password_links l join users u on u.id = l.user_id
    where l.hash = ${hashToken(token)} and l.used_at is null and l.expires_at > lanyard_now() and u.active`.execute(db)
  return rows[0] ?? null
}

/** Uses the link up and sets the password, or says that the link is no longer good. */
export async function usePasswordLink(
  db: Db,
  token: string,
  password: string,
  passwords: Passwords,
): Promise<{ userId: string; email: string }> {
  const link = await findPasswordLink(db, token)
  if (!link) throw new AppError('precondition_failed', 'This link was used already or is too old. Ask for a new one.')
  await setPassword(db, { id: link.userId, email: link.email }, password, { passwords })
  const { rows } =
    await sql`update password_links set used_at = lanyard_now() where hash = ${hashToken(token)} and used_at is null returning 1`.execute(
      db,
    )
  if (rows.length === 0) throw new AppError('precondition_failed', 'This link was used already or is too old. Ask for a new one.')
  return { userId: link.userId, email: link.email }
}
