import { createHash } from 'node:crypto'
import { Hono } from 'hono'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { editDraft } from '../../src/domains/authoring/edit.ts'
import { publishEvent } from '../../src/domains/authoring/publish.ts'
import type { ConfigDocument } from '../../src/domains/configuration/schema/event-config.ts'
import { ROOT } from '../../src/domains/configuration/schema/nodes.ts'
import { mapValues } from '../../src/domains/configuration/walk.ts'
import { openSession } from '../../src/domains/sign-in/sessions.ts'
import { contentPolicy } from '../../src/surfaces/web/content-policy.ts'
import { AT_EVENT } from '../../src/surfaces/web/event/place.ts'
import type { WebEnv } from '../../src/surfaces/web/web.ts'
import { contextAt } from '../support/at-event.ts'
import { launchBrowser, openAs } from '../support/browser.ts'
import { assistantAt, newestCodeOf } from '../support/codes.ts'
import { exhibitorsAt } from '../support/companies.ts'
import { FESTIVAL } from '../support/festival.ts'
import { hotelAt } from '../support/hotels.ts'
import { type Caught, isQuiet, LONG_PAYLOADS, PAYLOADS, watch } from '../support/markup.ts'
import { remember } from '../support/memories.ts'
import { homeOf } from '../support/own-pages.ts'
import { apiAccountAt, personAt } from '../support/participants.ts'
import { hiddenIn, type Registrant, registrantAt } from '../support/registering.ts'
import { addressesOf, type Known, pageRoutes } from '../support/route-walk.ts'
import { openSelling, type Selling } from '../support/selling.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { times } from '../support/soak.ts'
import { type Visitor, visitor } from '../support/visitor.ts'

/** Texts of others stay texts: typed by people, organizers and integrators, seen on every page and in every mail that shows them. */

/** In each round every text holds another payload; in a soak every text has held every one. */
const ROUNDS = Math.min(times(1), PAYLOADS.length)

/** Seen once with what they show; nothing that others wrote leads to them by what is known here. */
const ELSEWHERE = new Set([
  // Before there is anybody.
  '/console/setup',
  // With a password and without the second factor.
  '/console/sign-in/totp',
  // Charges of test data alone.
  '/sandbox/:kind/:id',
  // Where there is one.
  '/console/clients/:code/webhooks/:webhook{[0-9a-f]{24}}',
  // Of whoever has a room.
  `${AT_EVENT}/housing/:reservation/cancel`,
  // While a card is being paid.
  `${AT_EVENT}/register/:flow/pay/return`,
  `${AT_EVENT}/registration/pay/return`,
])
/** By a token that only its mail holds. */
const BY_TOKEN = /token|\/link$|\/password$/
const NO_PAGES = /^\/(assets|themes|covers|docs|api|\.well-known|embed\.js)|^\/$/

let story: Selling
let served: Served
let browser: Browser
let crew: Visitor

const EVENT = {
  ...FESTIVAL,
  housing: { enabled: true, seeAvailability: 'exact' },
  exhibitorConfig: { appointmentMinutes: 15, meetingHours: [{ day: '2026-10-13', from: '08:00', until: '20:00' }] },
  emails: [
    {
      code: 'welcome',
      name: 'Welcome',
      trigger: 'registration.completed',
      subject: 'Welcome, {{participant.fullName}}',
      preheader: 'For {{participant.firstName}}',
      blocks: [
        { id: 'hello', type: 'heading', text: 'Hello {{participant.firstName}}' },
        { id: 'said', type: 'text', html: '<p>You come from {{participant.company}}.</p>' },
        { id: 'mark', type: 'text', markdown: 'Hello *you*' },
        { id: 'go', type: 'button', label: 'My registration', link: 'myRegistration' },
        { id: 'shop', type: 'productList', productCodes: ['full'] },
        { id: 'where', type: 'eventDetails' },
        { id: 'sum', type: 'orderSummary' },
        { id: 'badge', type: 'qrBadge', caption: 'Your badge' },
        { id: 'own', type: 'html', html: '<p>By hand</p>' },
        { id: 'foot', type: 'footer', text: 'Goodbye' },
      ],
      attachments: ['calendar'],
    },
  ],
  flows: FESTIVAL.flows.map((flow) => ({
    ...flow,
    pages: flow.pages.map((page) =>
      page.code === 'you'
        ? {
            ...page,
            widgets: [
              ...page.widgets,
              { id: 'prose', type: 'text', body: '<p>Read this</p>' },
              { id: 'note', type: 'notice', body: '<p>And this</p>' },
              { id: 'more-about', type: 'accordion', items: [{ id: 'one', title: 'More', body: '<p>Much</p>' }] },
              { id: 'when', type: 'countdown', until: '2026-10-13T08:00:00Z', label: 'Begins' },
              {
                id: 'street',
                type: 'field',
                binding: '@participant.preferredName',
                label: 'Called',
                help: 'By friends',
                placeholder: 'Ann',
              },
            ],
          }
        : page,
    ),
  })),
}

