import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeBackupRecord } from '../../src/domains/installation/backups.ts'
import { createBrowserSession } from '../../src/domains/sign-in/sessions.ts'
import { createSetupKey } from '../../src/domains/sign-in/setup.ts'
import { computeTotpCode } from '../../src/domains/sign-in/totp.ts'
import { decodeShownSecret } from '../support/authenticator.ts'
import { startHeaderProxy } from '../support/header-proxy.ts'
import { chooseFreeBaseUrl, serve } from '../support/server.ts'
import { type VisitedPage, type Visitor, visitor } from '../support/visitor.ts'
import { newWorld, type World } from '../support/world.ts'

const PUBLIC = 'https://events.example.org'
const PASSWORD = 'five small words in line'
const STEP = 60_000_000
const at = (minutes: number) => new Date(STEP * 30_000 + minutes * 60_000).toISOString()
const DAY = 24 * 60

const FOUNDATION = {
  'tenant/name': 'Acme Group',
  'client/name': 'Acme Events',
  'client/code': 'acme',
  'admin/name': 'Olga Organizer',
  'admin/email': 'olga@acme.example',
  'admin/password': PASSWORD,
}

const listChecklistTasks = ({ html }: VisitedPage) =>
  [...html.matchAll(/<span class="hidden">(Done|Open): <\/span>([^<]+)<\/h3>/g)].map(
    ([, state, title]) => `${title}: ${state!.toLowerCase()}`,
  )

const bannersOf = ({ html }: VisitedPage) =>
  [...html.matchAll(/<div class="notice warning" role="status">([^<]*)</g)].map(([, text]) => text!)

const publicSite = async (world: World, env: Record<string, string> = {}) => {
  const port = Number(new URL(await chooseFreeBaseUrl()).port)
  const served = await serve(world, { port, env: { LANYARD_BASE_URL: PUBLIC, ...env } })
  return { url: served.url, baseUrl: PUBLIC }
}

async function enter(world: World, who: Visitor, { userId }: { userId: string }): Promise<Visitor> {
  const token = await createBrowserSession(world.database.write, { userId, totpPending: false, userAgent: 'test' })
  for (const name of ['lanyard-organizer', '__Host-lanyard-organizer']) who.cookies.set(name, token.reveal())
  return who
}

