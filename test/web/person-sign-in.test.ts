import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { assistantAt, listCodeEmails, extractCode, type SentEmail, chooseWrongCode } from '../support/sign-in-codes.ts'
import { createRegistrationAt } from '../support/participants.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue, type Visitor, visitor } from '../support/visitor.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let summit: EventHandle
let home: string

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const acme = await world.client({ code: 'acme' })
  summit = await world.event({ at: acme, code: 'summit', name: 'Acme Summit', status: 'draft' })
  await world.database.pool.query(`update events set locales = '{en,de}' where id = $1`, [summit.eventId])
  const olga = await world.organizer({ at: acme })
  const sections = { details: { contactEmail: 'events@acme.example' } }
  await olga.call('configure_event', { eventCode: 'summit', sections })
  await olga.call('publish_event', { eventCode: 'summit', acceptWarnings: true })
  served = await serve(world, { env: { LANYARD_TRUSTED_PROXIES: '127.0.0.1,::1' } })
  home = pathOf(summit)
})
beforeEach(() => world.clock.reset())
afterAll(() => world.end())

const pathOf = ({ tenantCode, clientCode, eventCode }: EventHandle) => `/tenant/${tenantCode}/client/${clientCode}/event/${eventCode}`
const signInPath = () => `${home}/registration/sign-in`
const SESSION = 'lanyard-person'

let made = 0
const newEmail = () => `web-${++made}@example.org`
const from = (address: string, more: Record<string, string> = {}): Visitor => visitor(served, { 'x-forwarded-for': address, ...more })
const anonymousVisitor = () => from(`198.18.0.${++made % 250}`)

const ask = (who: Visitor, email: string) => who.post(signInPath(), { email })
const enter = (who: Visitor, email: string, code: string) =>
  who.post(`${signInPath()}/code`, { email, code }, { from: `${signInPath()}/code?email=${encodeURIComponent(email)}` })

const latestEmail = async (email: string): Promise<SentEmail> => (await listCodeEmails(world, email))[0]!
const linkIn = ({ text }: SentEmail) => new URL(/https?:\/\/\S+token=lsl_[\w-]+/.exec(text)![0])
const sessions = async (email: string) =>
  (await world.database.pool.query<any>(`select * from person_sessions where lower(email) = lower($1)`, [email])).rows

