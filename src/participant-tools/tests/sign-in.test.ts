import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { liftOtpSuspension } from '../../domains/access/client-account-edits.ts'
import type { ClientContext } from '../../kernel/context.ts'
import {
  assistantAt,
  listCodeEmails,
  extractCode,
  readLatestCode,
  type SignInCalls,
  chooseWrongCode,
} from '../../../test/support/sign-in-codes.ts'
import { createApiAccountAt, personHandle, createRegistrationAt } from '../../../test/support/participants.ts'
import { type EventHandle, newWorld, type World } from '../../../test/support/world.ts'

let world: World
let summit: EventHandle
let concierge: SignInCalls

beforeAll(async () => {
  world = await newWorld()
  summit = await world.event({ at: await world.client({ code: 'acme' }), code: 'summit', name: 'Acme Summit' })
  concierge = await assistantAt(world, summit)
})
afterAll(() => world.end())

const rows = async (text: string, values: unknown[] = []) => (await world.database.pool.query<any>(text, values)).rows
const newest = async (email: string) =>
  (await rows(`select * from one_time_codes where email_norm = lower($1) order by id desc limit 1`, [email]))[0]

let made = 0
const newEmail = () => `attendee-${++made}@example.org`

const EXPIRED = { verified: false, reason: 'expired_or_missing' }
const RATE = 'OTP rate limit exceeded for this email — try again in an hour'
const QUOTA = 'Daily OTP quota exceeded for this API account'
const SUSPENDED = 'Sign-in codes are suspended for this API account; an administrator can lift it'

describe('agent_request_otp', () => {
  it('emails a code that starts with the account’s name and contains no link', async () => {
    const email = 'Petra.Both@Example.org'
    expect(await concierge.request(email)).toEqual({ sent: true, expiresInSeconds: 900 })
    const [mail] = await listCodeEmails(world, email)
    expect(mail!.text).toMatch(/^Concierge by Acme requested this code to sign you in to Acme Summit\./)
    expect(mail!.text).toMatch(/Your code: \d{6}\n/)
    expect(mail!.text).toContain('for 15 minutes')
    expect(mail!.text).toContain('If you did not request this code, ignore this email.')
    const shown = mail!.html.replace(/^[\s\S]*<body/, '<body').replaceAll(/<[^>]*>/g, ' ')
    expect(shown.trim()).toMatch(/^Concierge by Acme/)
    expect(mail!.html).toContain(extractCode(mail!))
    for (const body of [mail!.text, mail!.html]) expect(body).not.toMatch(/<a\b|<img\b|https?:\/\/(?!www\.w3)/)
    expect(mail!.status).toBe('queued')
  })

  it('stores only a hash of the code, and only while the code is valid', async () => {
    const email = newEmail()
    const code = await concierge.requestCode(email)
    const kept = await newest(email)
    expect(kept.code_hash).toMatch(/^[\w-]{43}$/)
    expect(JSON.stringify(kept)).not.toContain(code)
    const before = await concierge.requestCode(email)
    expect(await rows(`select code_hash from one_time_codes where id = $1`, [kept.id])).toEqual([{ code_hash: null }])
    await concierge.verify(email, before)
    expect((await newest(email)).code_hash).toBeNull()
  })

  it('responds and sends the same email for registered and unknown addresses', async () => {
    const [known, unknown] = ['known-one@example.org', 'other-one@example.org']
    await createRegistrationAt(world, summit, { email: known })
    expect(await concierge.request(known)).toEqual(await concierge.request(unknown))
    const [one, other] = [(await listCodeEmails(world, known))[0]!, (await listCodeEmails(world, unknown))[0]!]
    const blank = (text: string) => text.replaceAll(/\b\d{6}\b/g, '______')
    expect(blank(one.text)).toBe(blank(other.text))
    expect(blank(one.html)).toBe(blank(other.html))
    expect(one.subject).toBe(other.subject)
  })

  it('emails sign-in codes in test mode too', async () => {
    const trial = await world.event({ at: summit, code: 'trial' })
    await rows(`update events set test_mode = true where id = $1`, [trial.eventId])
    const email = newEmail()
    await (await assistantAt(world, trial, concierge.account)).request(email)
    expect((await listCodeEmails(world, email))[0]!.status).toBe('queued')
  })

  it('rejects an invalid email address before it sends a code', async () => {
    expect((await concierge.refusedRequest('absent')).fields).toEqual([{ path: 'email', message: '"absent": not an email address' }])
  })

  it('sends at most three sign-in codes an hour to one address, across all events, accounts and tenants', async () => {
    const email = 'Window@example.org'
    const elsewhere = await world.event({ at: await world.client({ tenant: 'other', code: 'elsewhere' }) })
    const others = [await assistantAt(world, elsewhere), await assistantAt(world, await world.event({ at: summit }))]
    await world.clock.stopAt('2026-11-03T10:00:00Z')
    await concierge.request(email)
    await world.clock.stopAt('2026-11-03T10:20:00Z')
    await others[0]!.request('window@EXAMPLE.org')
    await world.clock.stopAt('2026-11-03T10:40:00Z')
    await others[1]!.request(email)
    for (const at of ['10:40:01', '10:59:59', '10:59:59.999']) {
      await world.clock.stopAt(`2026-11-03T${at}Z`)
      expect(await concierge.refusedRequest(email)).toMatchObject({ code: 'limit_exceeded', message: RATE, text: RATE })
    }
    await world.clock.stopAt('2026-11-03T11:00:01Z')
    expect(await concierge.request(email)).toEqual({ sent: true, expiresInSeconds: 900 })
    // Rejected requests do not count: the next code is allowed when the second code is an hour old.
    await world.clock.stopAt('2026-11-03T11:19:59Z')
    expect((await concierge.refusedRequest(email)).message).toBe(RATE)
    await world.clock.stopAt('2026-11-03T11:20:00Z')
    await concierge.request(email)
    expect((await concierge.refusedRequest(email)).message).toBe(RATE)
    expect(await listCodeEmails(world, email)).toHaveLength(4)
    await world.clock.reset()
  })

  it('sends at most two hundred sign-in codes a day through one account', async () => {
    const busy = await assistantAt(world, summit)
    await rows(
      `insert into one_time_codes (tenant_id, id, purpose, event_id, email_norm, account_id, created_at, expires_at)
       select $1, lpad(to_hex(i), 24, '0'), 'assistant', $2, 'bulk-' || i || '@example.org', $3,
         lanyard_now() - interval '23 hours 59 minutes', lanyard_now() from generate_series(1, 199) i`,
      [summit.tenantId, summit.eventId, busy.account.accountId],
    )
    await busy.request(newEmail())
    expect(await busy.refusedRequest(newEmail())).toMatchObject({ code: 'limit_exceeded', message: QUOTA, text: QUOTA })
    await concierge.request(newEmail())
    await world.clock.advance('2 minutes')
    await busy.request(newEmail())
    await world.clock.reset()
  })
})