beforeAll(async () => {
  story = await openSelling(EVENT, { baseUrl: await freeBaseUrl(), timezone: 'Europe/Vienna', startsOn: '2026-10-13' })
  served = await serve(story.world, { extras: { morePages: controls } })
  const { world, event, olga } = story
  await hotelAt(world, event, {
    roomTypes: [
      {
        code: 'king',
        name: 'King',
        beds: ['king'],
        maxOccupancy: 2,
        nights: [{ from: '2026-10-12', until: '2026-10-15', rooms: 9, single: 9900 }],
      },
    ],
  })
  await exhibitorsAt(world, event).company({ description: 'Pumps' })
  await apiAccountAt(world, event)
  await remember(world, { at: event, by: olga, title: 'Chairs', text: 'Bring more', tags: [] })
  await story.call('create_managed_group', {
    name: 'Crew',
    code: 'crew',
    kind: 'company',
    payBy: 'group',
    flowSlug: 'attendee',
    admins: [{ email: 'crew@example.org', name: 'Connie' }],
  })
  await story.register({ full: 1 }, { groupCode: 'crew', skipRequired: true })
  crew = await groupAdminSignedIn('crew@example.org')
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await story.world.end()
})

/** Pages that do what ours must not: with the payload as it is, with and without the policy of ours. */
const controls = () =>
  new Hono<WebEnv>().get('/control/:number/:policy', (c) => {
    const payload = [...PAYLOADS, ...LONG_PAYLOADS][Number(c.req.param('number'))]!
    if (c.req.param('policy') === 'ours') c.header('content-security-policy', contentPolicy())
    return c.html(`<!doctype html><title>Control</title><p>${payload}x</p><input value="${payload}"><input value='${payload}'>`)
  })

/** Whoever looks after the group, by the code in their mailbox. */
async function groupAdminSignedIn(email: string): Promise<Visitor> {
  const who = visitor(served)
  const signIn = `${homeOf(story.event)}/group/crew/sign-in`
  await who.post(signIn, { email })
  const code = await newestCodeOf(story.world, email)
  await who.post(`${signIn}/code`, { email, code }, { from: `${signIn}/code?email=${encodeURIComponent(email)}` })
  return who
}

/** A browser with the cookies that somebody has already. */
async function contextOf(who: Visitor): Promise<BrowserContext> {
  const context = await openAs(browser, { width: 1280, scheme: 'light', scripts: true })
  await context.addCookies([...who.cookies].map(([name, value]) => ({ name, value: encodeURIComponent(value), url: served.baseUrl })))
  return context
}

const nth = (number: number) => PAYLOADS[number % PAYLOADS.length]!

/** Every text of the event's document that people read, found by its schema. */
async function spoilEvent(round: number): Promise<number> {
  const { world, event } = story
  let texts = 0
  const spoil = (document: ConfigDocument) =>
    mapValues(ROOT, document, '', (node, value) => {
      if (typeof value !== 'string' || !node.word.translatable) return value
      const payload = nth(++texts + round)
      if (node.word.html) return `<p>${[...PAYLOADS, ...LONG_PAYLOADS].slice(texts % 7).join('</p><p>')}</p>`
      // What stands for something of the person stays, so that their texts are seen there too.
      return value.includes('{{') ? `${/\{\{[^}]*\}\}/.exec(value)![0]} ${payload}` : payload
    }) as ConfigDocument
  await world.database.transact(async (db) => {
    const ctx = await contextAt(world, event, db)
    await editDraft(ctx, { tool: 'test', operations: [] }, ({ document }) => spoil((clean ??= document)))
    await publishEvent(ctx, { acceptWarnings: true })
  })
  return texts
}
let clean: ConfigDocument | undefined

/** Names that organizers, integrators and companies give. */
const NAMES: readonly [table: string, column: string][] = [
  ['clients', 'name'],
  ['users', 'name'],
  ['api_accounts', 'name'],
  ['oauth_clients', 'name'],
  ['managed_groups', 'name'],
  ['companies', 'name'],
  ['companies', 'description'],
  ['companies', 'contact_name'],
  ['event_hotels', 'name'],
  ['memories', 'title'],
  ['memories', 'body'],
]
async function spoilNames(round: number): Promise<void> {
  for (const [i, [table, column]] of NAMES.entries())
    await story.world.database.pool.query(`update ${table} set ${column} = $1`, [nth(i * 5 + round)])
}

