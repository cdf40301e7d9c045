import { sql } from 'kysely'
import { createPendingAuditEntry, recordChange, writeAudit } from '../../kernel/audit.ts'
import type { Db } from '../../kernel/columns.ts'
import { foldEmailCase, isSameEmail } from '../../kernel/email-address.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import type { PasswordHasher } from '../../kernel/ports.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import { setPasswordHash } from '../access/user-credentials.ts'
import { toConsoleActor, endUserSessions } from './sessions.ts'

const MIN_LENGTH = 12
const MAX_LENGTH = 200

/** Requires a minimum length and rejects commonly attacked passwords. */
export function requireStrongPassword(password: string, { email, path = 'password' }: { email: string; path?: string }): void {
  const refuse = (message: string) => {
    throw invalidArguments([{ path, message }])
  }
  if (password.length < MIN_LENGTH) refuse(`A password has at least ${MIN_LENGTH} characters.`)
  if (password.length > MAX_LENGTH) refuse(`A password has at most ${MAX_LENGTH} characters.`)
  if (isCommon(password, email)) refuse('This password is among the first that attackers try. Choose another one.')
}

/** Words from lists of leaked passwords, and words related to events. */
const COMMON_ROOTS = new Set(
  `password passwort passwd pass welcome willkommen letmein iloveyou administrator admin root user login secret master changeme default
  test hello lanyard conference event events organizer summer winter spring autumn monday friday january december monkey dragon shadow
  football baseball soccer liverpool arsenal sunshine princess superman batman starwars pokemon charlie michael jordan jennifer daniel
  computer internet whatever trustno abc qwerty qwertz azerty qazwsx`.split(/\s+/),
)

/** Keyboard rows and alphabetical or numerical sequences, which are common in passwords. */
const SEQUENCES = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  '1qaz2wsx3edc4rfv5tgb6yhn',
  'qazwsxedcrfvtgbyhnujm',
].flatMap((row) => [row, [...row].toReversed().join('')])

const LOOKALIKE_DIGITS: Record<string, string> = { 0: 'o', 1: 'l', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's', '!': 'i' }
const replaceLookalikes = (text: string) => text.replaceAll(/[013457@$!]/g, (sign) => LOOKALIKE_DIGITS[sign]!)
const lettersOf = (text: string) => text.replaceAll(/[^a-z]/g, '')

/**
 * Whether the password is a common word with digits or symbols added or substituted, a repeated piece, a sequence, or the user's own
 * address.
 */
function isCommon(password: string, email: string): boolean {
  const plain = password.toLowerCase()
  const core = plain.replaceAll(/^[^a-z]+|[^a-z]+$/g, '')
  const readings = [plain, core, replaceLookalikes(plain), replaceLookalikes(core)].map(lettersOf)
  const own = lettersOf(foldEmailCase(email).split('@')[0]!)
  const known = (word: string) => COMMON_ROOTS.has(word) || (own.length > 3 && word === own)
  if (isSameEmail(password, email)) return true
  if (readings.some((word) => known(word) || known(repeatedPiece(word)))) return true
  if (/^(.{1,4})\1+.{0,3}$/.test(plain)) return true
  return [plain, core].some((text) => text.length > 5 && SEQUENCES.some((row) => row.includes(text)))
}

/** If a word consists of two or three repetitions of a shorter text, returns that text, otherwise the word itself. */
const repeatedPiece = (word: string) => /^(.+?)\1{1,2}$/.exec(word)?.[1] ?? word

const linkExpiredError = () => new AppError('precondition_failed', 'This link was already used or has expired. Request a new one.')

/**
 * Sets the password, ends all other sessions and connected apps, and invalidates all links, so that a person who knew the old password is
 * signed out.
 */
export async function setPassword(
  db: Db,
  user: { id: string; email: string },
  password: string,
  given: { passwords: PasswordHasher; exceptSession?: Buffer; path?: string },
): Promise<void> {
  requireStrongPassword(password, { email: user.email, ...(given.path ? { path: given.path } : {}) })
  const hash = await given.passwords.hash(password)
  if (!(await setPasswordHash(db, user.id, hash))) throw linkExpiredError()
  await sql`update password_links set used_at = lanyard_now() where user_id = ${user.id} and used_at is null`.execute(db)
  await endUserSessions(db, user.id, given.exceptSession)
}

