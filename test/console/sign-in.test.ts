import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPasswordLink, setPassword, setPasswordThroughLink } from '../../src/domains/sign-in/passwords.ts'
import { requestPasswordReset, signIn } from '../../src/domains/sign-in/sign-in.ts'
import { cleanUpSignInData } from '../../src/domains/sign-in/cleanup.ts'
import { startTotpSetup, confirmTotpSetup, computeTotpCode } from '../../src/domains/sign-in/totp.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue } from '../support/visitor.ts'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'
import { INITIAL_PASSWORD, ConsoleBrowser, withPassword } from './console-browser.ts'

const WRONG = 'The email or password is not correct.'
const WAIT = 'Too many failed sign-ins. Wait 15 minutes, then try again.'

let world: World
let served: Served
let acme: ClientHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme' })
  served = await serve(world, { env: { LANYARD_TRUSTED_PROXIES: '127.0.0.1,::1' } })
})
beforeEach(() => world.clock.reset())
afterAll(() => world.end())

const newUser = async () => withPassword(world, await world.organizer({ at: acme }))
let addresses = 0
const newAddress = () => `198.18.${++addresses >> 8}.${addresses & 255}`

/** Makes the given number of concurrent sign-ins with a wrong password and counts each error message. */
async function failSignIns(times: number, email: (i: number) => string, address: (i: number) => string) {
  const answers = await Promise.all(
    Array.from({ length: times }, (_, i) => new ConsoleBrowser(served, { address: address(i) }).signIn(email(i), 'not the password')),
  )
  return answers.map(({ status }) => status)
}

/** Inserts failed sign-ins directly, because verifying a password is slow on purpose. */
const insertFailures = (times: number, email: (i: number) => string, address: string) =>
  world.database.pool.query('insert into sign_in_failures (account, address) select a, $2 from unnest($1::text[]) a', [
    Array.from({ length: times }, (_, i) => email(i)),
    address,
  ])

const listEmails = async ({ email }: { email: string }, code: string) => {
  const { rows } = await world.database.pool.query<{ text: string }>(
    'select text_body as text from messages where to_address = $1 and email_code = $2 order by id',
    [email, code],
  )
  return rows.map(({ text }) => text)
}

const count = (statuses: number[], status: number) => statuses.filter((one) => one === status).length

