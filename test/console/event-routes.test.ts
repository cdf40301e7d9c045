import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Role } from '../../src/kernel/permissions.ts'
import { ROLES } from '../../src/kernel/permissions.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue } from '../support/visitor.ts'
import { WORKED_EXAMPLE } from '../support/worked-example.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'
import { ConsoleBrowser } from './console-browser.ts'

const BASE = '/console/events/acme/summit'
const ARABIC = 'مؤتمر المياه والمدن في القاهرة'
const LONG = 'The Sixty-Second International Congress on Rivers and Cities'

let world: World
let served: Served
let acme: ClientHandle
let summit: EventHandle
let olga: OrganizerHandle

async function configured(place: EventHandle, name: string): Promise<void> {
  const at = { eventCode: place.eventCode, clientCode: place.clientCode }
  await olga.call('configure_event', { ...at, sections: { ...WORKED_EXAMPLE, details: { ...WORKED_EXAMPLE.details, name } } })
  await olga.call('publish_event', at)
  await olga.call('config_set', { ...at, operations: [{ op: 'set', path: '/products/pass/name', valueJson: '"Full pass"' }] })
}

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme', name: 'Acme Events' })
  const rival = await world.client({ code: 'rival', name: 'Rival' })
  const stranger = await world.client({ tenant: 'other', code: 'acme', name: 'Another Acme' })
  summit = await world.event({ at: acme, code: 'summit', status: 'draft' })
  olga = await world.organizer({ at: [acme, rival] })
  await configured(summit, 'Acme Summit')
  await world.event({ at: stranger, code: 'secret', name: 'Secret of another tenant' })
  await configured(await world.event({ at: rival, code: 'fair', status: 'draft' }), 'Rival Fair')
  await configured(await world.event({ at: acme, code: 'arabic', status: 'draft' }), ARABIC)
  await configured(await world.event({ at: acme, code: 'long', status: 'draft' }), LONG)
  served = await serve(world)
})
afterAll(() => world.end())

const enter = (person: { userId: string }) => new ConsoleBrowser(served).enter(world, person)
const count = async (text: string) => (await world.database.pool.query<{ n: number }>(text)).rows[0]!.n
const countRows = () =>
  count(`select (select count(*) from config_versions)::int * 1000 + (select sum(draft_revision) from config_drafts)::int
    + (select count(*) from events)::int as n`)

/** The expected result per role: the status of each event page, the access to each form, and the visible parts of the event overview. */
const TABLE: Record<Role, { pages: string; forms: string; parts: string }> = {
  // Columns: overview, draft, versions, version 1, restore, products, new | publish, restore, create | figures, setup and draft, audit
  // log
  admin: { pages: '200 200 200 200 200 200 200', forms: 'yes yes yes', parts: 'figures design record' },
  manager: { pages: '200 200 200 200 200 200 200', forms: 'yes yes yes', parts: 'figures design record' },
  registrar: { pages: '200 200 200 200 403 200 403', forms: 'no no no', parts: 'figures design' },
  housing: { pages: '200 200 200 200 403 200 403', forms: 'no no no', parts: 'figures design' },
  exhibits: { pages: '200 200 200 200 403 200 403', forms: 'no no no', parts: 'figures design' },
  marketer: { pages: '200 200 200 200 403 200 403', forms: 'no no no', parts: 'figures design' },
  program: { pages: '200 200 200 200 403 200 403', forms: 'no no no', parts: 'figures design' },
  sourcing: { pages: '200 200 200 200 403 403 403', forms: 'no no no', parts: 'design' },
  finance: { pages: '200 403 403 403 403 200 403', forms: 'no no no', parts: 'figures' },
  onsite: { pages: '200 403 403 403 403 200 403', forms: 'no no no', parts: 'figures' },
  analyst: { pages: '200 200 200 200 403 200 403', forms: 'no no no', parts: 'figures design record' },
}

const PAGES = [
  BASE,
  `${BASE}/draft`,
  `${BASE}/versions`,
  `${BASE}/versions/1`,
  `${BASE}/versions/1/restore`,
  `${BASE}/products`,
  '/console/events/new',
]

const NEW = { client: 'acme', name: 'New', startsOn: '2027-06-01', template: 'blank' }
const FORMS: [path: string, fields: Record<string, string>, needs: string][] = [
  [`${BASE}/draft/publish`, { revision: '1' }, 'events.publish'],
  [`${BASE}/versions/1/restore`, { revision: '1', confirmToken: 'x' }, 'events.write'],
  ['/console/events/new', { ...NEW, name: '' }, 'clients.write'],
]

const PARTS = { figures: 'id="figure-registered"', design: '<h2>Flows</h2>', record: '<h2>Recent changes</h2>' }

