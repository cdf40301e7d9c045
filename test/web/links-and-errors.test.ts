import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventHomePath, signInVisitor, verifyMailbox } from '../support/own-pages.ts'
import { buildEventPath, openFormAs } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type VisitedPage, visitor } from '../support/visitor.ts'

let scenario: SalesScenario
let served: Served
let home: string

const [attendee] = WORKED_EXAMPLE.flows

beforeAll(async () => {
  scenario = await openSalesScenario(
    { ...WORKED_EXAMPLE, flows: [attendee!, { ...attendee!, slug: 'later', name: 'Later', opensAt: '2026-06-01T00:00:00Z' }] },
    { baseUrl: await chooseFreeBaseUrl() },
  )
  served = await serve(scenario.world)
  home = eventHomePath(scenario.event)
})
afterAll(() => scenario.world.end())

const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows
const register = (path = '') => `${buildEventPath(scenario.event)}/register/attendee${path}`

/** The link in the latest email to this address. */
async function readLatestLink(email: string): Promise<string> {
  const [{ text_body }] = await rows(`select text_body from messages where to_address = $1 order by id desc limit 1`, [email])
  const link = new URL(/https?:\/\/\S+token=\S+/.exec(text_body)![0])
  return `${link.pathname}${link.search}`
}

/** Starts a registration, verifies its mailbox, and lets the organizer send the link back to it. */
async function startAndRequestLink(email: string): Promise<string> {
  const who = visitor(served)
  await openFormAs(who, scenario.event).begin(email)
  const [{ id }] = await rows(`select id from participants where email = $1 and status = 'incomplete'`, [email])
  await verifyMailbox(scenario.world, who, scenario.event, email)
  await scenario.call('resend_participant_confirmation', { participantId: id })
  return readLatestLink(email)
}

/** Links and forms of a page, except those of its header and footer. */
const linksAndForms = ({ html }: VisitedPage) =>
  [...(/<main[\s\S]*<\/main>/.exec(html)?.[0] ?? '').matchAll(/(?:href|action)="([^"]+)"/g)].map(([, to]) => to!)

