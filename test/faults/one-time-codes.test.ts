import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CodeFor, type Guess, guessCode, putCode } from '../../src/domains/codes/one-code.ts'
import { openPersonSession } from '../../src/domains/codes/person-sessions.ts'
import type { Db } from '../../src/kernel/columns.ts'
import { assistantAt, codesMailedTo, type SigningIn, wrong } from '../support/codes.ts'
import { inSoak, times } from '../support/soak.ts'
import { serversOf } from '../support/two-servers.ts'
import { type EventPlace, newWorld, type World } from '../support/world.ts'

const postgres = process.env['TEST_DATABASE_URL'] !== undefined
/** In a soak 200 codes with 100 guesses each. */
const CODES = inSoak(times(10), 4)
const GUESSES = times(1) === 1 ? 40 : 100

let world: World
let summit: EventPlace
/** Each with connections of its own, as two servers have. */
let worlds: World[]

beforeAll(async () => {
  world = await newWorld()
  summit = await world.event()
  worlds = await serversOf(world)
})
beforeEach(() => world.clock.reset())
afterAll(() => world.end())

let made = 0
const somebody = () => `race-${++made}@example.org`

let turns = 0
/** One call after the other to another server. */
const inTurn = <T>(servers: readonly T[]): T => servers[turns++ % servers.length]!

const throughBoth = async (event: EventPlace): Promise<SigningIn[]> => {
  const first = await assistantAt(world, event)
  return [first, ...(await Promise.all(worlds.slice(1).map((one) => assistantAt(one, event, first.account))))]
}