describe('access to event pages by role', () => {
  it('has every role in the table of expected permissions for event pages', () =>
    expect(Object.keys(TABLE).toSorted()).toEqual([...ROLES].toSorted()))

  const meets = async (guest: ConsoleBrowser, clientPages = PAGES) => {
    const pages = []
    for (const path of clientPages) pages.push(await guest.get(path))
    const { html } = pages[0]!
    const forms = []
    for (const [path, fields] of FORMS) {
      const answer = await guest.submit(BASE, path, fields)
      forms.push(answer.status === 403 ? 'no' : 'yes')
    }
    return {
      pages: pages.map(({ status }) => status).join(' '),
      forms: forms.join(' '),
      parts: Object.entries(PARTS)
        .filter(([, mark]) => html.includes(mark))
        .map(([name]) => name)
        .join(' '),
    }
  }

  it.each(ROLES)('allows %s of the client exactly the pages and forms of the access table', async (role) => {
    const guest = await enter(await world.organizer({ at: acme, role }))
    const before = await countRows()
    expect(await meets(guest)).toEqual(TABLE[role])
    expect(await countRows()).toBe(before)
    // The event is listed for every role at it.
    expect((await guest.get('/console')).html).toContain(`href="${BASE}"`)
  })

  it.each(ROLES.filter((role) => role !== 'admin'))(
    'allows %s of one event the pages of that role at this event only, and no creation of events',
    async (role) => {
      const guest = await enter(await world.organizer({ staffOf: summit, staffRole: role }))
      const { pages, forms, parts } = TABLE[role]
      expect(await meets(guest)).toEqual({ pages: `${pages.slice(0, -3)}403`, forms: forms.replace(/yes$/, 'no'), parts })
      expect((await guest.get('/console/events/acme/long')).status).toBe(404)
    },
  )

  it('names the missing permission and the event when a console page is refused', async () => {
    const guest = await enter(await world.organizer({ at: acme, role: 'finance' }))
    expect((await guest.get(`${BASE}/draft`)).text).toContain('needs the events.read permission at Acme Summit')
    for (const [path, fields, needs] of FORMS) {
      const answer = await guest.submit(BASE, path, fields)
      expect([answer.status, answer.text.includes(`the ${needs} permission`)]).toEqual([403, true])
    }
  })

  it('denies event pages to users without a role and to visitors who are not signed in', async () => {
    const rita = await enter(await world.organizer({ at: await world.client({ code: 'third' }) }))
    for (const path of PAGES.slice(0, -1)) expect([path, (await rita.get(path)).status]).toEqual([path, 404])
    for (const [path, fields] of FORMS) expect([path, (await rita.submit('/console', path, fields)).status]).toEqual([path, 404])
    const answer = await new ConsoleBrowser(served).get(BASE)
    expect([answer.status, answer.location]).toEqual([303, `/console/sign-in?next=${encodeURIComponent(BASE)}`])
  })

  it('treats an event of another client or tenant like an event that does not exist', async () => {
    const guest = await enter(await world.organizer({ at: acme }))
    for (const place of ['rival/fair', 'acme/fair', 'acme/secret', 'other/secret', 'acme/nothing', 'acme/%00', '%00/summit', 'acme/%2e%2e'])
      for (const rest of ['', '/draft', '/versions', '/versions/1', '/versions/1/restore', '/products'])
        expect([place, rest, (await guest.get(`/console/events/${place}${rest}`)).status]).toEqual([place, rest, 404])
    const before = await countRows()
    for (const path of ['/console/events/rival/fair/draft/publish', '/console/events/rival/fair/versions/1/restore'])
      expect((await guest.submit(BASE, path, { revision: '1' })).status).toBe(404)
    expect((await guest.submit('/console', '/console/events/new', { ...NEW, client: 'rival' })).status).toBe(404)
    expect(await countRows()).toBe(before)
  })

  it('shows event pages to users of a client without assistant access, and hides the events of an inactive client', async () => {
    const guest = await enter(await world.organizer({ at: acme }))
    await world.database.pool.query(`update clients set ai_assistants_allowed = false where id = $1`, [acme.clientId])
    expect((await guest.get(BASE)).status).toBe(200)
    await world.database.pool.query(`update clients set ai_assistants_allowed = true, active = false where id = $1`, [acme.clientId])
    expect((await guest.get(BASE)).status).toBe(404)
    await world.database.pool.query(`update clients set active = true where id = $1`, [acme.clientId])
  })
})

