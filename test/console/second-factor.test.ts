import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { computeTotpCode } from '../../src/domains/sign-in/totp.ts'
import { decodeShownSecret } from '../support/authenticator.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'
import { INITIAL_PASSWORD, ConsoleBrowser, withPassword } from './console-browser.ts'

const PATH = '/console/account/second-factor'
const STEP = 60_000_000
const at = (step: number) => new Date(step * 30_000 + 10_000).toISOString()

let world: World
let served: Served
let acme: ClientHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme' })
  served = await serve(world)
})
beforeEach(() => world.clock.stopAt(at(STEP)))
afterAll(() => world.end())

interface ProtectedUser {
  person: OrganizerHandle
  /** The browser session that set up the second factor. */
  visitor: ConsoleBrowser
  secret: Buffer
  recoveryCodes: string[]
}

/** Sets up the second factor through the console pages, which uses the one-time code of the time step STEP. */
async function setUpSecondFactor(): Promise<ProtectedUser> {
  const person = await withPassword(world, await world.organizer({ at: acme }))
  const visitor = await new ConsoleBrowser(served).enter(world, person)
  await visitor.submit(PATH, `${PATH}/begin`, { current: INITIAL_PASSWORD })
  const shown = await visitor.get(PATH)
  const secret = decodeShownSecret(shown.html)
  const confirmed = await visitor.submit(PATH, `${PATH}/confirm`, { code: computeTotpCode(secret, STEP) })
  const codes = await visitor.get(confirmed.location!)
  return { person, visitor, secret, recoveryCodes: codes.html.match(/[a-z2-7]{8}-[a-z2-7]{8}/g) ?? [] }
}

/** Returns a session that is signed in with the password and still needs the second factor. */
async function signInWithPassword({ person }: ProtectedUser): Promise<ConsoleBrowser> {
  const visitor = new ConsoleBrowser(served)
  const answer = await visitor.signIn(person.email, INITIAL_PASSWORD)
  expect(answer.location).toBe('/console/sign-in/totp?next=%2Fconsole')
  return visitor
}

