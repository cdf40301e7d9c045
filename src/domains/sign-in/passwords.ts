import { sql } from 'kysely'
import { newAuditDraft, recordChange, writeAudit } from '../../kernel/audit.ts'
import type { Db } from '../../kernel/columns.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import type { Passwords } from '../../kernel/ports.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import { consoleActor, endSessionsOf } from './sessions.ts'

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

/** Words that head every list of leaked passwords, and those that lie near in this place. */
const COMMON_ROOTS = new Set(
  `password passwort passwd pass welcome willkommen letmein iloveyou administrator admin root user login secret master changeme default
  test hello lanyard conference event events organizer summer winter spring autumn monday friday january december monkey dragon shadow
  football baseball soccer liverpool arsenal sunshine princess superman batman starwars pokemon charlie michael jordan jennifer daniel
  computer internet whatever trustno abc qwerty qwertz azerty qazwsx`.split(/\s+/),
)

/** Rows and paths on keyboards, and what comes one after the other. */
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

const LOOKS_LIKE: Record<string, string> = { 0: 'o', 1: 'l', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's', '!': 'i' }
const asLetters = (text: string) => text.replaceAll(/[013457@$!]/g, (sign) => LOOKS_LIKE[sign]!)
const lettersOf = (text: string) => text.replaceAll(/[^a-z]/g, '')

/** A common word with digits and signs around it or in place of letters, a short piece again and again, a sequence, or the person's own address. */
function isCommon(password: string, email: string): boolean {
  const plain = password.toLowerCase()
  const core = plain.replaceAll(/^[^a-z]+|[^a-z]+$/g, '')
  const readings = [plain, core, asLetters(plain), asLetters(core)].map(lettersOf)
  const own = lettersOf(email.toLowerCase().split('@')[0]!)
  const known = (word: string) => COMMON_ROOTS.has(word) || (own.length > 3 && word === own)
  if (plain === email.toLowerCase()) return true
  if (readings.some((word) => known(word) || known(halfOf(word)))) return true
  if (/^(.{1,4})\1+.{0,3}$/.test(plain)) return true
  return [plain, core].some((text) => text.length > 5 && SEQUENCES.some((row) => row.includes(text)))
}

/** The piece, where a word is one piece two or three times. */
const halfOf = (word: string) => /^(.+?)\1{1,2}$/.exec(word)?.[1] ?? word

const UNIQUE_VIOLATION = '23505'
const linkIsOver = () => new AppError('precondition_failed', 'This link was used already or is too old. Ask for a new one.')

/** Sets the password. Every other browser and connected app of the person is signed out and every link void: whoever knew the old one is out. */
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
    where id = ${user.id}`
    .execute(db)
    .catch((error: { code?: string; constraint?: string }) => {
      if (error.code === UNIQUE_VIOLATION && error.constraint === 'users_signing_in') throw linkIsOver()
      throw error
    })
  await sql`update password_links set used_at = lanyard_now() where user_id = ${user.id} and used_at is null`.execute(db)
  await endSessionsOf(db, user.id, given.exceptSession)
}

const LIFETIMES = { reset: '30 minutes', invite: '72 hours' } as const

const RESETS_PER_HOUR = 5

/** Anybody can ask for a link in another's name: that must not fill the other's mailbox. */
export async function mayAskForLink(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql<{ asked: number }>`
    select count(*)::int as asked from password_links
    where user_id = ${userId} and kind = 'reset' and created_at > lanyard_now() - interval '1 hour'`.execute(db)
  return rows[0]!.asked < RESETS_PER_HOUR
}

/** A link that sets a password once. An earlier link of the same kind stops working. */
export async function newPasswordLink(db: Db, userId: string, kind: keyof typeof LIFETIMES): Promise<Secret> {
  const token = newToken('lpw_')
  await lockPerson(db, userId)
  await sql`update password_links set used_at = lanyard_now() where user_id = ${userId} and kind = ${kind} and used_at is null`.execute(db)
  await sql`
    insert into password_links (hash, user_id, kind, expires_at)
    values (${hashToken(token)}, ${userId}, ${kind}, lanyard_now() + ${LIFETIMES[kind]}::interval)`.execute(db)
  return new Secret(token)
}

interface LinkOwner {
  tenantId: number
  userId: string
  email: string
  name: string
}

/** A first password can be chosen at one of the tenants that invited the address; the links of the others are over then. */
export async function findPasswordLink(db: Db, token: string): Promise<LinkOwner | null> {
  const { rows } = await sql<LinkOwner>`
    select u.tenant_id as "tenantId", u.id as "userId", u.email, u.name from password_links l join users u on u.id = l.user_id
    where l.hash = ${hashToken(token)} and l.used_at is null and l.expires_at > lanyard_now() and u.active
      and not exists (select from users o where o.email_norm = u.email_norm and o.id <> u.id and o.password_hash is not null)`.execute(db)
  return rows[0] ?? null
}

const AS_RECORDED = { reset: 'reset_password', invite: 'choose_password' } as const

/** Uses the link up and sets the password, or says that the link is no longer good. What is refused undoes the use with it. */
export async function usePasswordLink(db: Db, token: string, password: string, passwords: Passwords): Promise<{ userId: string }> {
  const owner = await findPasswordLink(db, token)
  const kind = owner && (await claimLink(db, owner, token))
  if (!kind) throw linkIsOver()
  const { tenantId, userId, email, name } = owner
  await setPassword(db, { id: userId, email }, password, { passwords })
  const ctx = { tenantId, actor: consoleActor(userId, name), db, audit: newAuditDraft() }
  recordChange(ctx, { kind: 'user', id: userId, after: { password: new Secret(password) } })
  await writeAudit(ctx, { name: AS_RECORDED[kind] })
  return { userId }
}

/** Of several that come at once one gets it. */
async function claimLink(db: Db, { userId }: LinkOwner, token: string): Promise<keyof typeof LIFETIMES | null> {
  await lockPerson(db, userId)
  const { rows } = await sql<{ kind: keyof typeof LIFETIMES }>`
    update password_links set used_at = lanyard_now()
    where hash = ${hashToken(token)} and used_at is null and expires_at > lanyard_now() returning kind`.execute(db)
  return rows[0]?.kind ?? null
}

/** One change of a person's links at a time. The person comes before their links everywhere, or two changes would wait for each other. */
export const lockPerson = (db: Db, userId: string) => db.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute()