describe('setup checklist in production', () => {
  let world: World
  let site: Awaited<ReturnType<typeof publicSite>>
  let olga: Visitor

  beforeAll(async () => {
    world = await newWorld()
    await world.clock.stopAt(at(0))
    site = await publicSite(world)
    olga = visitor(site)
  })
  afterAll(() => world.end())

  it.each([
    '/console',
    '/console?search=x',
    '/console/sign-in',
    '/console/sign-in?next=%2Fconsole%2Faudit',
    '/console/sign-in/totp',
    '/console/forgot',
    '/console/password?token=lpw_x',
    '/console/account',
    '/console/events/acme/summit',
    '/console/nothing/like/this',
  ])('redirects %s of an empty installation to the setup page', async (path) => {
    const page = await visitor(site).get(path)
    expect([page.status, page.location]).toEqual([303, '/console/setup'])
  })

  it('rejects setup forms from other sites and requires the setup key', async () => {
    const sent = await visitor(site).post('/console/sign-in', { email: 'a@example.org', password: 'x' }, { csrf: 'old' })
    expect([sent.status, sent.location]).toEqual([303, '/console/setup'])
    expect((await olga.get('/console/setup')).html).toContain('name="key"')
  })

  it('names the base address setting if the setup page was opened at another address', async () => {
    const key = (await createSetupKey(world.database.write)).reveal()
    const lost = visitor(site, { 'sec-fetch-site': 'same-origin' })
    const answer = await lost.post('/console/setup', { ...FOUNDATION, key }, { origin: 'https://lanyard.example.net' })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(`opened at https://lanyard.example.net, but this installation's address is ${PUBLIC}`)
    expect(answer.text).toContain('to set LANYARD_BASE_URL')
    const stranger = visitor(site, { 'sec-fetch-site': 'cross-site' })
    const forged = await stranger.post('/console/setup', { ...FOUNDATION, key }, { origin: 'https://evil.example' })
    expect([forged.status, forged.text.includes('LANYARD_BASE_URL')]).toEqual([400, false])
    expect((await world.database.pool.query('select 1 from tenants')).rows).toEqual([])
  })

  it('signs the first administrator in and lists the open setup tasks', async () => {
    const key = (await createSetupKey(world.database.write)).reveal()
    expect((await olga.post('/console/setup', { ...FOUNDATION, key })).location).toBe('/console')
    const first = await olga.get('/console')
    expect(listChecklistTasks(first)).toEqual([
      'Email: open',
      'Base address: done',
      'Backups: open',
      'Second factor: open',
      'First event: open',
    ])
    expect(first.text).toContain('4 of 5 left')
    for (const named of ['SMTP_URL', 'LANYARD_MAIL_FROM', 'lanyard backup --made', 'lanyard backup --elsewhere', PUBLIC])
      expect([named, first.text.includes(named)]).toEqual([named, true])
    for (const link of ['/docs/operating', '/console/account/second-factor', '/console/events/new'])
      expect([link, first.html.includes(`href="${link}"`), (await olga.get(link)).status]).toEqual([link, true, 200])
    expect((await visitor(site).get('/console')).location).toBe('/console/sign-in?next=%2Fconsole')
  })

  it('completes the second factor task only once the second factor is turned on', async () => {
    const path = '/console/account/second-factor'
    await olga.post(`${path}/begin`, { current: PASSWORD }, { from: path })
    expect(listChecklistTasks(await olga.get('/console'))).toContain('Second factor: open')
    const secret = decodeShownSecret((await olga.get(path)).html)
    await olga.post(`${path}/confirm`, { code: computeTotpCode(secret, STEP) }, { from: path })
    expect(listChecklistTasks(await olga.get('/console'))).toContain('Second factor: done')
  })

  it('completes the first event task when an event is created', async () => {
    const made = await olga.post('/console/events/new', { client: 'acme', name: 'Spring', startsOn: '2027-06-01', template: 'blank' })
    expect(made.location).toBe('/console/events/acme/spring?done=created')
    expect(listChecklistTasks(await olga.get('/console'))).toEqual([
      'Email: open',
      'Base address: done',
      'Backups: open',
      'Second factor: done',
      'First event: done',
    ])
  })

  it('completes the email task once an SMTP server is configured, and reopens the task while no worker sends emails', async () => {
    const withMail = await publicSite(world, { SMTP_URL: 'smtp://localhost:2525' })
    const there = visitor(withMail)
    for (const [name, value] of olga.cookies) there.cookies.set(name, value)
    expect(listChecklistTasks(await there.get('/console'))[0]).toBe('Email: done')
    expect(bannersOf(await there.get('/console'))).toEqual([])
    await visitor(withMail).post('/console/forgot', { email: FOUNDATION['admin/email'] })
    expect(listChecklistTasks(await there.get('/console'))[0]).toBe('Email: done')
    await world.clock.stopAt(at(6))
    const late = await there.get('/console')
    expect([listChecklistTasks(late)[0], late.text.includes('6 minutes: is a worker running?')]).toEqual(['Email: open', true])
    await world.clock.stopAt(at(4))
    expect(listChecklistTasks(await there.get('/console'))[0]).toBe('Email: done')

    await storeBackupRecord(world.database.write, 'made')
    expect(listChecklistTasks(await there.get('/console'))).toEqual([])
    expect(listChecklistTasks(await olga.get('/console'))).toHaveLength(5)
  })
})

