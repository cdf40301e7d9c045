import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProblemsInLooks, applyLook, openSignedIn, scrollsSideways, WALKS } from '../support/browser.ts'
import { FESTIVAL } from '../support/festival.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

const ARABIC = 'مؤتمر المياه والمدن في القاهرة'
const LONG = 'The Sixty-Second International Congress on Rivers and Cities'

let scenario: SalesScenario
let served: Served
let base: string
let person: string

/** A form with a conditional page, and a page that is not published yet. */
const FLOW = FESTIVAL.flows[0]!
const BRANCHED = {
  ...FESTIVAL,
  details: { ...FESTIVAL.details, capacity: 300 },
  flows: [
    {
      ...FLOW,
      pages: [
        ...FLOW.pages.slice(0, 1),
        {
          code: 'kitchen',
          title: 'For the kitchen',
          showWhen: { all: [{ binding: '@custom.diet', op: 'equals', value: 'other' }] },
          widgets: [{ id: 'needs', type: 'field', binding: '@participant.accessibility' }],
        },
        ...FLOW.pages.slice(1),
      ],
    },
  ],
}

beforeAll(async () => {
  scenario = await openSalesScenario(BRANCHED, { baseUrl: await chooseFreeBaseUrl(), startsOn: '2026-06-10' })
  const { world, event } = scenario
  const answers = { '@custom.diet': 'all', '@custom.first': true, '@participant.country': 'AT' }
  for (const [day, people] of [12, 3, 0, 5, 1, 7, 9, 2].entries()) {
    await world.clock.stopAt(`2026-04-${10 + day}T10:00:00Z`)
    for (let person = 0; person < people; person++)
      await scenario.register({ [person % 3 === 0 ? 'day' : 'full']: 1, gala: person % 2 }, { data: answers, skipRequired: true })
  }
  await world.clock.stopAt('2026-04-18T10:00:00Z')
  await world.renewTokens()
  const { participants } = await scenario.call('find_participants', { limit: 4 })
  person = participants.pop().id
  for (const { id } of participants) await scenario.call('edit_participant', { participantId: id, status: 'cancelled' }).catch(() => null)
  await scenario.call('config_set', {
    operations: [
      { op: 'set', path: '/products/gala/capacity', valueJson: '80' },
      { op: 'set', path: '/products/full/name', valueJson: JSON.stringify(ARABIC) },
      {
        op: 'insert',
        path: '/flows/attendee/pages',
        before: 'end',
        valueJson: JSON.stringify({
          code: 'night',
          title: 'The night',
          widgets: [{ id: 'night', type: 'text', body: '<p>Bring a coat.</p>' }],
        }),
      },
    ],
  })
  served = await serve(world)
  await world.organizer({ at: event, role: 'registrar', name: LONG, email: 'long@example.org' })
  base = `/console/events/${event.clientCode}/${event.eventCode}`
})
afterAll(() => scenario.world.end())

describe.each(WALKS)('event pages of the console with scripts $scripts', ({ label: walk, scripts, looks }) => {
  let page: Page
  const expectGood = async (name: string, more = {}) => expect(await findProblemsInLooks(page, looks, `event-${name}`, more)).toEqual([])
  /** Pages whose state every-page.test.ts also covers. */
  const known = { amongEveryPage: true }
  beforeAll(async () => {
    page = await openSignedIn(served, scenario.olga, looks[0])
  })
  afterAll(() => page.context().close())

  it('shows console pages of an event without layout or accessibility problems', async () => {
    await page.goto(`${served.baseUrl}/console`)
    await page.click(`main a[href="${base}"]`)
    expect(await page.textContent('h1')).toBe('Cities and Water 2026')
    await expectGood('overview', known)
    await page.click('summary:has-text("Numbers by day")')
    await expectGood('numbers')
    // A draft with an unpublished page, and a form with a conditional page.
    const own = ['draft', 'products', 'flows/attendee']
    const one = `participants/${person}`
    const people = ['participants', 'participants?search=zeppelin', one, `${one}/edit`, `${one}/cancel`, `${one}/substitute`]
    // With scripts, every-page.test.ts covers these pages.
    const others = ['versions', 'versions/1', 'versions/1/restore', ...people, '../../new']
    for (const name of scripts ? own : [...own, ...others]) {
      await page.goto(new URL(name, `${served.baseUrl}${base}/`).href)
      await expectGood(name.replaceAll(/\W+/g, '-'))
    }
  })

  it('shows console pages of an event without layout problems at 200% zoom', async () => {
    for (const name of ['', '/draft', '/products', '/flows/attendee', '/participants', `/participants/${person}`]) {
      await page.goto(`${served.baseUrl}${base}${name}`)
      for (const width of [640, 195]) {
        await page.setViewportSize({ width, height: 500 })
        expect([name, width, await scrollsSideways(page)]).toEqual([name, width, false])
      }
    }
    await applyLook(page, looks[0])
  })

  it.runIf(scripts)(
    'inserts a chosen merge field of an email at the cursor, or into the first text if no text field was clicked',
    async () => {
      await page.goto(`${served.baseUrl}${base}/emails/waitlist.offered/edit`)
      await page.click('summary:has-text("Fields you can use")')
      await page.click('button:has-text("Event name")')
      expect(await page.inputValue('#subject')).toMatch(/{{event\.name}}$/)
      const text = page.locator('textarea').first()
      await text.fill('Dear , a seat is free.')
      await text.evaluate((area: any) => area.setSelectionRange(5, 5))
      await page.click('button:has-text("First name")')
      expect(await text.inputValue()).toBe('Dear {{participant.firstName}}, a seat is free.')
      await page.click('button:text("Preview")')
      expect(await page.textContent('main')).toContain('a seat is free.')
    },
  )

  it('creates and opens an event with a long name and an event with an Arabic name', async () => {
    for (const name of [LONG, ARABIC]) {
      await page.goto(`${served.baseUrl}/console/events/new`)
      await page.fill('#name', name)
      await page.fill('#startsOn', '2027-05-12')
      await page.fill('#code', `${name === LONG ? 'long' : 'arabic'}-${walk}`)
      await page.click('text=Create event')
      expect(await page.textContent('h1')).toBe(name)
      await expectGood(name === LONG ? 'long' : 'arabic')
    }
  })
})