/** Fills in the form with payloads, as far as its last page. */
async function register(email: string, round: number): Promise<Registrant> {
  const who = registrantAt(visitor(served), story.event)
  await who.begin(email)
  const [first, last] = [nth(round), nth(round + 1)]
  const must = async (page: string, fields: Record<string, string>, press?: string) => {
    const { status, text } = await who.fill(page, fields, press ? { press } : {})
    expect([page, status, status === 303 ? '' : text.slice(0, 400)]).toEqual([page, 303, ''])
  }
  await must('you', {
    '@participant.firstName': first,
    '@participant.lastName': last,
    '@participant.company': nth(round + 2),
    '@participant.jobTitle': nth(round + 3),
    '@participant.preferredName': nth(round + 4),
    '@participant.city': nth(round + 5),
    '@participant.address1': nth(round + 6),
    '@participant.country': 'AT',
    '@custom.diet': 'other',
    '@custom.diet-note': nth(round + 7),
    '@custom.first': 'true',
  })
  await must('tickets', { 'one.ticket': 'full', '@guest.1.firstName': nth(round + 8) })
  await must('consent', { '@policy.terms': `${first} ${last}`, _method: 'bank' })
  return who
}

interface Somebody {
  name: string
  who: Visitor
}

/** Everybody who sees pages: nobody in particular, somebody on the way, somebody registered, whoever looks after a group, and the organizer. */
async function audience(round: number): Promise<Somebody[]> {
  const { world, olga } = story
  const begun = await register(`begun-${round}@example.org`, round)
  const done = await register(`done-${round}@example.org`, round + 9)
  expect((await done.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
  const organizer = visitor(served)
  const token = await openSession(world.database.write, { userId: olga.userId, totpPending: false, userAgent: 'test' })
  organizer.cookies.set('lanyard-organizer', token.reveal())
  return [
    { name: 'nobody', who: visitor(served) },
    { name: 'begun', who: begun.who },
    { name: 'done', who: done.who },
    { name: 'crew', who: crew },
    { name: 'organizer', who: organizer },
  ]
}

/** What can stand in an address here. */
async function known(): Promise<Known> {
  const { tenantCode, clientCode, eventCode } = story.event
  const { rows } = await story.world.database.pool.query<{ value: string }>(
    `(select id as value from messages where html_body is not null order by id desc limit 3)
     union all (select badge_id from participants where badge_id is not null order by id desc limit 1)
     union all (select id from participants where group_id is not null limit 1)
     union all (select id from participants order by id desc limit 2) union all (select id from api_accounts limit 1)
     union all (select id from users limit 1) union all (select id from memories limit 1) union all (select id from companies limit 1)`,
  )
  const invoices = await story.world.database.pool.query<{ file: string }>(`select number || '.pdf' as file from invoices`)
  return {
    named: {
      file: invoices.rows.map(({ file }) => file),
      tenant: [tenantCode],
      client: [clientCode],
      event: [eventCode],
      flow: ['attendee'],
      page: ['you', 'tickets', 'consent', 'end'],
      code: [clientCode, 'crew'],
      position: ['0'],
      number: ['1'],
      slug: ['attendee'],
    },
    any: rows.map(({ value }) => value),
  }
}

/** The same payloads where an address asks for something. */
const ASKED = ['email', 'next', 'search', 'q', 'code', 'done', 'failed', 'utm_source', 'lang', 'cursor', 'status', 'preset']
const query = (round: number) => new URLSearchParams(ASKED.map((name, i): [string, string] => [name, nth(round + i)])).toString()

async function walk(people: readonly Somebody[], round: number): Promise<{ seen: Set<string>; loud: [string, Caught][]; pages: number }> {
  const [seen, loud, values] = [new Set<string>(), [] as [string, Caught][], await known()]
  const looked = new Set<string>()
  for (const { name, who } of people) {
    const context = await contextOf(who)
    const eyes = await watch(context, served.baseUrl)
    for (const route of pageRoutes(story.world)) {
      if (NO_PAGES.test(route) || (name !== 'organizer' && name !== 'nobody' && route.startsWith('/console'))) continue
      for (const address of addressesOf(route, values)) {
        for (const path of round === 0 && name !== 'begun' ? [address, `${address}?${query(round)}`] : [address]) {
          const { status, headers, html } = await who.get(path)
          if (status >= 500) loud.push([`${status} ${name} ${path}`, { ran: [], asked: [], stopped: [], active: [] }])
          // What is not there is not there whatever it is asked for; what leads away may wait for an address.
          if (status === 404) break
          if (status === 303 || status === 302) continue
          seen.add(route)
          if (!headers.get('content-type')?.startsWith('text/html')) continue
          // The same page is the same to everybody, but for the token of its forms.
          const told = createHash('sha256')
            .update(html.replaceAll(/name="_csrf" value="[^"]*"/g, ''))
            .digest('base64')
          if (looked.has(told)) continue
          looked.add(told)
          const caught = await eyes.look((page) => page.goto(`${served.baseUrl}${path}`), { isMail: route === '/console/mailbox/:id/html' })
          if (!isQuiet(caught)) loud.push([`${name} ${path}`, caught])
        }
      }
    }
    await context.close()
  }
  return { seen, loud, pages: looked.size }
}

/** What is shown again because it was wrong. */
async function wrongForms({ who }: Somebody, round: number): Promise<string[]> {
  const home = homeOf(story.event)
  const shown: string[] = []
  const send = async (path: string, fields: Record<string, string>) => shown.push((await who.post(path, fields)).html)
  await send(`${home}/registration/sign-in`, { email: nth(round), next: nth(round + 1) })
  await send(`${home}/register/attendee`, { email: nth(round + 2), code: nth(round + 3) })
  await send('/console/sign-in', { email: nth(round + 4), password: nth(round + 5), next: nth(round + 6) })
  const signIn = `${home}/registration/sign-in/code`
  shown.push((await who.post(signIn, { email: nth(round + 7), code: nth(round + 8) }, { from: `${signIn}?email=a%40example.org` })).html)
  return shown
}

describe('a text that wants to be more', () => {
  it('is noticed where it is: on pages that show it as it is, under our policy and without', async () => {
    const context = await openAs(browser, { width: 1280, scheme: 'light', scripts: true })
    const eyes = await watch(context, served.baseUrl)
    const missed: string[] = []
    let ran = 0
    for (const [i, payload] of [...PAYLOADS, ...LONG_PAYLOADS].entries()) {
      for (const policy of ['none', 'ours']) {
        const caught = await eyes.look((page) => page.goto(`${served.baseUrl}/control/${i}/${policy}`))
        if (isQuiet(caught)) missed.push(`${policy} ${payload}`)
        if (policy === 'ours') expect([payload, caught.ran]).toEqual([payload, []])
        else ran += caught.ran.length
      }
    }
    expect(missed).toEqual([])
    expect(ran).toBeGreaterThan(PAYLOADS.length / 2)
    await context.close()
  })

  for (let round = 0; round < ROUNDS; round++) {
    it(`is a text on every page and in every mail, round ${round + 1} of ${ROUNDS}`, { timeout: 1_200_000 }, async () => {
      const { world, event } = story
      expect(await spoilEvent(round)).toBeGreaterThan(50)
      await spoilNames(round)
      const people = await audience(round)
      const { seen, loud, pages } = await walk(people, round)
      expect(pages).toBeGreaterThan(30)
      const unseen = pageRoutes(world).filter((route) => !seen.has(route) && !NO_PAGES.test(route) && !BY_TOKEN.test(route))
      expect({ loud, unseen: unseen.filter((route) => !ELSEWHERE.has(route)) }).toEqual({ loud: [], unseen: [] })

      const account = await apiAccountAt(world, event, nth(round))
      await (await assistantAt(world, event, account)).request(`code-${round}@example.org`)
      const guest = await personAt(world, event, { account, email: `done-${round}@example.org`, registrations: 0 })
      const { companies } = await guest.call('list_exhibitor_availability')
      await guest.call('book_exhibitor_appointment', { slotId: companies[0].slots[0].slotId, message: nth(round) })
      const [, , done] = people
      const cancel = `${homeOf(event)}/registration/cancel`
      const page = await done!.who.get(cancel)
      expect((await done!.who.post(cancel, { ...hiddenIn(page.html), agree: 'on' }, { csrf: null })).status).toBe(303)

      const context = await openAs(browser, { width: 1280, scheme: 'light', scripts: true })
      const eyes = await watch(context, served.baseUrl)
      const { rows } = await world.database.pool.query<{ code: string; html: string }>(
        `select coalesce(email_code, source_kind) as code, html_body as html from messages where html_body is not null`,
      )
      expect(new Set(rows.map(({ code }) => code)).size).toBeGreaterThanOrEqual(5)
      for (const { code, html } of rows) {
        const caught = await eyes.look((mail) => mail.setContent(html), { isMail: true })
        expect([code, caught]).toEqual([code, { ran: [], asked: [], stopped: [], active: [] }])
      }
      for (const html of await wrongForms(people[0]!, round)) {
        const caught = await eyes.look((form) => form.setContent(html))
        expect(caught).toMatchObject({ ran: [], active: [] })
      }
      await context.close()
    })
  }
})