describe('installation banners and checklist', () => {
  let world: World
  let site: Awaited<ReturnType<typeof publicSite>>
  const NO_MAIL = 'No email server is set up. Emails are stored in the mailbox and not sent.'

  beforeAll(async () => {
    world = await newWorld()
    site = await publicSite(world)
  })
  afterAll(() => world.end())

  const people = async () => {
    const [home, guests] = [await world.client({ tenant: 'home' }), await world.client({ tenant: 'guests' })]
    const [owner, manager, guest] = [
      await world.organizer({ at: home }),
      await world.organizer({ at: home, role: 'manager' }),
      await world.organizer({ at: guests }),
    ]
    return { home, owner, manager, guest }
  }

  it('explains how to fix an installation problem, only to users who can fix it', async () => {
    const { home, owner, manager, guest } = await people()
    const pageOf = async (person: { userId: string }, path = '/console') => (await enter(world, visitor(site), person)).get(path)
    const expectedBanner = `${NO_MAIL} Set SMTP_URL and LANYARD_MAIL_FROM, then restart.`
    expect(bannersOf(await pageOf(owner))).toEqual([expectedBanner])
    expect(bannersOf(await pageOf(manager))).toEqual([NO_MAIL])
    expect(bannersOf(await pageOf(guest))).toEqual([NO_MAIL])
    expect(listChecklistTasks(await pageOf(manager))).toEqual([])
    expect(listChecklistTasks(await pageOf(guest))).toEqual(['Second factor: open', 'First event: open'])

    // Banners appear on every page; the banner about a missing backup appears only after a week.
    await world.clock.advance(`${6 * DAY} minutes`)
    expect(bannersOf(await pageOf(owner, '/console/account'))).toEqual([expectedBanner])
    await world.clock.advance(`${DAY} minutes`)
    const overdue = bannersOf(await pageOf(owner, '/console/account'))
    expect(overdue).toEqual([expectedBanner, expect.stringContaining('Backups: no backup recorded yet: run `lanyard backup &lt;file&gt;`')])
    expect(bannersOf(await pageOf(guest))).toEqual([NO_MAIL])
    await storeBackupRecord(world.database.write, 'made')
    expect(bannersOf(await pageOf(owner))).toEqual([expectedBanner])
    expect(listChecklistTasks(await pageOf(owner))).toContain('Backups: done')
    await world.clock.advance(`${7 * DAY} minutes`)
    expect(bannersOf(await pageOf(owner))[1]).toContain('Backups: the last was recorded 7 days ago')
    expect(listChecklistTasks(await pageOf(owner))).toContain('Backups: open')
    await storeBackupRecord(world.database.write, 'elsewhere')
    await world.clock.advance(`${30 * DAY} minutes`)
    expect(bannersOf(await pageOf(owner))).toEqual([expectedBanner])

    // Hiding the checklist affects only the user who hides it.
    const other = await enter(world, visitor(site), await world.organizer({ at: home }))
    const hiding = await enter(world, visitor(site), owner)
    const answer = await hiding.post('/console/checklist/hide', {}, { from: '/console' })
    expect(answer.location).toBe('/console?done=checklist-hidden')
    expect(listChecklistTasks(await hiding.get('/console'))).toEqual([])
    expect(listChecklistTasks(await other.get('/console'))).toHaveLength(5)
    expect(bannersOf(await hiding.get('/console'))).toEqual([expectedBanner])
  })

  it('names environment settings that this version does not support', async () => {
    const odd = await publicSite(world, { LANYARD_COLOUR: 'green' })
    const owner = await world.organizer({ at: { ...(await world.client({ tenant: 'home' })) } })
    const banners = bannersOf(await (await enter(world, visitor(odd), owner)).get('/console'))
    expect(banners[1]).toBe('Settings: LANYARD_COLOUR is not a setting of this version and is ignored.')
  })
})

describe('installation with a localhost address', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  })
  afterAll(() => world.end())

  it('names the setting to change if the console is opened from another machine, and shows no setup checklist', async () => {
    const served = await serve(world)
    const acme = await world.client({ code: 'acme' })
    const [owner, manager] = [await world.organizer({ at: acme }), await world.organizer({ at: acme, role: 'manager' })]
    const proxies: { stop: () => Promise<void> }[] = []
    /** Opens the console page with this Host header. */
    const from = async (host: string) => {
      const port = Number(new URL(await chooseFreeBaseUrl()).port)
      proxies.push(await startHeaderProxy({ port, target: served, headers: () => ({ host }) }))
      return visitor({ url: (path) => `http://localhost:${port}${path}`, baseUrl: served.baseUrl })
    }
    const words = `This page was opened at events.example.org:3000, but this installation's address is ${served.baseUrl}.`
    const away = await from('events.example.org:3000')
    expect((await away.get('/console/sign-in')).text).toContain(words)
    const refused = await away.post('/console/sign-in', { email: owner.email, password: 'x' }, { origin: 'http://events.example.org:3000' })
    expect([refused.status, refused.text.includes('to set LANYARD_BASE_URL')]).toEqual([400, true])
    const page = await (await enter(world, away, owner)).get('/console')
    expect(bannersOf(page)).toEqual([expect.stringContaining(words.replace("'", '&#39;'))])
    expect(listChecklistTasks(page)).toEqual([])
    expect(bannersOf(await (await enter(world, away, manager)).get('/console'))).toEqual([])
    for (const host of [new URL(served.baseUrl).host, '127.0.0.1:3000', '[::1]:3000']) {
      const here = await from(host)
      expect((await here.get('/console/sign-in')).text).not.toContain('LANYARD_BASE_URL')
      expect(bannersOf(await (await enter(world, here, owner)).get('/console'))).toEqual([])
    }
    for (const proxy of proxies) await proxy.stop()
  })
})