describe('participant sign-in', () => {
  it('sends a sign-in code by email, and opens the registration with the code', async () => {
    const [who, email] = [anonymousVisitor(), newEmail()]
    const id = await createRegistrationAt(world, summit, { email })
    const page = await who.get(`${signInPath()}?email=${encodeURIComponent(email)}`)
    expect(page.status).toBe(200)
    expect(readFieldValue(page.html, 'email')).toBe(email)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    const sent = await ask(who, email)
    expect(sent).toMatchObject({ status: 303, location: expect.stringContaining(`${signInPath()}/code?email=`) })
    expect((await who.get(sent.location!)).text).toContain(`We sent a six-digit code to ${email}.`)
    const code = extractCode(await latestEmail(email))
    const opened = await enter(who, email, `${code.slice(0, 3)} ${code.slice(3)}`)
    expect(opened).toMatchObject({ status: 303, location: `${home}/registration` })
    expect(who.cookies.get(SESSION)).toMatch(/^lpb_/)
    expect(opened.headers.getSetCookie().find((line) => line.startsWith(SESSION))).toMatch(/Max-Age=43200.*HttpOnly.*SameSite=Lax/)
    expect(await sessions(email)).toMatchObject([{ event_id: summit.eventId, participant_ids: [id], participant_id: id }])
    // A signed-in participant is not asked again, except for another address.
    expect(await who.get(signInPath())).toMatchObject({ status: 303, location: `${home}/registration` })
    expect((await who.get(`${signInPath()}?email=other@example.org`)).status).toBe(200)
    expect((await enter(anonymousVisitor(), email, code)).text).toContain('That code is no longer valid. Request a new one.')
  })

  it('shows the same sign-in page for registered and unknown email addresses, and sends an email to both', async () => {
    const [known, unknown] = ['known-web@example.org', 'other-web@example.org']
    await createRegistrationAt(world, summit, { email: known })
    const seen = await Promise.all(
      [known, unknown].map(async (email) => {
        const who = anonymousVisitor()
        const { status, location } = await ask(who, email)
        const page = await who.get(location!)
        const code = extractCode(await latestEmail(email))
        const refused = await enter(who, email, chooseWrongCode(code))
        const opened = await enter(who, email, code)
        const message = await latestEmail(email)
        const blank = (text: string) =>
          text.replaceAll(/\b\d{6}\b|lsl_[\w-]+|[\w-]+-web(@|%40)example\.org|(?<=name="_csrf" value=")[\w-]+/g, '_')
        return [
          status,
          location,
          page.html,
          refused.status,
          refused.html,
          opened.status,
          opened.location,
          message.text,
          message.html,
          message.subject,
        ].map((one) => blank(String(one)))
      }),
    )
    expect(seen[0]).toEqual(seen[1])
    expect(await sessions(unknown)).toMatchObject([{ participant_ids: [], participant_id: null }])
  })

  it('opens registrations that were created after the sign-in with the verified email address, without another code', async () => {
    const [who, email] = [anonymousVisitor(), newEmail()]
    await ask(who, email)
    await enter(who, email, extractCode(await latestEmail(email)))
    expect((await who.get(`${home}/registration`)).status).toBe(404)
    await createRegistrationAt(world, summit, { email: newEmail() })
    expect((await who.get(`${home}/registration`)).status, 'another address').toBe(404)
    const id = await createRegistrationAt(world, summit, { email })
    expect((await who.get(`${home}/registration`)).status).toBe(200)
    expect(await sessions(email)).toMatchObject([{ participant_ids: [id], participant_id: id }])
    expect(await listCodeEmails(world, email)).toHaveLength(1)
    // A session that knows a registration covers that one only, as one opened by a link does.
    await createRegistrationAt(world, summit, { email, firstName: 'Paul' })
    expect((await who.get(`${home}/registration`)).status).toBe(200)
    expect(await sessions(email)).toMatchObject([{ participant_ids: [id] }])
  })

  it('allows three attempts per sign-in code', async () => {
    const [who, email] = [anonymousVisitor(), newEmail()]
    await ask(who, email)
    const code = extractCode(await latestEmail(email))
    for (const expected of ['You have 2 attempts left', 'You have 1 attempt left', 'you have no attempts left']) {
      const page = await enter(who, email, chooseWrongCode(code))
      expect(page.status).toBe(400)
      expect(page.text).toContain(expected)
      expect(readFieldValue(page.html, 'email')).toBe(email)
    }
    expect((await enter(who, email, code)).text).toContain('That code is no longer valid.')
    expect(await sessions(email)).toEqual([])
    // The link cannot be guessed, so it still works after wrong codes.
    const link = linkIn(await latestEmail(email))
    const page = `${link.pathname}${link.search}`
    expect((await who.post(link.pathname, { token: link.searchParams.get('token')! }, { from: page })).status).toBe(303)
  })

  it('does not count malformed sign-in codes as attempts, and rejects invalid email addresses', async () => {
    const [who, email] = [anonymousVisitor(), newEmail()]
    expect((await ask(who, 'absent')).text).toContain('Enter a valid email address')
    await ask(who, email)
    expect((await enter(who, email, '12a456')).text).toContain('Enter the six-digit code from the email.')
    const { rows } = await world.database.pool.query(`select attempts from one_time_codes where email_norm = $1`, [email])
    expect(rows).toEqual([{ attempts: 0 }])
  })

  it('shows the sign-in pages in the participant’s language', async () => {
    const [who, email] = [from('198.18.1.1', { 'accept-language': 'de' }), newEmail()]
    expect((await who.get(signInPath())).text).toContain('Code anfordern')
    await ask(who, email)
    expect((await latestEmail(email)).subject).toBe('Ihr Zugangscode für Acme Summit')
  })

  it('returns to the requested page after sign-in, and never to another site', async () => {
    for (const [next, leads] of [
      [`${home}/registration/edit`, `${home}/registration/edit`],
      ['https://evil.example/', `${home}/registration`],
      [`${home}.evil.example`, `${home}/registration`],
      [`${home}/../../other`, `${home}/registration`],
      ['//evil.example', `${home}/registration`],
    ] as const) {
      const [who, email] = [anonymousVisitor(), newEmail()]
      const { location } = await who.post(signInPath(), { email, next })
      const code = extractCode(await latestEmail(email))
      const kept = readFieldValue((await who.get(location!)).html, 'next')!
      expect((await who.post(`${signInPath()}/code`, { email, code, next: kept }, { from: location! })).location).toBe(leads)
      const forged = await who.post(`${signInPath()}/code`, { email, code: '000000', next }, { from: location! })
      expect(readFieldValue(forged.html, 'next')).toBe(leads)
    }
  })

  it('sends three sign-in codes an hour for one event, not counting those requested by an assistant', async () => {
    const [who, email] = [anonymousVisitor(), newEmail()]
    const assistant = await assistantAt(world, summit)
    for (let i = 0; i < 3; i++) await assistant.request(email)
    expect((await assistant.refusedRequest(email)).code).toBe('limit_exceeded')
    await world.clock.stopAt('2026-11-03T10:00:00Z')
    for (let i = 0; i < 3; i++) expect((await ask(who, email)).status).toBe(303)
    await world.clock.stopAt('2026-11-03T10:59:59Z')
    const refused = await ask(who, email)
    expect(refused.status).toBe(429)
    expect(refused.text).toContain('try again in an hour')
    await world.clock.stopAt('2026-11-03T11:00:00Z')
    expect((await ask(who, email)).status).toBe(303)
    expect(await listCodeEmails(world, email)).toHaveLength(7)
  })

  it('limits the sign-in codes requested from one IP address to thirty an hour', async () => {
    const who = from('203.0.113.9')
    const answers = []
    for (let i = 0; i < 31; i++) answers.push((await ask(who, newEmail())).status)
    expect(answers).toEqual([...Array.from({ length: 30 }, () => 303), 429])
    expect((await ask(from('203.0.113.10'), newEmail())).status).toBe(303)
  })

  it('sends three of twenty concurrently requested sign-in codes', async () => {
    const email = newEmail()
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await ask(anonymousVisitor(), email)).status))
    expect(statuses.filter((status) => status === 303)).toHaveLength(3)
    expect(await listCodeEmails(world, email)).toHaveLength(3)
  })
})

