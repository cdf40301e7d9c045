import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProblemsInLooks, type BrowserLook, type Looks, WALKS } from '../support/browser.ts'
import { FESTIVAL } from '../support/festival.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type Visitor, visitor } from '../support/visitor.ts'
import { openContextOf } from '../support/whole-event.ts'

let selling: SalesScenario
let served: Served
/** Signed-in participants: one with all kinds of data, one who shares an email address, and one who cancelled. */
const people = new Map<string, Visitor>()

const LONG = 'Bundesverband der kommunalen Wasserversorgungsunternehmen und Abwasserzweckverbände'
/** Words without a line break opportunity, as in real names. */
const UNBROKEN = 'Wolfeschlegelsteinhausenbergerdorff'

const EVENT = {
  ...FESTIVAL,
  details: { ...FESTIVAL.details, description: '<p>Three days about what cities do with their rivers.</p>' },
  flows: [
    { ...FESTIVAL.flows[0]!, editUntil: '2026-10-01T10:00:00Z' },
    { ...FESTIVAL.flows[0]!, slug: 'late', name: 'Last minute', opensAt: '2026-09-01T10:00:00Z' },
  ],
}

beforeAll(async () => {
  selling = await openSalesScenario(EVENT, { baseUrl: await chooseFreeBaseUrl(), timezone: 'Europe/Vienna', startsOn: '2026-10-13' })
  served = await serve(selling.world)
  await selling.call('update_event', { locales: ['en', 'de'] })
  const register = async (email: string, more: object = {}, products: Record<string, number> = { full: 1, gala: 2 }) => {
    await selling.register(products, {
      data: { '@participant.email': email, '@custom.diet': 'other', '@custom.first': true, ...more },
      skipRequired: true,
    })
  }
  await register('full@linden.example', {
    '@participant.firstName': 'Maximiliane',
    '@participant.lastName': UNBROKEN,
    '@participant.company': LONG,
    '@participant.jobTitle': 'Head of everything that flows',
    '@participant.country': 'AT',
    '@custom.diet-note': 'No nuts. '.repeat(30).trim(),
    '@custom.topics': ['floods', 'trees', 'law'],
  })
  for (const firstName of ['Ana', 'Ben']) await register('both@linden.example', { '@participant.firstName': firstName }, {})
  await register('gone@linden.example')
  for (const email of ['full@linden.example', 'both@linden.example', 'gone@linden.example'])
    people.set(email, await signInVisitor(selling.world, served, selling.event, email))
  await people.get('gone@linden.example')!.post(`${eventHomePath(selling.event)}/registration/cancel`, { agree: 'on' })
})
afterAll(() => selling.world.end())

/**
 * The visitor, the screenshot name, the path and heading of each page; `of its own` marks a state that every-page.test.ts does not cover.
 */
const PAGES: readonly [who: string | null, name: string, path: string, heading: RegExp, state?: 'of its own'][] = [
  [null, 'event', '', /Cities and Water 2026/],
  [null, 'start', '/register/attendee', /Congress registration/],
  [null, 'not-yet', '/register/late', /./, 'of its own'],
  [null, 'sign-in', '/registration/sign-in?email=ana%40linden.example', /./],
  [null, 'sign-in-code', '/registration/sign-in/code?email=ana%40linden.example', /./],
  [null, 'old-link', '/registration/sign-in/link?token=nothing', /./, 'of its own'],
  [null, 'nowhere', '/register/nosuch', /./, 'of its own'],
  ['full@linden.example', 'mine', '/registration', /Maximiliane/],
  ['full@linden.example', 'edit', '/registration/edit', /./],
  ['full@linden.example', 'edit-you', '/registration/edit/you', /About you/],
  ['full@linden.example', 'edit-tickets', '/registration/edit/tickets', /Tickets/],
  ['full@linden.example', 'sharing', '/registration/sharing', /./],
  ['full@linden.example', 'pay', '/registration/pay', /./],
  ['full@linden.example', 'cancel', '/registration/cancel', /./],
  ['full@linden.example', 'german', '/registration?lang=de', /Maximiliane/, 'of its own'],
  ['both@linden.example', 'choose', '/registration', /Choose a registration/, 'of its own'],
  ['gone@linden.example', 'cancelled', '/registration', /./, 'of its own'],
  ['gone@linden.example', 'cancelled-again', '/registration/cancel', /./, 'of its own'],
]

async function openFor(who: string | null, look: BrowserLook): Promise<Page> {
  const context = await openContextOf(served, who === null ? visitor(served) : people.get(who)!, look)
  return context.newPage()
}

/** The layout and accessibility problems of an open page in all looks (size and color scheme), without opening it again. */
async function findPageProblems(page: Page, name: string, looks: Looks): Promise<string[]> {
  const problems: string[] = Buffer.byteLength(await page.content()) < 50 * 1024 ? [] : [`${name}: weighs more than 50 KB`]
  return [...problems, ...(await findProblemsInLooks(page, looks, `own-${name}`, { cut: true }))]
}

describe.each(WALKS)('registration pages with scripts $scripts', ({ scripts, looks }) => {
  it.each([null, 'full@linden.example', 'both@linden.example', 'gone@linden.example'])(
    'shows accessible registration pages that fit the window and stay within the size limit: %s',
    async (who) => {
      const problems: string[] = []
      const page = await openFor(who, looks[0])
      for (const [, name, path, heading] of PAGES.filter(([whose, , , , state]) => whose === who && (state || !scripts))) {
        await page.goto(`${served.baseUrl}${eventHomePath(selling.event)}${path}`)
        expect([name, await page.textContent('h1')]).toEqual([name, expect.stringMatching(heading)])
        problems.push(...(await findPageProblems(page, name, looks)))
      }
      await page.context().close()
      expect(problems).toEqual([])
    },
  )

  it('shows the cost of an order change before the change is made', async () => {
    const page = await openFor('full@linden.example', looks[0])
    await page.goto(`${served.baseUrl}${eventHomePath(selling.event)}/registration/edit/tickets`)
    await page.fill('[name="@product.gala"]', '3')
    await page.click('main form .actions button.primary')
    await page.waitForLoadState()
    expect(await page.textContent('main')).toContain('85.00')
    expect(await findPageProblems(page, 'confirm-edit', looks)).toEqual([])
    await page.context().close()
  })
})