describe('guesses that come at once', () => {
  it(`are evaluated three times and open one session: ${CODES} codes, ${GUESSES} guesses each, through the tools`, async () => {
    let servers = await throughBoth(summit)
    for (let round = 0; round < CODES; round++) {
      // A hundred wrong guesses would stop the account, which is not what this is about.
      if (round % 30 === 29) servers = await throughBoth(summit)
      const email = somebody()
      const code = await servers[0]!.codeFor(email)
      // In every second round the right one is among them, at another place each time.
      const right = round % 2 === 0 ? (round * 7) % GUESSES : -1
      const answers = await Promise.all(
        Array.from({ length: GUESSES }, (_, i) => inTurn(servers).verify(email, i === right ? code : wrong(code, i + 1))),
      )
      const told = (reason: string) => answers.filter((answer) => answer.reason === reason).length
      const verified = answers.filter((answer) => answer.verified)
      expect(verified.length).toBeLessThanOrEqual(1)
      expect(told('wrong_code') + verified.length).toBeLessThanOrEqual(3)
      expect(told('wrong_code') === 3 || verified.length === 1).toBe(true)
      expect(told('expired_or_missing')).toBe(GUESSES - told('wrong_code') - verified.length)
      const { rows } = await world.database.pool.query<any>(
        `select c.attempts, (select count(*)::int from participant_sessions s where s.email = $1) as sessions
         from one_time_codes c where c.email_norm = $1`,
        [email],
      )
      expect(rows).toEqual([{ attempts: told('wrong_code'), sessions: verified.length }])
    }
  })

  it('open one session when the right code is sent twice', async () => {
    const servers = await throughBoth(summit)
    const email = somebody()
    const code = await servers[0]!.codeFor(email)
    const answers = await Promise.all([inTurn(servers).verify(email, code), inTurn(servers).verify(email, code)])
    expect(answers.filter(({ verified }) => verified)).toHaveLength(1)
    expect(answers.filter(({ verified }) => !verified)).toEqual([{ verified: false, reason: 'expired_or_missing' }])
  })

  type Take = (db: Db, given: CodeFor, code: string) => Promise<Guess>

  /** The same without an account, whose lock would put them in a row by itself: here the statement is alone. */
  async function atTheStatement(take: Take): Promise<{ evaluated: number; sessions: number }> {
    const { tenantId, eventId } = summit
    const given: CodeFor = { tenantId, purpose: 'web', eventId, email: somebody(), accountId: null }
    const put = await world.database.transact((db) => putCode({ db, keys: world.road.keys }, given))
    const code = put.code.reveal()
    const outcomes = await Promise.all(
      Array.from({ length: GUESSES }, (_, i) =>
        inTurn(worlds).database.transact(async (db) => {
          const outcome = await take(db, given, i % 10 === 3 ? code : wrong(code, i + 1))
          if (outcome.kind === 'right') await openPersonSession(db, given)
          return outcome.kind
        }),
      ),
    )
    const { rows } = await world.database.pool.query<any>(`select from person_sessions where email = $1`, [given.email])
    return { evaluated: outcomes.filter((kind) => kind !== 'none').length, sessions: rows.length }
  }

  it(`are evaluated three times by the statement alone: ${CODES} codes, ${GUESSES} guesses each`, async () => {
    for (let round = 0; round < CODES; round++) {
      const { evaluated, sessions } = await atTheStatement((db, given, code) => guessCode({ db, keys: world.road.keys }, given, code))
      expect(evaluated).toBeLessThanOrEqual(3)
      expect(sessions).toBeLessThanOrEqual(1)
      expect(evaluated === 3 || sessions === 1).toBe(true)
    }
  })

  it.runIf(postgres)('are evaluated without end where somebody looks first and writes afterwards', async () => {
    const { keys } = world.road
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

/** Fifty requests for one mailbox, and guesses at forty codes of one account, three each. */
async function manyRequests(servers: readonly SigningIn[]): Promise<number> {
  const email = somebody()
  const answers = await Promise.allSettled(Array.from({ length: 50 }, () => inTurn(servers).request(email)))
  const mails = await codesMailedTo(world, email)
  expect(mails).toHaveLength(answers.filter(({ status }) => status === 'fulfilled').length)
  return mails.length
}

async function wrongGuesses(servers: readonly SigningIn[]): Promise<{ spent: number; suspended: boolean; active: number; failed: number }> {
  const codes: [email: string, code: string][] = []
  for (let i = 0; i < 40; i++) {
    const email = somebody()
    codes.push([email, await servers[0]!.codeFor(email)])
  }
  const answers = await Promise.allSettled(
    codes.flatMap(([email, code]) => [1, 2, 3].map((by) => inTurn(servers).verify(email, wrong(code, by)))),
  )
  const { rows } = await world.database.pool.query<any>(
    `select sum(c.attempts)::int as spent, a.otp_suspended_at is not null as suspended, count(c.code_hash)::int as active
     from one_time_codes c join api_accounts a on a.id = c.account_id where a.id = $1 group by a.id, a.otp_suspended_at`,
    [servers[0]!.account.accountId],
  )
  return { ...rows[0], failed: answers.filter(({ status }) => status === 'rejected').length }
}

describe('limits, asked for from several servers at once', () => {
  it('send exactly three of fifty', async () => {
    for (let round = 0; round < times(1); round++) expect(await manyRequests(await throughBoth(summit))).toBe(3)
  })

  it('count requests of different accounts and events for one mailbox together', async () => {
    const servers = [...(await throughBoth(summit)), ...(await throughBoth(await world.event()))]
    expect(await manyRequests(servers)).toBe(3)
  })

  it('stop an account at its hundredth wrong guess and not one later', async () => {
    expect(await wrongGuesses(await throughBoth(summit))).toEqual({ spent: 100, suspended: true, active: 0, failed: 0 })
  })

  it.runIf(postgres)('hold nothing without the locks', async () => {
    await world.database.pool.query(`create function public.pg_advisory_xact_lock(bigint) returns void language plpgsql as $$ begin end $$`)
    const name = new URL(world.url!).pathname.slice(1)
    await world.database.pool.query(`alter database "${name}" set search_path = public, pg_catalog`)
    // Those who wait for each other are told so at once, not after a second each.
    await world.database.pool.query(`alter database "${name}" set deadlock_timeout = '20ms'`)
    const unlocked = (await serversOf(world)).at(-1)!
    // At one event the unique index would still keep them apart.
    const places: SigningIn[] = []
    for (let i = 0; i < 10; i++) places.push(await assistantAt(unlocked, await world.event()))
    expect(await manyRequests(places)).toBeGreaterThan(3)
    // More are evaluated than the account has, or those that would stop it wait for each other until the database ends some of them.
    const { spent, failed } = await wrongGuesses([await assistantAt(unlocked, summit)])
    expect(spent > 100 || failed > 0).toBe(true)
  })
})
