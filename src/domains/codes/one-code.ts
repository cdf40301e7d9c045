import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { newId } from '../../kernel/ids.ts'
import { hashToken, type Keys, newToken, Secret } from '../../kernel/secrets.ts'
import { emptySpentMails } from './spent-mails.ts'
import type { CodePurpose } from './tables.ts'

/** What a code is for: whoever reads this mailbox, at this event, through this account. Of each there is one active code at most. */
export interface CodeFor {
  tenantId: number
  purpose: CodePurpose
  eventId: string
  email: string
  /** Null on our own pages. */
  accountId: string | null
}

export interface NewCode {
  id: string
  code: Secret
  /** Opens the same as the code, once. */
  link: Secret
}

export const LIFETIME_SECONDS = 900
export const GUESSES = 3

const KEY = 'one-time codes'

/** Whose mails hold a link beside the code. */
const HAVE_LINKS: ReadonlySet<CodePurpose> = new Set(['web', 'groupAdmin'])

export const normOf = (email: string) => email.toLowerCase()

/** Bound to all that the code is for, under a key that is not in the database: a million guesses at a stolen row say nothing. */
const bound = ({ purpose, eventId, email, accountId }: CodeFor, code: string) =>
  `otp.v1|${purpose}|${eventId}|${normOf(email)}|${accountId ?? ''}|${code}`

const isFor = ({ tenantId, purpose, eventId, email, accountId }: CodeFor) => sql`
  tenant_id = ${tenantId} and purpose = ${purpose} and event_id = ${eventId} and email_norm = ${normOf(email)}
  and account_id is not distinct from ${accountId}`

/** A new code in the place of the one before, which from now on is only a wrong guess. */
export async function putCode({ db, keys }: { db: Db; keys: Keys }, given: CodeFor): Promise<NewCode> {
  const [id, code, link] = [newId(), String(randomInt(1_000_000)).padStart(6, '0'), newToken('lsl_')]
  const { rows: before } = await sql<{ id: string }>`
    update one_time_codes set code_hash = null, link_hash = null, superseded_at = case when burned_at is null then lanyard_now() end
    where ${isFor(given)} and used_at is null and superseded_at is null and (burned_at is null or link_hash is not null)
    returning id`.execute(db)
  await emptySpentMails(db, given.tenantId, before)
  await sql`
    insert into one_time_codes (tenant_id, id, purpose, event_id, email_norm, account_id, code_hash, link_hash, expires_at)
    values (${given.tenantId}, ${id}, ${given.purpose}, ${given.eventId}, ${normOf(given.email)}, ${given.accountId},
      ${keys.sign(KEY, bound(given, code))}, ${HAVE_LINKS.has(given.purpose) ? hashToken(link) : null},
      lanyard_now() + make_interval(secs => ${LIFETIME_SECONDS}))`.execute(db)
  return { id, code: new Secret(code), link: new Secret(link) }
}

export type Guess = { kind: 'right'; id: string } | { kind: 'wrong'; id: string; attempts: number } | { kind: 'none' }

/**
 * One statement compares, counts, uses up and burns. Guesses that come at once wait for each other at the row and then see what the one
 * before left, so that three are evaluated and one can be right, however many there are and wherever they come in.
 */
export async function guessCode({ db, keys }: { db: Db; keys: Keys }, given: CodeFor, code: string): Promise<Guess> {
  const right = sql`code_hash = any(${keys.everySignature(KEY, bound(given, code))})`
  const { rows } = await sql<{ id: string; right: boolean; attempts: number }>`
    update one_time_codes set
      attempts = attempts + case when ${right} then 0 else 1 end,
      wrong_at = case when ${right} then wrong_at else wrong_at || lanyard_now() end,
      used_at = case when ${right} then lanyard_now() end,
      burned_at = case when ${right} or attempts < 2 then null else lanyard_now() end,
      code_hash = case when ${right} or attempts = 2 then null else code_hash end,
      link_hash = case when ${right} then null else link_hash end
    where ${isFor(given)} and attempts < 3 and used_at is null and burned_at is null and superseded_at is null
      and expires_at > lanyard_now()
    returning id, used_at is not null as "right", attempts`.execute(db)
  const row = rows[0]
  if (!row) return { kind: 'none' }
  if (row.right || row.attempts === GUESSES) await emptySpentMails(db, given.tenantId, rows)
  return row.right ? { kind: 'right', id: row.id } : { kind: 'wrong', id: row.id, attempts: row.attempts }
}

/** One at a time for whatever is named; until the transaction ends. */
export const lockFor = (db: Db, name: string) => sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db)