describe('second factor setup', () => {
  it('shows a QR code and the secret, requires a first code, and shows ten recovery codes once', async () => {
    const person = await withPassword(world, await world.organizer({ at: acme }))
    const visitor = await new ConsoleBrowser(served).enter(world, person)
    const begun = await visitor.submit(PATH, `${PATH}/begin`, { current: INITIAL_PASSWORD })
    expect([begun.status, begun.location]).toEqual([303, PATH])
    const shown = await visitor.get(PATH)
    expect(shown.html).toMatch(/<svg class="qr".*role="img"/)
    expect(shown.headers.get('cache-control')).toBe('no-store')
    const secret = decodeShownSecret(shown.html)
    expect(secret).toHaveLength(20)

    const wrong = await visitor.submit(PATH, `${PATH}/confirm`, { code: '000000' })
    expect([wrong.status, wrong.text.includes('That code is not correct')]).toEqual([400, true])
    // An unconfirmed second factor is not required at sign-in, so that it locks no user out.
    expect((await new ConsoleBrowser(served).signIn(person.email, INITIAL_PASSWORD)).location).toBe('/console')

    const confirmed = await visitor.submit(PATH, `${PATH}/confirm`, { code: computeTotpCode(secret, STEP) })
    expect([confirmed.status, confirmed.location]).toEqual([303, PATH])
    const codes = await visitor.get(PATH)
    expect(new Set(codes.html.match(/[a-z2-7]{8}-[a-z2-7]{8}/g))).toHaveLength(10)
    const again = await visitor.get(PATH)
    expect(again.html).not.toMatch(/[a-z2-7]{8}-[a-z2-7]{8}/)
    expect(again.text).toContain('10 of 10')
  })

  it('requires the password to set up a second factor, with the same attempt limit as at sign-in', async () => {
    const person = await withPassword(world, await world.organizer({ at: acme }))
    const visitor = await new ConsoleBrowser(served).enter(world, person)
    const begin = (current: string) => visitor.submit(PATH, `${PATH}/begin`, { current })
    for (const wrong of ['', 'not the password']) {
      const page = await begin(wrong)
      expect([page.status, page.text.includes('That is not your current password.')]).toEqual([400, true])
    }
    const { rows } = await world.database.pool.query('select totp_secret from users where id = $1', [person.userId])
    expect(rows).toEqual([{ totp_secret: null }])
    for (let i = 0; i < 8; i++) await begin('not the password')
    const locked = await begin(INITIAL_PASSWORD)
    expect([locked.status, locked.text.includes('Too many failed attempts.')]).toEqual([400, true])
    expect((await new ConsoleBrowser(served).signIn(person.email, INITIAL_PASSWORD)).status).toBe(429)
  })

  it('expires the second factor setup after an hour if no first code is entered', async () => {
    const person = await withPassword(world, await world.organizer({ at: acme }))
    const visitor = await new ConsoleBrowser(served).enter(world, person)
    await visitor.submit(PATH, `${PATH}/begin`, { current: INITIAL_PASSWORD })
    const secret = decodeShownSecret((await visitor.get(PATH)).html)
    const later = STEP + 120
    await world.clock.stopAt(at(later))
    const page = await visitor.get(PATH)
    expect([page.html.includes('id="secret"'), page.text.includes('You need an authenticator app')]).toEqual([false, true])
    const late = await visitor.submit(PATH, `${PATH}/confirm`, { code: computeTotpCode(secret, later) })
    expect([late.status, (await new ConsoleBrowser(served).signIn(person.email, INITIAL_PASSWORD)).location]).toEqual([400, '/console'])
  })

  it('rejects replacing an active second factor without a current code', async () => {
    const it = await setUpSecondFactor()
    const again = await it.visitor.submit(PATH, `${PATH}/begin`, { current: INITIAL_PASSWORD })
    expect([again.status, again.text.includes('The second factor is already on.')]).toEqual([400, true])
    expect((await it.visitor.submit(PATH, `${PATH}/confirm`, { code: computeTotpCode(it.secret, STEP + 1) })).status).toBe(400)
    const pending = await signInWithPassword(it)
    expect((await pending.giveCode(computeTotpCode(it.secret, STEP + 1))).status).toBe(303)
  })

  it('stores the secret of a second factor in plain text in no log, audit entry or database table', async () => {
    const { person, secret, recoveryCodes } = await setUpSecondFactor()
    const { rows } = await world.database.pool.query<{ all: string }>(
      `select (select string_agg(t::text, '') from audit_entries t) || (select string_agg(t::text, '') from users t)
        || (select string_agg(t::text, '') from recovery_codes t) || (select coalesce(string_agg(t::text, ''), '') from messages t) as all`,
    )
    const everything = rows[0]!.all + served.logged.join('\n') + world.logged.join('\n')
    const canaries = [...recoveryCodes, secret.toString('hex'), secret.toString('base64'), INITIAL_PASSWORD]
    expect(canaries.filter((canary) => everything.includes(canary))).toEqual([])
    const audits = await world.database.pool.query<{ tool: string }>('select tool from audit_entries where actor_id = $1 order by id', [
      person.userId,
    ])
    expect(audits.rows.map(({ tool }) => tool)).toEqual(['begin_second_factor', 'confirm_second_factor'])
  })
})