const LINK_LIFETIMES = { reset: '30 minutes', invite: '72 hours' } as const

const RESETS_PER_HOUR = 5

/** Whether another reset link may be emailed. Anyone can request a link for any address, so the number of emails per user is limited. */
export async function mayRequestPasswordLink(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql<{ asked: number }>`
    select count(*)::int as asked from password_links
    where user_id = ${userId} and kind = 'reset' and created_at > lanyard_now() - interval '1 hour'`.execute(db)
  return rows[0]!.asked < RESETS_PER_HOUR
}

/** Creates a one-time link to set a password. An earlier link of the same kind becomes invalid. */
export async function createPasswordLink(db: Db, userId: string, kind: keyof typeof LINK_LIFETIMES): Promise<Secret> {
  const token = newToken('lpw_')
  await lockUserOfPasswordLinks(db, userId)
  await sql`update password_links set used_at = lanyard_now() where user_id = ${userId} and kind = ${kind} and used_at is null`.execute(db)
  await sql`
    insert into password_links (hash, user_id, kind, expires_at)
    values (${hashToken(token)}, ${userId}, ${kind}, lanyard_now() + ${LINK_LIFETIMES[kind]}::interval)`.execute(db)
  return new Secret(token)
}

interface LinkOwner {
  tenantId: number
  userId: string
  email: string
  name: string
}

/**
 * Finds the user of a password link. A user who was invited by several tenants chooses the first password at one of them; the links of the
 * others then become invalid.
 */
export async function findPasswordLink(db: Db, token: string): Promise<LinkOwner | null> {
  const { rows } = await sql<LinkOwner>`
    select u.tenant_id as "tenantId", u.id as "userId", u.email, u.name from password_links l join users u on u.id = l.user_id
    where l.hash = ${hashToken(token)} and l.used_at is null and l.expires_at > lanyard_now() and u.active
      and not exists (select from users o where o.email_norm = u.email_norm and o.id <> u.id and o.password_hash is not null)`.execute(db)
  return rows[0] ?? null
}

const AS_RECORDED = { reset: 'reset_password', invite: 'choose_password' } as const

/**
 * Consumes a password link and sets the password; reports if the link is not valid. If the password is rejected, the rollback keeps the
 * link valid.
 */
export async function setPasswordThroughLink(
  db: Db,
  token: string,
  password: string,
  passwords: PasswordHasher,
): Promise<{ userId: string }> {
  const owner = await findPasswordLink(db, token)
  const kind = owner && (await claimLink(db, owner, token))
  if (!kind) throw linkExpiredError()
  const { tenantId, userId, email, name } = owner
  await setPassword(db, { id: userId, email }, password, { passwords })
  const ctx = { tenantId, actor: toConsoleActor(userId, name), db, audit: createPendingAuditEntry() }
  recordChange(ctx, { kind: 'user', id: userId, after: { password: new Secret(password) } })
  await writeAudit(ctx, { name: AS_RECORDED[kind] })
  return { userId }
}

/** Marks a password link as used. Only one of several concurrent requests succeeds. */
async function claimLink(db: Db, { userId }: LinkOwner, token: string): Promise<keyof typeof LINK_LIFETIMES | null> {
  await lockUserOfPasswordLinks(db, userId)
  const { rows } = await sql<{ kind: keyof typeof LINK_LIFETIMES }>`
    update password_links set used_at = lanyard_now()
    where hash = ${hashToken(token)} and used_at is null and expires_at > lanyard_now() returning kind`.execute(db)
  return rows[0]?.kind ?? null
}

/** Locks the user's row before the user's password links, so that changes of the links are serialized and cannot deadlock. */
export const lockUserOfPasswordLinks = (db: Db, userId: string) =>
  db.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute()