describe('agent_verify_otp', () => {
  it('opens a sign-in session of one hour with the right code, and accepts the code only once', async () => {
    const email = newEmail()
    await createRegistrationAt(world, summit, { email })
    const code = await concierge.requestCode(email)
    const opened = await concierge.verify(email.toUpperCase(), ` ${code.slice(0, 3)} ${code.slice(3)} `)
    expect(opened).toEqual({
      verified: true,
      session: { token: expect.stringMatching(/^lps_[\w-]{43}$/), expiresAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      participantExists: true,
    })
    const [kept] = await rows(
      `select expires_at - created_at = interval '1 hour' as hour from participant_sessions order by created_at desc`,
    )
    expect(kept.hour).toBe(true)
    const person = personHandle(world, { ...concierge.account, email, session: opened.session.token, participantIds: [] })
    expect(await person.call('fixture_whoami')).toMatchObject({ registrations: 1 })
    expect(await concierge.verify(email, code)).toEqual(EXPIRED)
  })

  it.each([
    ['incomplete', true],
    ['waitlisted', true],
    ['cancelled', false],
  ] as const)('reports after sign-in whether the person is registered: %s', async (status, participantExists) => {
    const email = newEmail()
    await createRegistrationAt(world, summit, { email, status })
    expect(await concierge.verify(email, await concierge.requestCode(email))).toMatchObject({ verified: true, participantExists })
  })

  it('gives no access to a registration created later until a new code is verified', async () => {
    const email = newEmail()
    const first = await concierge.verify(email, await concierge.requestCode(email))
    expect(first.participantExists).toBe(false)
    await createRegistrationAt(world, summit, { email })
    const early = personHandle(world, { ...concierge.account, email, session: first.session.token, participantIds: [] })
    expect((await early.refused('fixture_list_wishes')).message).toBe('No verified participant identity for this run.')
    expect((await early.refused('fixture_get_wish')).message).toBe('No participant identity available')
    const { session } = await concierge.verify(email, await concierge.requestCode(email))
    expect(await early.with({ session: session.token }).call('fixture_list_wishes')).toMatchObject({ wishes: [] })
  })

  it('counts wrong sign-in codes, and invalidates the right code after the third wrong one', async () => {
    const email = newEmail()
    const code = await concierge.requestCode(email)
    for (const attemptsRemaining of [2, 1, 0]) {
      expect(await concierge.verify(email, chooseWrongCode(code))).toEqual({ verified: false, reason: 'wrong_code', attemptsRemaining })
    }
    expect(await concierge.verify(email, code)).toEqual(EXPIRED)
    expect(await newest(email)).toMatchObject({ attempts: 3, used_at: null, code_hash: null })
    expect((await newest(email)).burned_at).not.toBeNull()
  })

  it('accepts the right sign-in code after two wrong ones', async () => {
    const email = newEmail()
    const code = await concierge.requestCode(email)
    for (const by of [1, 2]) await concierge.verify(email, chooseWrongCode(code, by))
    expect(await concierge.verify(email, code)).toMatchObject({ verified: true })
    expect(await concierge.verify(email, chooseWrongCode(code))).toEqual(EXPIRED)
  })

  it('accepts a sign-in code for fifteen minutes', async () => {
    const [late, later] = [newEmail(), newEmail()]
    await world.clock.stopAt('2026-11-04T09:00:00Z')
    const [one, two] = [await concierge.requestCode(late), await concierge.requestCode(later)]
    await world.clock.stopAt('2026-11-04T09:14:59.999Z')
    expect(await concierge.verify(late, one)).toMatchObject({ verified: true })
    await world.clock.stopAt('2026-11-04T09:15:00Z')
    expect(await concierge.verify(later, two)).toEqual(EXPIRED)
    expect(await concierge.verify(later, chooseWrongCode(two))).toEqual(EXPIRED)
    await world.clock.reset()
  })

  it('counts an older sign-in code as a wrong attempt, and reports no remaining attempts after the third', async () => {
    const email = newEmail()
    const older = await concierge.requestCode(email)
    let newer = await concierge.requestCode(email)
    if (newer === older) newer = await concierge.requestCode(email)
    expect(await concierge.verify(email, older)).toEqual({ verified: false, reason: 'wrong_code', attemptsRemaining: 2 })
    expect(await concierge.verify(email, newer)).toMatchObject({ verified: true })
    expect(await concierge.verify(email, older)).toEqual(EXPIRED)
  })

  it('accepts a sign-in code only at its event, for its address and through its account', async () => {
    const email = newEmail()
    const code = await concierge.requestCode(email)
    const others = [
      await assistantAt(world, summit, await createApiAccountAt(world, summit, 'Another')),
      await assistantAt(world, await world.event({ at: summit }), concierge.account),
    ]
    for (const other of others) expect(await other.verify(email, code)).toEqual(EXPIRED)
    expect(await concierge.verify(newEmail(), code)).toEqual(EXPIRED)
    expect(await concierge.verify(email, code)).toMatchObject({ verified: true })
  })

  it('does not count sign-in codes of the wrong length or with other characters as attempts', async () => {
    const email = newEmail()
    const code = await concierge.requestCode(email)
    const caller = personHandle(world, { ...concierge.account, email, session: null, participantIds: [] })
    for (const typed of ['12345', '1234567', 'abcdef', '12-456', '١٢٣٤٥٦', '']) {
      const refused = await caller.refused('agent_verify_otp', { ...concierge.at, email, code: typed })
      expect(refused.code).toBe('invalid_arguments')
      expect(refused.fields).toMatchObject([{ path: 'code' }])
      if (typed) expect(refused.text).not.toContain(typed)
    }
    expect((await newest(email)).attempts).toBe(0)
    expect(await concierge.verify(email, code)).toMatchObject({ verified: true })
  })
})

describe('limit of wrong codes per account', () => {
  const SPRAYED = '100 wrong codes were given in 24 hours'

  async function spray(assistant: SignInCalls, guesses: number, perCode = 3): Promise<unknown[]> {
    const answers: unknown[] = []
    for (let email = newEmail(), left = 0, code = ''; answers.length < guesses; left--) {
      if (left === 0) {
        email = newEmail()
        code = await assistant.requestCode(email)
        left = perCode
      }
      answers.push(await assistant.verify(email, chooseWrongCode(code)))
    }
    return answers
  }

  const suspension = async (assistant: SignInCalls) =>
    (
      await rows(`select otp_suspended_at as at, otp_suspended_reason as reason from api_accounts where id = $1`, [
        assistant.account.accountId,
      ])
    )[0]

  const lift = (assistant: SignInCalls) =>
    world.database.transact((db) => {
      const client = { id: summit.clientId, code: 'acme', name: 'acme', roles: ['admin'] }
      const ctx = { ...summit, db, client, access: { clients: [client], staff: [] }, audit: { targets: [] } }
      return liftOtpSuspension(ctx as unknown as ClientContext, assistant.account.accountId)
    })

  it('suspends the account after a hundred wrong codes a day, invalidates its codes, emails administrators, and keeps sessions', async () => {
    const admin = await world.organizer({ at: summit, email: 'admin@example.org' })
    await world.organizer({ at: summit, role: 'registrar', email: 'registrar@example.org' })
    await world.organizer({ at: await world.client(), email: 'elsewhere@example.org' })
    const sprayed = await assistantAt(world, summit)
    const [early, waiting] = [newEmail(), newEmail()]
    const { session } = await sprayed.verify(early, await sprayed.requestCode(early))
    const unused = await sprayed.requestCode(waiting)
    const answers = await spray(sprayed, 99)
    expect((await suspension(sprayed)).at).toBeNull()
    expect(answers.at(-1)).toEqual({ verified: false, reason: 'wrong_code', attemptsRemaining: 0 })
    // The 34th address: its first attempt is the hundredth.
    expect(await spray(sprayed, 1)).toEqual([{ verified: false, reason: 'wrong_code', attemptsRemaining: 0 }])
    expect(await suspension(sprayed)).toMatchObject({ at: expect.any(Date), reason: SPRAYED })
    expect(await sprayed.refusedRequest(newEmail())).toMatchObject({ code: 'precondition_failed', message: SUSPENDED })
    expect(await sprayed.verify(waiting, unused)).toEqual(EXPIRED)
    const active = await rows(
      `select from one_time_codes where account_id = $1 and used_at is null and burned_at is null and superseded_at is null`,
      [sprayed.account.accountId],
    )
    expect(active).toEqual([])
    await personHandle(world, { ...sprayed.account, email: early, session: session.token, participantIds: [] }).call('fixture_whoami')
    const suspensionEmails = await rows(`select to_address, text_body from messages where email_code = 'otp-suspended'`)
    expect(suspensionEmails.map(({ to_address }) => to_address)).toEqual([admin.email])
    expect(suspensionEmails[0].text_body).toContain(`/console/clients/acme/accounts/${sprayed.account.accountId}`)
    const [audit] = await rows(`select targets from audit_entries where tool = 'agent_verify_otp' order by id desc limit 1`)
    expect(audit.targets.map(({ kind }: { kind: string }) => kind)).toEqual(['oneTimeCode', 'apiAccount'])
    // Other accounts are not affected, and after reactivation the count starts at zero.
    await concierge.request(newEmail())
    await lift(sprayed)
    await spray(sprayed, 1)
    expect((await suspension(sprayed)).at).toBeNull()
  })

  it('does not count wrong codes older than a day', async () => {
    const slow = await assistantAt(world, summit)
    // Two wrong attempts each leave the codes valid.
    await spray(slow, 60, 2)
    await world.clock.advance('24 hours 1 second')
    await spray(slow, 99, 2)
    expect((await suspension(slow)).at).toBeNull()
    await spray(slow, 1, 2)
    expect((await suspension(slow)).at).not.toBeNull()
    await world.clock.reset()
  })

  it('suspends the account if more than half of its last fifty sign-in codes were invalidated', async () => {
    const half = await assistantAt(world, summit)
    const codes = (from: number, until: number, burned: boolean) =>
      rows(
        `insert into one_time_codes (tenant_id, id, purpose, event_id, email_norm, account_id, created_at, expires_at, used_at, burned_at)
         select $1, 'ff' || lpad(to_hex(i), 22, '0'), 'assistant', $2, 'half-' || i || '@example.org', $3, lanyard_now() - interval '1 hour' + i * interval '1 second',
           lanyard_now(), case when $6 then null else lanyard_now() end, case when $6 then lanyard_now() end from generate_series($4::int, $5::int) i`,
        [summit.tenantId, summit.eventId, half.account.accountId, from, until, burned],
      )
    await codes(1, 24, false)
    await codes(25, 48, true)
    // 49 codes were sent, 25 of them invalidated: the rule applies from fifty codes.
    await spray(half, 3)
    expect((await suspension(half)).at).toBeNull()
    // Fifty codes were sent, and exactly half of them invalidated.
    const honest = newEmail()
    await half.verify(honest, await half.requestCode(honest))
    await spray(half, 1)
    expect((await suspension(half)).at).toBeNull()
    await spray(half, 3)
    expect((await suspension(half)).reason).toBe('more than half of the last 50 codes were burned by wrong guesses')
  })

  it('never suspends an account because of one mistyped code in twenty', async () => {
    const honest = await assistantAt(world, summit)
    for (let i = 0; i < 60; i++) {
      const email = newEmail()
      const code = await honest.requestCode(email)
      if (i % 20 === 7) await honest.verify(email, chooseWrongCode(code))
      expect(await honest.verify(email, code)).toMatchObject({ verified: true })
    }
    expect((await suspension(honest)).at).toBeNull()
  })
})

it('stores a sign-in code as a keyed hash over event, address, account and code', async () => {
  const email = newEmail()
  const code = await concierge.requestCode(email)
  const { code_hash } = await newest(email)
  const { eventId } = summit
  const text = `otp.v1|assistant|${eventId}|${email}|${concierge.account.accountId}|${code}`
  expect(world.services.keys.sign('one-time codes', text)).toBe(code_hash)
  expect(await readLatestCode(world, email)).toBe(code)
})