describe('sign-in with a second factor', () => {
  it('grants access only after the one-time code of the second factor, under a new session cookie', async () => {
    const it = await setUpSecondFactor()
    const pending = await signInWithPassword(it)
    const waiting = pending.session
    const closed = await pending.get('/console/account')
    expect([closed.status, closed.location]).toEqual([303, '/console/sign-in/totp?next=%2Fconsole%2Faccount'])
    expect((await pending.giveCode('123 45')).status).toBe(401)
    const opened = await pending.giveCode(computeTotpCode(it.secret, STEP + 1).replace(/^(...)/, '$1 '))
    expect([opened.status, opened.location]).toEqual([303, '/console'])
    expect(pending.session).not.toBe(waiting)
    expect((await pending.get('/console/account')).status).toBe(200)
  })

  it('accepts the one-time codes of the current and the neighbouring time steps only', async () => {
    const it = await setUpSecondFactor()
    await world.clock.stopAt(at(STEP + 10))
    const tried: number[] = []
    for (const step of [STEP + 8, STEP + 12, STEP + 9, STEP + 11]) {
      const pending = await signInWithPassword(it)
      tried.push((await pending.giveCode(computeTotpCode(it.secret, step))).status)
    }
    expect(tried).toEqual([401, 401, 303, 303])
  })

  it('accepts a one-time code only once, and no older code afterwards', async () => {
    const it = await setUpSecondFactor()
    const code = computeTotpCode(it.secret, STEP + 1)
    expect((await (await signInWithPassword(it)).giveCode(code)).status).toBe(303)
    expect((await (await signInWithPassword(it)).giveCode(code)).status).toBe(401)
    expect((await (await signInWithPassword(it)).giveCode(computeTotpCode(it.secret, STEP))).status).toBe(401)
  })

  it('accepts a one-time code only once, also in concurrent requests', async () => {
    const it = await setUpSecondFactor()
    const pendingSessions = await Promise.all(Array.from({ length: 5 }, () => signInWithPassword(it)))
    const answers = await Promise.all(pendingSessions.map((pending) => pending.giveCode(computeTotpCode(it.secret, STEP + 1))))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 401, 401, 401, 401])
  })

  it('accepts each recovery code once, with or without the dash, also concurrently', async () => {
    const it = await setUpSecondFactor()
    const [first = '', second = ''] = it.recoveryCodes
    expect((await (await signInWithPassword(it)).giveCode(first.toUpperCase().replace('-', ' '))).status).toBe(303)
    expect((await (await signInWithPassword(it)).giveCode(first)).status).toBe(401)
    const pendingSessions = await Promise.all([signInWithPassword(it), signInWithPassword(it)])
    const answers = await Promise.all(pendingSessions.map((pending) => pending.giveCode(second)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 401])
    expect((await it.visitor.get(PATH)).text).toContain('8 of 10')
  })
})

describe('changes of the second factor', () => {
  it('replaces all recovery codes after a valid one-time code', async () => {
    const it = await setUpSecondFactor()
    expect((await it.visitor.submit(PATH, `${PATH}/change`, { code: '000000', what: 'codes' })).status).toBe(400)
    await it.visitor.submit(PATH, `${PATH}/change`, { code: computeTotpCode(it.secret, STEP + 1), what: 'codes' })
    const fresh = (await it.visitor.get(PATH)).html.match(/[a-z2-7]{8}-[a-z2-7]{8}/g)!
    expect(fresh).toHaveLength(10)
    expect((await (await signInWithPassword(it)).giveCode(it.recoveryCodes[0]!)).status).toBe(401)
    expect((await (await signInWithPassword(it)).giveCode(fresh[0]!)).status).toBe(303)
  })

  it('turns the second factor off only with a one-time code or a recovery code', async () => {
    const it = await setUpSecondFactor()
    expect((await it.visitor.submit(PATH, `${PATH}/change`, { what: 'off' })).status).toBe(400)
    expect((await it.visitor.submit(PATH, `${PATH}/change`, { code: computeTotpCode(it.secret, STEP), what: 'off' })).status).toBe(400)
    const off = await it.visitor.submit(PATH, `${PATH}/change`, { code: it.recoveryCodes[0]!, what: 'off' })
    expect([off.status, off.location]).toEqual([303, '/console/account?done=factor-off'])
    expect((await new ConsoleBrowser(served).signIn(it.person.email, INITIAL_PASSWORD)).location).toBe('/console')
  })
})
