import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../../kernel/ids.ts'
import { newContext } from '../../../kernel/new-context.ts'
import type { SignInContext } from '../../../kernel/participant-tool.ts'
import { readLatestCode, chooseWrongCode } from '../../../../test/support/sign-in-codes.ts'
import { createApiAccountAt } from '../../../../test/support/participants.ts'
import { chooseForSoak, soakSeed, soakRounds } from '../../../../test/support/soak.ts'
import { type EventHandle, newWorld, type World } from '../../../../test/support/world.ts'
import { sendAssistantSignInCode, verifyAssistantSignInCode } from '../assistant-codes.ts'

/** Compares generated histories of codes with a model without a database. */

/** Number of generated histories: 20,000 in a soak run. */
const HISTORIES = chooseForSoak(soakRounds(1000), 75)
const START = Date.parse('2027-01-01T10:00:00Z')
const [HOUR, DAY] = [3600, 86_400]

let world: World
let events: EventHandle[]
let accounts: { id: string; name: string }[]

beforeAll(async () => {
  world = await newWorld()
  const client = await world.client()
  events = [await world.event({ at: client }), await world.event({ at: client })]
  accounts = []
  for (const name of ['One', 'Two']) accounts.push({ id: (await createApiAccountAt(world, client, name)).accountId, name })
  // The clock reads its time from a table row, because a history has many points in time.
  await world.database.pool.query(`create table fixture_clock (at timestamptz not null)`)
  await world.database.pool.query(`insert into fixture_clock values (to_timestamp($1))`, [START / 1000])
  await world.database.pool.query(
    `create or replace function lanyard_now() returns timestamptz language sql volatile parallel safe as $$ select at from fixture_clock $$`,
  )
})
afterAll(() => world.end())

interface Whose {
  account: 0 | 1
  event: 0 | 1
  email: 0 | 1
}

type Step =
  | ({ kind: 'request' } & Whose)
  | ({ kind: 'guess'; code: 'newest' | 'older' | 'wrong' | 'foreign' } & Whose)
  | { kind: 'wait'; seconds: number }

interface Begun {
  /** The number of earlier wrong guesses of the first account, and how long ago they were. */
  spent: number
  ago: number
}

interface Code {
  whose: string
  account: number
  email: number
  code: string
  at: number
  attempts: number
  over: boolean
  burned: boolean
}

/** The rules for codes in the specification, as a model in memory. Seconds count from the start of the history. */
class Model {
  now = 0
  readonly codes: Code[] = []
  readonly wrongAt: number[][] = [[], []]
  readonly suspended = [false, false]

  request({ account, event, email }: Whose): string | null {
    if (this.codes.filter((one) => one.email === email && one.at > this.now - HOUR).length >= 3)
      return 'OTP rate limit exceeded for this email — try again in an hour'
    if (this.codes.filter((one) => one.account === account && one.at > this.now - DAY).length >= 200)
      return 'Daily OTP quota exceeded for this API account'
    if (this.suspended[account]) return 'Sign-in codes are suspended for this API account; an administrator can lift it'
    for (const one of this.codes) if (one.whose === whoseOf({ account, event, email })) one.over = true
    return null
  }

  issued(whose: Whose, code: string): void {
    this.codes.push({ ...whose, whose: whoseOf(whose), code, at: this.now, attempts: 0, over: false, burned: false })
  }

  guess(whose: Whose, code: string): object {
    const active = this.codes.find((one) => one.whose === whoseOf(whose) && !one.over && this.now < one.at + 900)
    if (!active) return { verified: false, reason: 'expired_or_missing' }
    if (active.code === code) {
      active.over = true
      return { verified: true }
    }
    active.attempts++
    if (active.attempts === 3) active.over = true
    const spent = this.wrongAt[whose.account]!
    spent.push(this.now)
    if (spent.filter((at) => at > this.now - DAY).length >= 100) {
      this.suspended[whose.account] = true
      for (const one of this.codes) if (one.account === whose.account) one.over = true
    }
    return { verified: false, reason: 'wrong_code', attemptsRemaining: active.over ? 0 : 3 - active.attempts }
  }
}

const whoseOf = ({ account, event, email }: Whose) => `${account} ${event} ${email}`

let histories = 0