describe('console forms of an event', () => {
  it('rejects event forms without a valid CSRF token and origin', async () => {
    const guest = await enter(olga)
    const before = await countRows()
    const page = await guest.get(`${BASE}/draft`)
    const restore = await guest.get(`${BASE}/versions/1/restore`)
    const right: Record<string, Record<string, string>> = {
      [`${BASE}/draft/publish`]: { revision: readFieldValue(page.html, 'revision')! },
      [`${BASE}/versions/1/restore`]: {
        revision: readFieldValue(restore.html, 'revision')!,
        confirmToken: readFieldValue(restore.html, 'confirmToken')!,
      },
      '/console/events/new': NEW,
    }
    const other = readFieldValue((await (await enter(await world.organizer({ at: acme }))).get(BASE)).html, '_csrf')!
    for (const [path, fields] of Object.entries(right))
      for (const proof of [
        { csrf: null },
        { csrf: 'x'.repeat(43) },
        { csrf: other },
        { csrf: readFieldValue(page.html, '_csrf')!, origin: 'https://evil.example' },
      ]) {
        const answer = await guest.forge(path, fields, proof)
        expect([path, answer.status, answer.text.includes('did not come from this site')]).toEqual([path, 400, true])
      }
    expect(await countRows()).toBe(before)
  })

  it("rejects another user's confirmation token in an event form", async () => {
    const [mine, theirs] = [await enter(olga), await enter(await world.organizer({ at: acme }))]
    const path = `${BASE}/versions/1/restore`
    const { html } = await theirs.get(path)
    const before = await countRows()
    const answer = await mine.submit(path, path, {
      revision: readFieldValue(html, 'revision')!,
      confirmToken: readFieldValue(html, 'confirmToken')!,
    })
    expect([answer.status, await countRows()]).toEqual([400, before])
  })
})

describe('form that creates an event', () => {
  it('creates the same event as the tool create_event, and opens the page of the event', async () => {
    const guest = await enter(olga)
    const form = await guest.get('/console/events/new')
    expect(Buffer.byteLength(form.html)).toBeLessThan(60_000)
    const answer = await guest.submit('/console/events/new', '/console/events/new', {
      client: 'acme',
      name: 'Spring Meeting',
      startsOn: '2027-05-12',
      'venue/city': 'Lisbon',
      'venue/country': 'PT',
      timezone: 'Europe/Lisbon',
      locale: 'pt',
      template: 'meeting',
    })
    expect([answer.status, answer.location]).toEqual([303, '/console/events/acme/spring-meeting?done=created'])
    const page = await guest.get(answer.location!)
    for (const words of [
      'Event created',
      'Spring Meeting',
      'draft',
      '12 May 2027',
      'Lisbon, Portugal',
      'Never published',
      'Not live yet',
      'Test mode is on',
    ])
      expect(page.text).toContain(words)
    const { rows } = await world.database.pool.query<any>(
      `select e.ends_on::text, e.timezone, e.currency, e.locale, e.test_mode, a.tool, a.app_name from events e join audit_entries a
       on a.targets @> jsonb_build_array(jsonb_build_object('kind', 'event', 'id', e.id)) where e.code = 'spring-meeting'`,
    )
    expect(rows).toEqual([
      {
        ends_on: '2027-05-12',
        timezone: 'Europe/Lisbon',
        currency: 'EUR',
        locale: 'pt',
        test_mode: true,
        tool: 'create_event',
        app_name: 'console',
      },
    ])
    // The template's texts are in the language of the event.
    const flow = await olga.call('config_explore', { eventCode: 'spring-meeting', path: '/flows/attendee/name', depth: 0 })
    expect(flow.valueJson).toBe('"Inscrição"')
  })

  it('shows each error of the event creation form at its field and keeps the input', async () => {
    const guest = await enter(olga)
    const send = (fields: Record<string, string>) => guest.submit('/console/events/new', '/console/events/new', { ...NEW, ...fields })
    const before = await countRows()
    for (const [fields, sentence] of [
      [{ name: '' }, 'Name: must not be empty'],
      [{ startsOn: '' }, 'First day: must not be empty'],
      [{ startsOn: '2027-02-30' }, 'First day: no such day: February 2027 has 28 days'],
      [{ endsOn: '2027-05-01' }, 'Last day: '],
      [{ template: 'circus' }, 'Start with: choose one of the options'],
      [{ code: 'Über cool' }, 'Code: a code has 1 to 63 characters'],
      [{ locale: 'klingonese-1-1' }, 'Language: '],
      [{ timezone: 'Mars/Base' }, 'Time zone: not an IANA time zone'],
      [{ 'venue/country': 'ZZ' }, 'Country: not a country code'],
      [{ code: 'summit' }, 'already has an event summit'],
    ] as const) {
      const answer = await send({ 'venue/city': 'Porto', ...fields })
      expect([fields, answer.status, answer.text.toLowerCase().includes(sentence.toLowerCase())]).toEqual([fields, 400, true])
      expect(readFieldValue(answer.html, 'venue/city')).toBe('Porto')
    }
    expect(await countRows()).toBe(before)
  })
})

describe('unusual names on event pages', () => {
  it.each([
    ['arabic', ARABIC],
    ['long', LONG],
  ])('shows unusual names such as %s in full on every page, and limits the size of every page', async (code, name) => {
    const guest = await enter(olga)
    for (const path of PAGES.slice(0, -1).map((one) => one.replace('/summit', `/${code}`))) {
      const page = await guest.get(path)
      expect([path, page.status, page.text.includes(name)]).toEqual([path, 200, true])
      expect(Buffer.byteLength(page.html)).toBeLessThan(60_000)
    }
    expect((await guest.get(`/console/events/acme/${code}`)).html).toContain(`<h1 dir="auto">${name}</h1>`)
  })
})
