import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type OneTimeCodeScope,
  type CodeVerificationResult,
  verifyOneTimeCode,
  issueOneTimeCode,
} from '../../src/domains/codes/one-time-code.ts'
import { createPersonSession } from '../../src/domains/codes/person-sessions.ts'
import type { Db } from '../../src/kernel/columns.ts'
import { assistantAt, listCodeEmails, type SignInCalls, chooseWrongCode } from '../support/sign-in-codes.ts'
import { chooseForSoak, soakRounds } from '../support/soak.ts'
import { openTwoServers } from '../support/two-servers.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

const postgres = process.env['TEST_DATABASE_URL'] !== undefined
/** A soak run tests 200 codes with 100 guesses each. */
const CODES = chooseForSoak(soakRounds(10), 4)
const GUESSES = soakRounds(1) === 1 ? 40 : 100

let world: World
let summit: EventHandle
/** Two servers over one database, each with its own connections. */
let worlds: World[]

beforeAll(async () => {
  world = await newWorld()
  summit = await world.event()
  worlds = await openTwoServers(world)
})
beforeEach(() => world.clock.reset())
afterAll(() => world.end())

let made = 0
const newEmail = () => `race-${++made}@example.org`

let turns = 0
/** Alternates calls between the servers. */
const inTurn = <T>(servers: readonly T[]): T => servers[turns++ % servers.length]!

const throughBoth = async (event: EventHandle): Promise<SignInCalls[]> => {
  const first = await assistantAt(world, event)
  return [first, ...(await Promise.all(worlds.slice(1).map((one) => assistantAt(one, event, first.account))))]
}

describe('concurrent guesses of sign-in codes', () => {
  it(`evaluates three concurrent guesses of a sign-in code and opens one session through the tools: ${CODES} codes, ${GUESSES} guesses each`, async () => {
    let servers = await throughBoth(summit)
    for (let round = 0; round < CODES; round++) {
      // A hundred wrong guesses would lock the account, which another test covers.
      if (round % 30 === 29) servers = await throughBoth(summit)
      const email = newEmail()
      const code = await servers[0]!.requestCode(email)
      // Every second round contains the correct code, at a different position each time.
      const right = round % 2 === 0 ? (round * 7) % GUESSES : -1
      const answers = await Promise.all(
        Array.from({ length: GUESSES }, (_, i) => inTurn(servers).verify(email, i === right ? code : chooseWrongCode(code, i + 1))),
      )
      const countReason = (reason: string) => answers.filter((answer) => answer.reason === reason).length
      const verified = answers.filter((answer) => answer.verified)
      expect(verified.length).toBeLessThanOrEqual(1)
      expect(countReason('wrong_code') + verified.length).toBeLessThanOrEqual(3)
      expect(countReason('wrong_code') === 3 || verified.length === 1).toBe(true)
      expect(countReason('expired_or_missing')).toBe(GUESSES - countReason('wrong_code') - verified.length)
      const { rows } = await world.database.pool.query<any>(
        `select c.attempts, (select count(*)::int from participant_sessions s where s.email = $1) as sessions
         from one_time_codes c where c.email_norm = $1`,
        [email],
      )
      expect(rows).toEqual([{ attempts: countReason('wrong_code'), sessions: verified.length }])
    }
  })

  it('opens one participant session when the correct sign-in code is submitted twice', async () => {
    const servers = await throughBoth(summit)
    const email = newEmail()
    const code = await servers[0]!.requestCode(email)
    const answers = await Promise.all([inTurn(servers).verify(email, code), inTurn(servers).verify(email, code)])
    expect(answers.filter(({ verified }) => verified)).toHaveLength(1)
    expect(answers.filter(({ verified }) => !verified)).toEqual([{ verified: false, reason: 'expired_or_missing' }])
  })

  type Take = (db: Db, given: OneTimeCodeScope, code: string) => Promise<CodeVerificationResult>

  /** Verifies codes without an API account, whose lock would serialize the guesses. This tests the SQL statement alone. */
  async function atTheStatement(take: Take): Promise<{ evaluated: number; sessions: number }> {
    const { tenantId, eventId } = summit
    const given: OneTimeCodeScope = { tenantId, purpose: 'web', eventId, email: newEmail(), accountId: null }
    const put = await world.database.transact((db) => issueOneTimeCode({ db, keys: world.services.keys }, given))
    const code = put.code.reveal()
    const outcomes = await Promise.all(
      Array.from({ length: GUESSES }, (_, i) =>
        inTurn(worlds).database.transact(async (db) => {
          const outcome = await take(db, given, i % 10 === 3 ? code : chooseWrongCode(code, i + 1))
          if (outcome.kind === 'right') await createPersonSession(db, given)
          return outcome.kind
        }),
      ),
    )
    const { rows } = await world.database.pool.query<any>(`select from person_sessions where email = $1`, [given.email])
    return { evaluated: outcomes.filter((kind) => kind !== 'none').length, sessions: rows.length }
  }

  it(`evaluates three guesses per sign-in code by the SQL statement alone: ${CODES} codes, ${GUESSES} guesses each`, async () => {
    for (let round = 0; round < CODES; round++) {
      const { evaluated, sessions } = await atTheStatement((db, given, code) =>
        verifyOneTimeCode({ db, keys: world.services.keys }, given, code),
      )
      expect(evaluated).toBeLessThanOrEqual(3)
      expect(sessions).toBeLessThanOrEqual(1)
      expect(evaluated === 3 || sessions === 1).toBe(true)
    }
  })

  it.runIf(postgres)('control: evaluates more than three guesses if separate SQL statements read and update the sign-in code', async () => {
    const { keys } = world.services
    const careless: Take = async (db, { tenantId, purpose, eventId, email }, code) => {
      const { rows } = await sql<any>`select id, code_hash, attempts from one_time_codes
        where tenant_id = ${tenantId} and purpose = ${purpose} and event_id = ${eventId} and email_norm = ${email}
          and attempts < 3 and used_at is null and burned_at is null and superseded_at is null and expires_at > lanyard_now()`.execute(db)
      if (!rows[0]) return { kind: 'none' }
      const { id, code_hash, attempts } = rows[0]
      const right = keys.sign('one-time codes', `otp.v1|${purpose}|${eventId}|${email}||${code}`) === code_hash
      if (right)
        await sql`update one_time_codes set used_at = lanyard_now(), code_hash = null, link_hash = null where id = ${id}`.execute(db)
      else {
        await sql`update one_time_codes set attempts = ${attempts + 1}, wrong_at = array_fill(lanyard_now(), array[${attempts + 1}::int])
          where id = ${id}`.execute(db)
      }
      return right ? { kind: 'right', id } : { kind: 'wrong', id, attempts: attempts + 1 }
    }
    const found = []
    for (let round = 0; round < 3; round++) found.push(await atTheStatement(careless))
    expect(Math.max(...found.map(({ evaluated }) => evaluated))).toBeGreaterThan(3)
    expect(Math.max(...found.map(({ sessions }) => sessions))).toBeGreaterThan(1)
  })
})