/** Runs a generated history against the real code, on its own rows, and compares each result with the model. */
async function matchesModel(steps: readonly Step[], { spent, ago }: Begun): Promise<void> {
  const emails = [`first-${++histories}@example.org`, `second-${histories}@example.org`]
  const { pool } = world.database
  const model = new Model()
  for (const table of ['one_time_codes', 'messages', 'participant_sessions']) await pool.query(`delete from ${table}`)
  await pool.query(`update api_accounts set otp_suspended_at = null, otp_suspended_reason = null`)
  await moveTo(0)
  for (let i = 0; i < spent; i++) model.wrongAt[0]!.push(-ago)
  await pool.query(
    `insert into one_time_codes (tenant_id, id, purpose, event_id, email_norm, account_id, attempts, wrong_at, created_at, expires_at, used_at)
     select $1, lpad(to_hex(i), 24, '0'), 'assistant', $2, 'before-' || i, $3, 1, array[to_timestamp($4)], to_timestamp($4), to_timestamp($4), to_timestamp($4)
     from generate_series(1, $5::int) i`,
    [events[0]!.tenantId, events[0]!.eventId, accounts[0]!.id, START / 1000 - ago, spent],
  )
  for (let i = 0; i < spent; i++)
    model.codes.push({ whose: '', account: 0, email: -1, code: '', at: -ago, attempts: 1, over: true, burned: false })
  const sentCodes = new Map<string, string[]>()

  async function moveTo(second: number): Promise<void> {
    model.now = second
    await pool.query(`update fixture_clock set at = to_timestamp($1)`, [START / 1000 + second])
  }

  for (const step of steps) {
    if (step.kind === 'wait') {
      await moveTo(model.now + step.seconds)
      continue
    }
    const email = emails[step.email]!
    if (step.kind === 'request') {
      const refused = model.request(step)
      const answer = await acting(step, (ctx) => sendAssistantSignInCode(ctx, { email })).catch((error: Error) => error.message)
      expect(answer).toEqual(refused ?? { sent: true, expiresInSeconds: 900 })
      if (refused !== null) continue
      const code = await readLatestCode(world, email)
      model.issued(step, code)
      sentCodes.set(whoseOf(step), [code, ...(sentCodes.get(whoseOf(step)) ?? [])])
    } else {
      const own = sentCodes.get(whoseOf(step)) ?? []
      const foreign = [...sentCodes].find(([whose]) => whose !== whoseOf(step))?.[1][0]
      const code = { newest: own[0], older: own[1], foreign, wrong: own[0] && chooseWrongCode(own[0]) }[step.code] ?? '123456'
      const {
        session,
        participantExists: _exists,
        ...answer
      } = (await acting(step, (ctx) => verifyAssistantSignInCode(ctx, { email, code }))) as any
      expect(answer).toEqual(model.guess(step, code))
      expect(session !== undefined).toBe(answer.verified)
    }
  }
}

function acting<T>({ account, event }: Whose, run: (ctx: SignInContext) => Promise<T>): Promise<T> {
  const at = events[event]!
  const by = accounts[account]!
  const actor = { kind: 'apiAccount' as const, id: by.id, name: by.name, app: { id: by.id, name: by.name } }
  return world.database.transact((db) =>
    run({
      ...newContext(world.services, { tenantId: at.tenantId, tenantCode: at.tenantCode, actor, cursorScope: newId() }, db),
      account: by,
      client: { id: at.clientId, code: at.clientCode, name: 'Client' },
      event: { id: at.eventId, code: at.eventCode, name: 'Event', status: 'published', timezone: 'UTC', currency: 'EUR', testMode: false },
    }),
  )
}

const one = fc.constantFrom<0 | 1>(0, 1)
const whose = { account: one, event: one, email: one }
/** Generated steps mostly use the same account, event and person, because otherwise codes are rarely guessed. */
const here = { account: fc.constant<0>(0), event: fc.constant<0>(0), email: fc.constant<0>(0) }
const request = fc.constant<'request'>('request')
const guess = {
  kind: fc.constant<'guess'>('guess'),
  code: fc.constantFrom<'newest' | 'older' | 'wrong' | 'foreign'>('newest', 'older', 'wrong', 'foreign'),
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: request, ...here }) },
  { weight: 2, arbitrary: fc.record({ kind: request, ...whose }) },
  { weight: 8, arbitrary: fc.record({ ...guess, ...here }) },
  { weight: 3, arbitrary: fc.record({ ...guess, ...whose }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant<'wait'>('wait'),
      seconds: fc.constantFrom(1, 60, 450, 899, 900, 901, 1200, 2700, 3599, 3600, DAY - 1, DAY),
    }),
  },
)
const begun = fc.record({ spent: fc.constantFrom(0, 0, 96, 98, 99), ago: fc.constantFrom(1, HOUR, DAY - 1, DAY - 900) })

it(`gives the same results as an independent model of one-time codes in ${HISTORIES} generated histories`, async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), begun, matchesModel), {
    numRuns: HISTORIES,
    seed: soakSeed(23),
  })
})
