import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { newId } from '../../kernel/ids.ts'
import { hashToken, type DerivedKeys, newToken, Secret } from '../../kernel/secrets.ts'
import { redactUsedCodesInEmails } from './spent-emails.ts'
import type { CodePurpose } from './tables.ts'

/** The scope of a code: mailbox, event, account and purpose. Each scope has at most one active code. */
export interface OneTimeCodeScope {
  tenantId: number
  purpose: CodePurpose
  eventId: string
  email: string
  /** The API account that requested the code; null if a page of Lanyard requested the code. */
  accountId: string | null
}

export interface IssuedOneTimeCode {
  id: string
  code: Secret
  /** A link that can be used once instead of the code. */
  link: Secret
}

export const ONE_TIME_CODE_TTL_SECONDS = 900
export const MAX_ONE_TIME_CODE_ATTEMPTS = 3

const CODE_KEY_LABEL = 'one-time codes'

/** Purposes whose emails contain a link besides the code. */
const PURPOSES_WITH_LINKS: ReadonlySet<CodePurpose> = new Set(['web', 'groupAdmin', 'company'])

/** Hashes a code. The hash covers the whole scope, with a key that is not in the database, so a stolen row cannot be brute-forced. */
const hashCode = ({ purpose, eventId, email, accountId }: OneTimeCodeScope, code: string) =>
  `otp.v1|${purpose}|${eventId}|${foldEmailCase(email)}|${accountId ?? ''}|${code}`

const matchesScope = ({ tenantId, purpose, eventId, email, accountId }: OneTimeCodeScope) => sql`
  tenant_id = ${tenantId} and purpose = ${purpose} and event_id = ${eventId} and email_norm = ${foldEmailCase(email)}
  and account_id is not distinct from ${accountId}`

/** Issues a new one-time code; the previous code becomes invalid. */
export async function issueOneTimeCode({ db, keys }: { db: Db; keys: DerivedKeys }, given: OneTimeCodeScope): Promise<IssuedOneTimeCode> {
  const [id, code, link] = [newId(), String(randomInt(1_000_000)).padStart(6, '0'), newToken('lsl_')]
  const { rows: before } = await sql<{ id: string }>`
    update one_time_codes set code_hash = null, link_hash = null, superseded_at = case when burned_at is null then lanyard_now() end
    where ${matchesScope(given)} and used_at is null and superseded_at is null and (burned_at is null or link_hash is not null)
    returning id`.execute(db)
  await redactUsedCodesInEmails(db, given.tenantId, before)
  await sql`
    insert into one_time_codes (tenant_id, id, purpose, event_id, email_norm, account_id, code_hash, link_hash, expires_at)
    values (${given.tenantId}, ${id}, ${given.purpose}, ${given.eventId}, ${foldEmailCase(given.email)}, ${given.accountId},
      ${keys.sign(CODE_KEY_LABEL, hashCode(given, code))}, ${PURPOSES_WITH_LINKS.has(given.purpose) ? hashToken(link) : null},
      lanyard_now() + make_interval(secs => ${ONE_TIME_CODE_TTL_SECONDS}))`.execute(db)
  return { id, code: new Secret(code), link: new Secret(link) }
}

export type CodeVerificationResult = { kind: 'right'; id: string } | { kind: 'wrong'; id: string; attempts: number } | { kind: 'none' }

/**
 * Checks a guessed code. One statement compares it, counts the guess, and marks the code as used or, after three wrong guesses, as invalid.
 * Concurrent guesses are serialized by the row lock, so that at most three are evaluated and one can succeed.
 */
export async function verifyOneTimeCode(
  { db, keys }: { db: Db; keys: DerivedKeys },
  given: OneTimeCodeScope,
  code: string,
): Promise<CodeVerificationResult> {
  const right = sql`code_hash = any(${keys.listSignatures(CODE_KEY_LABEL, hashCode(given, code))})`
  const { rows } = await sql<{ id: string; right: boolean; attempts: number }>`
    update one_time_codes set
      attempts = attempts + case when ${right} then 0 else 1 end,
      wrong_at = case when ${right} then wrong_at else wrong_at || lanyard_now() end,
      used_at = case when ${right} then lanyard_now() end,
      burned_at = case when ${right} or attempts < 2 then null else lanyard_now() end,
      code_hash = case when ${right} or attempts = 2 then null else code_hash end,
      link_hash = case when ${right} then null else link_hash end
    where ${matchesScope(given)} and attempts < 3 and used_at is null and burned_at is null and superseded_at is null
      and expires_at > lanyard_now()
    returning id, used_at is not null as "right", attempts`.execute(db)
  const row = rows[0]
  if (!row) return { kind: 'none' }
  if (row.right || row.attempts === MAX_ONE_TIME_CODE_ATTEMPTS) await redactUsedCodesInEmails(db, given.tenantId, rows)
  return row.right ? { kind: 'right', id: row.id } : { kind: 'wrong', id: row.id, attempts: row.attempts }
}

/** Takes an advisory lock by name, which is held until the transaction ends. */
export const takeAdvisoryLock = (db: Db, name: string) => sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db)