describe('sign-in link', () => {
  const open = async (email: string, who = anonymousVisitor()) => {
    await ask(who, email)
    const link = linkIn(await latestEmail(email))
    return { who, page: `${link.pathname}${link.search}`, path: link.pathname, token: link.searchParams.get('token')! }
  }

  it('signs a participant in with one click on the page of a sign-in link, which opening the page does not use up', async () => {
    const email = newEmail()
    const { page, path, token } = await open(email)
    const scanner = anonymousVisitor()
    for (let i = 0; i < 5; i++) expect((await scanner.get(page)).status).toBe(200)
    expect(scanner.cookies.get(SESSION)).toBeUndefined()
    const who = anonymousVisitor()
    const shown = await who.get(page)
    expect(shown.text).toContain('You are signing in to Acme Summit as w***@example.org.')
    expect(shown.headers.get('referrer-policy')).toBe('no-referrer')
    expect(await who.post(path, { token }, { from: page, origin: 'null' })).toMatchObject({ status: 303, location: `${home}/registration` })
    expect(who.cookies.get(SESSION)).toMatch(/^lpb_/)
    expect((await who.get(page)).status).toBe(410)
    expect(await sessions(email)).toHaveLength(1)
    expect((await enter(anonymousVisitor(), email, extractCode(await latestEmail(email)))).text).toContain('That code is no longer valid.')
  })

  it('opens one session for ten concurrent clicks on a sign-in link, and none after the code is used, replaced or expired', async () => {
    const email = newEmail()
    const { page, path, token, who } = await open(email)
    const csrf = readFieldValue((await who.get(page)).html, '_csrf')!
    const answers = await Promise.all(Array.from({ length: 10 }, () => who.post(path, { token }, { csrf })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, ...Array.from({ length: 9 }, () => 410)])
    expect(await sessions(email)).toHaveLength(1)

    const coded = newEmail()
    const one = await open(coded)
    await enter(anonymousVisitor(), coded, extractCode(await latestEmail(coded)))
    expect((await anonymousVisitor().get(one.page)).status).toBe(410)

    const twice = newEmail()
    const older = await open(twice)
    const newer = await open(twice)
    expect((await anonymousVisitor().get(older.page)).status).toBe(410)
    expect((await anonymousVisitor().get(newer.page)).status).toBe(200)
    await world.clock.advance('15 minutes')
    expect((await anonymousVisitor().get(newer.page)).status).toBe(410)
  })

  it('accepts a sign-in link at its own event only', async () => {
    const other = await world.event({ at: summit, code: 'other' })
    await world.database.pool.query(`update events set test_mode = true where id = $1`, [other.eventId])
    const { page } = await open(newEmail())
    expect((await anonymousVisitor().get(page.replace(home, pathOf(other)))).status).toBe(410)
  })
})