describe('failed sign-ins', () => {
  it('shows the same message for a wrong password, an unknown user, a user without a password and a deactivated user', async () => {
    const [known, fresh, gone] = [await newUser(), await world.organizer({ at: acme }), await newUser()]
    await world.database.pool.query('update users set active = false where id = $1', [gone.userId])
    const tries: [email: string, password: string][] = [
      [known.email, 'not the password'],
      ['absent@example.org', INITIAL_PASSWORD],
      [fresh.email, ''],
      [gone.email, INITIAL_PASSWORD],
    ]
    for (const [email, password] of tries) {
      const page = await new ConsoleBrowser(served, { address: newAddress() }).signIn(email, password)
      expect([email, page.status, page.text.includes(WRONG)]).toEqual([email, 401, true])
    }
  })

  it('verifies one password hash for every email address, so that failed sign-ins take the same time', async () => {
    const person = await newUser()
    const checked: boolean[] = []
    const passwords = { hash: async () => '', verify: async (hash: string | null) => (checked.push(hash !== null), false) }
    const parts = { database: world.database, baseUrl: world.services.baseUrl, passwords }
    for (const email of [person.email, 'absent@example.org'])
      expect(await signIn(parts, { email, password: 'x', address: newAddress(), browser: { userAgent: '' } })).toEqual({ kind: 'wrong' })
    expect(checked).toEqual([true, false])
  })

  it('locks an account after ten failed sign-ins, notifies the owner once, and unlocks the account after 15 minutes', async () => {
    const person = await newUser()
    expect(await failSignIns(9, () => person.email, newAddress)).toEqual(Array(9).fill(401))
    expect(await listEmails(person, 'sign-in-locked')).toEqual([])
    expect(await failSignIns(1, () => person.email.toUpperCase(), newAddress)).toEqual([401])
    expect(await listEmails(person, 'sign-in-locked')).toHaveLength(1)
    const locked = await new ConsoleBrowser(served, { address: newAddress() }).signIn(person.email, INITIAL_PASSWORD)
    expect([locked.status, locked.text.includes(WAIT)]).toEqual([429, true])
    await world.clock.advance('14 minutes')
    expect(await failSignIns(3, () => person.email, newAddress)).toEqual([429, 429, 429])
    await world.clock.advance('2 minutes')
    const open = await new ConsoleBrowser(served, { address: newAddress() }).signIn(person.email, INITIAL_PASSWORD)
    expect([open.status, open.location]).toEqual([303, '/console'])
    expect(await listEmails(person, 'sign-in-locked')).toHaveLength(1)
  })

  it('notifies the owner at most once an hour when the account is locked repeatedly', async () => {
    const person = await newUser()
    const lock = async () => {
      await insertFailures(9, () => person.email, newAddress())
      expect(await failSignIns(1, () => person.email, newAddress)).toEqual([401])
    }
    const mails = async () => (await listEmails(person, 'sign-in-locked')).length
    await world.clock.stopAt('2026-11-02T09:05:00Z')
    await lock()
    await world.clock.stopAt('2026-11-02T09:25:00Z')
    await lock()
    await world.clock.stopAt('2026-11-02T09:59:00Z')
    await lock()
    expect(await mails()).toBe(1)
    await world.clock.stopAt('2026-11-02T10:20:00Z')
    await lock()
    expect(await mails()).toBe(2)
  })

  it('shows the message of a locked account also after ten failed sign-ins of an unknown user', async () => {
    expect(await failSignIns(10, () => 'ghost@example.org', newAddress)).toEqual(Array(10).fill(401))
    const locked = await new ConsoleBrowser(served, { address: newAddress() }).signIn('ghost@example.org', 'x')
    expect([locked.status, locked.text.includes(WAIT)]).toEqual([429, true])
  })

  it('counts sign-ins before verification: of thirty concurrent attempts at most ten are verified', async () => {
    const person = await newUser()
    const statuses = await failSignIns(30, () => person.email, newAddress)
    expect(count(statuses, 401)).toBeLessThanOrEqual(10)
    expect(count(statuses, 401) + count(statuses, 429)).toBe(30)
  })

  it('locks an IP address after fifty failed sign-ins across accounts, without affecting other addresses', async () => {
    const person = await newUser()
    const address = newAddress()
    await insertFailures(47, (i) => `guess-${i}@example.org`, address)
    expect(
      await failSignIns(
        3,
        (i) => `more-${i}@example.org`,
        () => address,
      ),
    ).toEqual([401, 401, 401])
    expect((await new ConsoleBrowser(served, { address }).signIn(person.email, INITIAL_PASSWORD)).status).toBe(429)
    expect((await new ConsoleBrowser(served, { address: newAddress() }).signIn(person.email, INITIAL_PASSWORD)).status).toBe(303)
  })

  it('counts the failed sign-ins of all IPv6 addresses of one network together', async () => {
    const person = await newUser()
    await insertFailures(49, (i) => `guess-${i}@example.org`, '2001:db8:1:2')
    expect(
      await failSignIns(
        1,
        () => 'one-more@example.org',
        () => '2001:db8:1:2::1',
      ),
    ).toEqual([401])
    expect((await new ConsoleBrowser(served, { address: '2001:db8:1:2:ffff::2' }).signIn(person.email, INITIAL_PASSWORD)).status).toBe(429)
    expect((await new ConsoleBrowser(served, { address: '2001:db8:1:3::2' }).signIn(person.email, INITIAL_PASSWORD)).status).toBe(303)
  })

  it('resets the count of failed sign-ins after a successful one', async () => {
    const person = await newUser()
    for (let round = 0; round < 2; round++) {
      await insertFailures(8, () => person.email, newAddress())
      expect(await failSignIns(1, () => person.email, newAddress)).toEqual([401])
      expect((await new ConsoleBrowser(served, { address: newAddress() }).signIn(person.email, INITIAL_PASSWORD)).status).toBe(303)
    }
  })
})

describe('guesses of second factor codes', () => {
  const STEP = 60_000_000

  async function protectedPerson(): Promise<{ person: OrganizerHandle; secret: Buffer }> {
    const person = await newUser()
    const { keys } = world.services
    await startTotpSetup(world.database.write, keys, person.userId)
    // This server has its own encryption keys, so the test encrypts the TOTP secret itself. second-factor.test.ts covers the setup page.
    const { rows } = await world.database.pool.query<{ sealed: string }>('select totp_secret as sealed from users where id = $1', [
      person.userId,
    ])
    const secret = keys.open('totp', rows[0]!.sealed, `totp|${person.userId}`)!
    await confirmTotpSetup(world.database.write, keys, person.userId, computeTotpCode(secret, STEP))
    return { person, secret }
  }

  it('locks the account after ten wrong codes, and signing in with the password does not reset the count', async () => {
    await world.clock.stopAt(new Date(STEP * 30_000).toISOString())
    const { person } = await protectedPerson()
    const statuses: number[] = []
    for (let i = 0; i < 10; i++) {
      const guest = new ConsoleBrowser(served, { address: newAddress() })
      const first = await guest.signIn(person.email, INITIAL_PASSWORD)
      expect(first.location).toContain('/console/sign-in/totp')
      statuses.push((await guest.giveCode(String(100_000 + i))).status)
    }
    expect(statuses).toEqual(Array(10).fill(401))
    expect(await listEmails(person, 'sign-in-locked')).toHaveLength(1)
    expect((await new ConsoleBrowser(served, { address: newAddress() }).signIn(person.email, INITIAL_PASSWORD)).status).toBe(429)
  })
})