describe('link to a registration', () => {
  it('removes the link’s token from the address before it opens the registration, so that the token does not leak', async () => {
    const link = await startAndRequestLink('link@example.org')
    const who = visitor(served)
    const opened = await who.get(link)
    expect(opened).toMatchObject({ status: 303, location: register() })
    expect(opened.headers.get('referrer-policy')).toBe('no-referrer')
    expect(opened.headers.get('cache-control')).toBe('no-store')
    expect((await who.get(register('/contact'))).text).toContain('link@example.org')
  })

  it('shows that a registration link has expired, and sends a new link on request', async () => {
    const link = await startAndRequestLink('old@example.org')
    await scenario.world.clock.stopAt('2026-04-11T10:00:01Z')
    try {
      const who = visitor(served)
      const page = await who.get(link)
      expect(page.status).toBe(410)
      expect(page.text).toContain('This link has expired')
      expect(page.headers.get('referrer-policy')).toBe('no-referrer')
      expect(who.cookies.has('lanyard-person')).toBe(false)
      expect(linksAndForms(page)).toContain(`${home}/registration/sign-in`)
      const sent = await who.post(`${home}/registration/sign-in`, { email: 'old@example.org', next: register() }, { from: link })
      expect(sent.location).toContain('/registration/sign-in/code?email=old%40example.org')
    } finally {
      await scenario.world.clock.stopAt('2026-04-10T10:00:00Z')
    }
  })

  it('opens no registration with a link of another form or event, or with a modified or invented link', async () => {
    const link = await startAndRequestLink('mixed@example.org')
    const token = new URL(link, 'http://x').searchParams.get('token')!
    const [head, claims, signature] = token.split('.')
    const other = JSON.parse(Buffer.from(claims!, 'base64url').toString())
    const [{ id }] = await rows(`select id from participants where email = 'link@example.org' limit 1`)
    const stolen = [head, Buffer.from(JSON.stringify({ ...other, sub: id })).toString('base64url'), signature].join('.')
    const unsigned = [Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url'), claims, ''].join('.')
    for (const bad of [stolen, unsigned, `${token}x`, 'nonsense', '']) {
      const who = visitor(served)
      expect([bad.slice(0, 20), (await who.get(`${register()}?token=${bad}`)).status]).toEqual([bad.slice(0, 20), 303])
      expect(who.cookies.has('lanyard-person')).toBe(false)
    }
    const who = visitor(served)
    await who.get(link.replace('/register/attendee', '/register/later'))
    expect(who.cookies.has('lanyard-person')).toBe(false)
    const elsewhere = await scenario.world.event({ at: scenario.event, code: 'elsewhere' })
    await rows(`update events set test_mode = true where id = $1`, [elsewhere.eventId])
    await who.get(link.replace(home, eventHomePath(elsewhere)))
    expect(who.cookies.has('lanyard-person')).toBe(false)
  })

  it('redirects a link to a completed or cancelled registration to sign-in', async () => {
    const link = await startAndRequestLink('finished@example.org')
    const [{ id }] = await rows(`select id from participants where email = 'finished@example.org' order by created_at limit 1`)
    const sub = JSON.parse(Buffer.from(new URL(link, 'http://x').searchParams.get('token')!.split('.')[1]!, 'base64url').toString()).sub
    expect((await rows(`select id from participants where email = 'finished@example.org'`)).map((row) => row.id)).toContain(sub)
    await scenario.call('edit_participant', { participantId: sub, status: 'cancelled' })
    expect(id).toBeTruthy()
    const who = visitor(served)
    expect((await who.get(link)).location).toBe(`${home}/registration/sign-in`)
    expect(who.cookies.has('lanyard-person')).toBe(false)
  })
})

describe('session of one registration', () => {
  it('does not open another registration with the same email address in the session of one registration', async () => {
    const email = 'both@example.org'
    for (const firstName of ['Ana', 'Ben'])
      await scenario.call('add_participant', {
        flowSlug: 'attendee',
        data: { '@participant.firstName': firstName, '@participant.lastName': 'Both', '@participant.email': email },
      })
    const link = await startAndRequestLink(email)
    const who = visitor(served)
    await who.get(link)
    const page = await who.get(`${home}/registration`)
    expect(page.text).not.toMatch(/Ana Both|Ben Both|Whose registration/)
    const both = await signInVisitor(scenario.world, served, scenario.event, email)
    const choice = await both.get(`${home}/registration`)
    for (const name of ['Ana Both', 'Ben Both']) expect(choice.text).toContain(name)
    // An email address with two registrations: every page first asks which of the two to open.
    for (const path of ['/edit', '/cancel', '/pay', '/sharing'])
      expect((await both.get(`${home}/registration${path}`)).text).toContain('Choose a registration')
  })
})

describe('error pages', () => {
  const expectNextStep = (name: string, page: VisitedPage, status: number) => {
    expect([name, page.status]).toEqual([name, status])
    expect([name, linksAndForms(page).length > 0]).toEqual([name, true])
  }

  it('shows a link to a next step if nothing exists at an address (404)', async () => {
    const who = visitor(served, { accept: 'text/html' })
    for (const path of ['/nowhere', `${home}x`, `${home}/register/nothing`, `${home}/nothing`, '/b/none', '/sandbox/pay/none'])
      expectNextStep(path, await who.get(path), 404)
  })

  it('explains where to register when an email address has no registration', async () => {
    const own = await signInVisitor(scenario.world, served, scenario.event, 'unregistered@example.org')
    for (const path of ['', '/edit', '/pay']) {
      const page = await own.get(`${home}/registration${path}`)
      expect([path, page.status]).toEqual([path, 404])
      expect(page.text).toContain('There is no registration for unregistered@example.org.')
      expect(linksAndForms(page)).toEqual([home, `${home}/registration/sign-in?email=`])
    }
    expect((await own.get(`${home}/registration/sign-in?email=`)).status).toBe(200)
  })

  it('shows a link to a next step when a link or page has expired (410)', async () => {
    const who = visitor(served)
    expectNextStep('old sign-in link', await who.get(`${home}/registration/sign-in/link?token=old`), 410)
    expectNextStep('old invitation', await who.get(`${home}/group/any/join/lgi_old`), 410)
    const archived = await scenario.world.event({ at: scenario.event, code: 'past' })
    await rows(`update events set status = 'archived', test_mode = true where id = $1`, [archived.eventId])
    expectNextStep('ended event', await who.get(eventHomePath(archived)), 410)
    for (const path of ['/register/attendee', '/register/attendee/contact'])
      expect((await who.get(`${eventHomePath(archived)}${path}`)).location).toBe(eventHomePath(archived))
  })

  it('shows a link to a next step when a rate limit is exceeded (429)', async () => {
    const who = visitor(served)
    const path = `${home}/registration/sign-in`
    for (let i = 0; i < 3; i++) await who.post(path, { email: 'often@example.org' })
    const page = await who.post(path, { email: 'often@example.org' })
    expectNextStep('too many codes', page, 429)
    expect(page.text).toContain('Use the code from the latest email, which works for 15 minutes, or try again in an hour.')
  })

  it('shows the opening time of a registration form that is not open yet', async () => {
    const page = await visitor(served).get(`${home}/register/later`)
    expect(page.text).toMatch(/Opens (?:Jun|June) 1, 2026|Opens .*2026/)
    expect(linksAndForms(page)).toContain(home)
  })
})