/** Fifty requests for one email address, and guesses at forty codes of one account, three each. */
async function manyRequests(servers: readonly SignInCalls[]): Promise<number> {
  const email = newEmail()
  const answers = await Promise.allSettled(Array.from({ length: 50 }, () => inTurn(servers).request(email)))
  const emails = await listCodeEmails(world, email)
  expect(emails).toHaveLength(answers.filter(({ status }) => status === 'fulfilled').length)
  return emails.length
}

async function wrongGuesses(
  servers: readonly SignInCalls[],
): Promise<{ spent: number; suspended: boolean; active: number; failed: number }> {
  const codes: [email: string, code: string][] = []
  for (let i = 0; i < 40; i++) {
    const email = newEmail()
    codes.push([email, await servers[0]!.requestCode(email)])
  }
  const answers = await Promise.allSettled(
    codes.flatMap(([email, code]) => [1, 2, 3].map((by) => inTurn(servers).verify(email, chooseWrongCode(code, by)))),
  )
  const { rows } = await world.database.pool.query<any>(
    `select sum(c.attempts)::int as spent, a.otp_suspended_at is not null as suspended, count(c.code_hash)::int as active
     from one_time_codes c join api_accounts a on a.id = c.account_id where a.id = $1 group by a.id, a.otp_suspended_at`,
    [servers[0]!.account.accountId],
  )
  return { ...rows[0], failed: answers.filter(({ status }) => status === 'rejected').length }
}

describe('sign-in code limits across several servers', () => {
  it('sends exactly three of fifty concurrently requested sign-in codes', async () => {
    for (let round = 0; round < soakRounds(1); round++) expect(await manyRequests(await throughBoth(summit))).toBe(3)
  })

  it('counts sign-in code requests of several accounts and events for one email address together', async () => {
    const servers = [...(await throughBoth(summit)), ...(await throughBoth(await world.event()))]
    expect(await manyRequests(servers)).toBe(3)
  })

  it('locks an account at exactly its hundredth wrong guess', async () => {
    expect(await wrongGuesses(await throughBoth(summit))).toEqual({ spent: 100, suspended: true, active: 0, failed: 0 })
  })

  it.runIf(postgres)('control: sends more sign-in codes than the limits allow without the advisory locks', async () => {
    await world.database.pool.query(`create function public.pg_advisory_xact_lock(bigint) returns void language plpgsql as $$ begin end $$`)
    const name = new URL(world.url!).pathname.slice(1)
    await world.database.pool.query(`alter database "${name}" set search_path = public, pg_catalog`)
    // Detects deadlocks immediately instead of after one second each.
    await world.database.pool.query(`alter database "${name}" set deadlock_timeout = '20ms'`)
    const unlocked = (await openTwoServers(world)).at(-1)!
    // Several events, because the unique index would still enforce the limit at a single one.
    const places: SignInCalls[] = []
    for (let i = 0; i < 10; i++) places.push(await assistantAt(unlocked, await world.event()))
    expect(await manyRequests(places)).toBeGreaterThan(3)
    // Either more guesses are evaluated than allowed, or the guesses that would lock the account deadlock.
    let exceeded = false
    for (let round = 0; round < 8 && !exceeded; round++) {
      const { spent, failed } = await wrongGuesses([await assistantAt(unlocked, summit)])
      exceeded = spent > 100 || failed > 0
    }
    expect(exceeded).toBe(true)
  })
})