describe('forgotten password', () => {
  const forgot = (email: string, address = newAddress()) =>
    new ConsoleBrowser(served, { address }).submit('/console/forgot', '/console/forgot', { email })
  const linkTo = async (person: { email: string }) =>
    /(\/console\/password\?token=lpw_[\w-]+)/.exec((await listEmails(person, 'password-reset')).at(-1) ?? '')?.[1]
  const tokenOf = (link: string) => new URL(link, served.baseUrl).searchParams.get('token')!
  const choose = (link: string, password: string) =>
    new ConsoleBrowser(served).submit(link, '/console/password', { token: tokenOf(link), password })

  it('shows the same page for known and unknown email addresses, and sends a reset link only to known ones', async () => {
    const person = await newUser()
    const [known, unknown] = [await forgot(person.email), await forgot('absent-at-all@example.org')]
    expect(known.status).toBe(200)
    expect(known.text).toBe(unknown.text)
    expect(known.text).toContain('If an account with this address exists')
    expect(await linkTo(person)).toBeDefined()
    expect(await listEmails({ email: 'absent-at-all@example.org' }, 'password-reset')).toEqual([])
  })

  it('replaces a forgotten password through the emailed link, which works once and ends all browser sessions', async () => {
    const person = await newUser()
    const before = await new ConsoleBrowser(served).enter(world, person)
    await forgot(person.email)
    const link = (await linkTo(person))!
    const common = await choose(link, 'password123456')
    expect([common.status, common.text.includes('among the first that attackers try')]).toEqual([400, true])
    const chosen = await choose(link, 'seven quiet herons at dusk')
    expect([chosen.status, chosen.location]).toEqual([303, '/console'])
    expect((await before.get('/console/account')).status).toBe(303)
    expect((await new ConsoleBrowser(served).signIn(person.email, INITIAL_PASSWORD)).status).toBe(401)
    expect((await new ConsoleBrowser(served).signIn(person.email, 'seven quiet herons at dusk')).status).toBe(303)
    const again = await new ConsoleBrowser(served).get(link)
    expect([again.status, again.text.includes('This link no longer works')]).toEqual([410, true])
    const { rows } = await world.database.pool.query('select tool, app_name, targets from audit_entries where actor_id = $1', [
      person.userId,
    ])
    const targets = [{ kind: 'user', id: person.userId, fields: { password: { after: '[secret]' } } }]
    expect(rows).toEqual([{ tool: 'reset_password', app_name: 'console', targets }])
  })

  it('sets the password by exactly one of several concurrent uses of the reset link', async () => {
    const person = await newUser()
    await forgot(person.email)
    const link = (await linkTo(person))!
    const words = ['seven quiet herons at dusk', 'eight quiet herons at dusk', 'nine quiet herons at dusk']
    // All guests open the form before the first one submits it, because the link stops working after that.
    const guests = await Promise.all(
      words.map(async (password) => {
        const guest = new ConsoleBrowser(served)
        const csrf = readFieldValue((await guest.get(link)).html, '_csrf')!
        return () => guest.forge('/console/password', { token: tokenOf(link), password }, { csrf })
      }),
    )
    const answers = await Promise.all(guests.map((send) => send()))
    expect(answers.map(({ status, location }) => [status, location]).toSorted(([a], [b]) => Number(a) - Number(b))).toEqual([
      [303, '/console'],
      [410, null],
      [410, null],
    ])
    const won = words[answers.findIndex(({ status }) => status === 303)]!
    expect((await new ConsoleBrowser(served).signIn(person.email, won)).status).toBe(303)
  })

  it('invalidates every reset link when the password is set in another way', async () => {
    const person = await newUser()
    await forgot(person.email)
    const link = (await linkTo(person))!
    const invite = await createPasswordLink(world.database.write, person.userId, 'invite')
    const guest = await new ConsoleBrowser(served).enter(world, person)
    const fields = { current: INITIAL_PASSWORD, password: 'seven quiet herons at dusk' }
    expect((await guest.submit('/console/account', '/console/account/password', fields)).status).toBe(303)
    for (const old of [link, `/console/password?token=${invite.reveal()}`])
      expect((await new ConsoleBrowser(served).get(old)).status).toBe(410)
  })

  it('expires reset links after 30 minutes, and accepts only the latest one', async () => {
    const person = await newUser()
    await forgot(person.email)
    const first = (await linkTo(person))!
    await forgot(person.email)
    const second = (await linkTo(person))!
    expect((await new ConsoleBrowser(served).get(first)).status).toBe(410)
    await world.clock.advance('29 minutes 50 seconds')
    const open = await new ConsoleBrowser(served).get(second)
    expect([open.status, open.headers.get('referrer-policy')]).toEqual([200, 'no-referrer'])
    await world.clock.advance('15 seconds')
    expect((await new ConsoleBrowser(served).get(second)).status).toBe(410)
  })

  it('limits the number of password reset emails to one mailbox', async () => {
    const person = await newUser()
    const asked = { database: world.database, baseUrl: world.services.baseUrl }
    // Calls the form's function directly: the form itself delays its answer, so that its timing does not reveal whether the user exists.
    for (let i = 0; i < 6; i++) await requestPasswordReset(asked, { email: person.email, address: newAddress() })
    expect((await forgot(person.email)).status).toBe(200)
    expect(await listEmails(person, 'password-reset')).toHaveLength(5)
  })

  it('limits password reset emails also for concurrent requests, and accepts only the latest link', async () => {
    const person = await newUser()
    await Promise.all(Array.from({ length: 12 }, () => forgot(person.email)))
    expect(await listEmails(person, 'password-reset')).toHaveLength(5)
    const good = await world.database.pool.query('select 1 from password_links where user_id = $1 and used_at is null', [person.userId])
    expect(good.rows).toHaveLength(1)
  })

  it('limits an IP address to 30 password reset requests an hour for all accounts, and sends no email beyond that', async () => {
    const [person, address] = [await newUser(), newAddress()]
    const asked = (count: number) =>
      world.database.pool.query(
        `insert into rate_windows (key, window_start, count) values ($1, lanyard_now(), $2) on conflict (key) do update set count = $2`,
        [`forgot:${address}`, count],
      )
    await asked(29)
    expect((await forgot(person.email, address)).status).toBe(200)
    const [known, unknown] = [await forgot(person.email, address), await forgot('absent-at-all@example.org', address)]
    expect([known.status, known.text.includes('Wait an hour, then try again.')]).toEqual([429, true])
    expect(unknown.text).toBe(known.text)
    expect(await listEmails(person, 'password-reset')).toHaveLength(1)
    expect((await forgot(person.email)).status).toBe(200)
    await world.clock.advance('61 minutes')
    expect((await forgot(person.email, address)).status).toBe(200)
    expect(await listEmails(person, 'password-reset')).toHaveLength(3)
  })

  it('does not deadlock when reset links and sessions change concurrently', async () => {
    const { database, services } = world
    const passwords = { hash: async () => 'x', verify: async () => true }
    const password = 'seven quiet herons at dusk'
    for (let round = 0; round < 20; round++) {
      const { userId, email } = await world.organizer({ at: acme })
      await new ConsoleBrowser(served).enter(world, { userId })
      await database.pool.query('update browser_sessions set expires_at = lanyard_now() where user_id = $1', [userId])
      const links = [await createPasswordLink(database.write, userId, 'reset'), await createPasswordLink(database.write, userId, 'invite')]
      const outcomes = await Promise.allSettled([
        ...[1, 2].map(() => requestPasswordReset({ database, baseUrl: services.baseUrl }, { email, address: newAddress() })),
        ...[...links, ...links].map((link) => database.transact((db) => setPasswordThroughLink(db, link.reveal(), password, passwords))),
        database.transact((db) => setPassword(db, { id: userId, email }, password, { passwords })),
        database.transact((db) => createPasswordLink(db, userId, 'invite')),
        cleanUpSignInData(database.write),
      ])
      const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [(outcome.reason as Error).message] : []))
      expect(reasons.filter((reason) => !reason.startsWith('This link was already used'))).toEqual([])
    }
  })

  it('still requires the second factor after a password reset', async () => {
    const person = await newUser()
    await world.database.pool.query(`update users set totp_secret = 'sealed', totp_confirmed_at = lanyard_now() where id = $1`, [
      person.userId,
    ])
    await forgot(person.email)
    const guest = new ConsoleBrowser(served)
    const link = (await linkTo(person))!
    const token = new URL(link, served.baseUrl).searchParams.get('token')!
    await guest.submit(link, '/console/password', { token, password: 'seven quiet herons at dusk' })
    expect((await guest.get('/console')).location).toBe('/console/sign-in/totp?next=%2Fconsole')
  })
})