describe('participant session', () => {
  const signedIn = async (email = newEmail()) => {
    const who = anonymousVisitor()
    await ask(who, email)
    await enter(who, email, extractCode(await latestEmail(email)))
    return who
  }
  const isIn = async (who: Visitor, path = signInPath()) => (await who.get(path)).status === 303

  it('creates a new participant session at every sign-in', async () => {
    const email = newEmail()
    const who = await signedIn(email)
    const planted = who.cookies.get(SESSION)!
    who.cookies.set(SESSION, 'lpb_planted-by-somebody-else')
    await ask(who, email)
    await enter(who, email, extractCode(await latestEmail(email)))
    expect(who.cookies.get(SESSION)).not.toBe(planted)
    expect(await isIn(who)).toBe(true)
  })

  it('ends a participant session at sign-out or after twelve hours, and does not accept the session at another event', async () => {
    const who = await signedIn()
    expect(await isIn(who)).toBe(true)
    const stolen = anonymousVisitor()
    stolen.cookies.set(SESSION, who.cookies.get(SESSION)!)
    const other = await world.event({ at: summit, code: 'elsewhere' })
    await world.database.pool.query(`update events set test_mode = true where id = $1`, [other.eventId])
    expect(await isIn(stolen, `${pathOf(other)}/registration/sign-in`)).toBe(false)
    // A sign-out form submitted from another site does not end the session.
    await who.post(`${home}/registration/sign-out`, {}, { from: `${signInPath()}?email=x@example.org`, origin: 'https://evil.example' })
    expect(await isIn(stolen)).toBe(true)
    const out = await who.post(`${home}/registration/sign-out`, {}, { from: `${signInPath()}?email=x@example.org` })
    expect(out).toMatchObject({ status: 303, location: home })
    expect(who.cookies.get(SESSION)).toBeUndefined()
    expect(await isIn(stolen)).toBe(false)
    const later = await signedIn()
    await world.clock.advance('11 hours 59 minutes')
    expect(await isIn(later)).toBe(true)
    await world.clock.advance('1 minute')
    expect(await isIn(later)).toBe(false)
  })

  it('requires a valid CSRF token and cookies for sign-in', async () => {
    const email = newEmail()
    for (const options of [{ csrf: null }, { csrf: 'made-up' }, { origin: 'https://evil.example' }]) {
      const who = anonymousVisitor()
      await who.get(signInPath())
      expect((await who.post(signInPath(), { email }, options)).status).toBe(303)
    }
    expect(await listCodeEmails(world, email)).toEqual([])
    const forgetful = anonymousVisitor()
    const page = await forgetful.post(signInPath(), { email }, { csrf: 'x' })
    expect(page.status).toBe(400)
    expect(page.text).toContain('Your browser blocked a cookie that this page needs.')
  })

  it('returns 404 for sign-in at an unknown event', async () => {
    for (const path of ['/tenant/demo/client/acme/event/never', '/tenant/demo/client/other/event/summit']) {
      expect((await anonymousVisitor().get(`${path}/registration/sign-in`)).status).toBe(404)
    }
  })
})
