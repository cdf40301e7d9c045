import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProblemsInLooks, openSignedIn, WALKS } from '../support/browser.ts'
import { followLink, pressAt, tabTo as tabToElement, typeInto } from '../support/keyboard.ts'
import { newAttendee, openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

/** An organizer who uses only the console and the keyboard: payment, refund, waiting list, a change of an email, and its publication. */

const [pass, workshop, dinner] = WORKED_EXAMPLE.products
const SECTIONS = {
  ...WORKED_EXAMPLE,
  flows: WORKED_EXAMPLE.flows.map((flow) => ({
    ...flow,
    pages: flow.pages.map((page) => ({
      ...page,
      widgets: page.widgets.map((widget) =>
        'products' in widget && widget.products ? { ...widget, products: [...widget.products, 'breakfast'] } : widget,
      ),
    })),
  })),
  details: { ...WORKED_EXAMPLE.details, name: 'Danube Heart Congress 2027' },
  products: [
    pass!,
    { ...workshop!, name: 'Echo hands-on', capacity: 6, waitlist: true },
    { code: 'breakfast', name: 'Breakfast', category: 'meal', taxCode: 'vat-10', prices: [{ amount: '50.00' }] },
    { ...dinner!, name: 'Gala dinner', prices: [{ amount: '0.00' }], capacity: 3, waitlist: true },
  ],
}
const PEOPLE: [first: string, last: string, company: string][] = [
  ['Ivo', 'Horvat', 'KBC Zagreb'],
  ['Marie', 'Dubois', 'CHU Lyon'],
  ['Anders', 'Holm', 'Rigshospitalet'],
  ['Rania', 'Haddad', 'AUB Medical Center'],
  ['Petra', 'Nováková', 'IKEM Praha'],
  ['Tomás', 'Silva', 'Hospital de São João'],
]

let scenario: SalesScenario
let served: Served
let base: string

async function fillAndQueue(product: string, seats: number): Promise<void> {
  const register = async (n: number) => {
    const [first, last, company] = PEOPLE[n % PEOPLE.length]!
    const data = { '@participant.firstName': first, '@participant.lastName': last, '@participant.company': company }
    return (await scenario.register({ [product]: 1 }, { joinWaitlist: true, data })).participant.id as string
  }
  const seated: string[] = []
  for (let n = 0; n < seats; n++) seated.push(await register(n))
  for (let n = 0; n < seats; n++) await register(n)
  for (const participantId of seated.slice(1)) await scenario.call('edit_participant', { participantId, status: 'cancelled' })
}

beforeAll(async () => {
  scenario = await openSalesScenario(SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
  await fillAndQueue('workshop', 6)
  await fillAndQueue('dinner', 3)
  await createGroup()
  for (const { label } of WALKS)
    await scenario.register(
      { pass: 1, breakfast: 1 },
      { data: { '@participant.firstName': 'Elena', '@participant.lastName': `Fischer ${label}` } },
    )
  served = await serve(scenario.world)
  base = `/console/events/${scenario.event.clientCode}/${scenario.event.eventCode}`
})
afterAll(() => scenario.world.end())

const MAX_STOPS = 120
const FOCUSED_NAME = `(() => {
  const focused = document.activeElement
  const label = focused.labels?.[0]?.textContent ?? ''
  return (focused.getAttribute('aria-label') ?? (label || focused.textContent)).replaceAll(/\\s+/g, ' ').trim()
})()`

/** Moves the focus with the Tab key to the control whose name starts with the given words. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    if ((await page.evaluate<string>(FOCUSED_NAME)).startsWith(name)) return
    await page.keyboard.press('Tab')
  }
  expect.fail(`"${name}" cannot be reached by keyboard on ${page.url()}`)
}

async function follow(page: Page, name: string, to: RegExp): Promise<void> {
  await tabTo(page, name)
  await Promise.all([page.waitForURL(to), page.keyboard.press('Enter')])
}

/** Submits the form whose button has the given name. The page may have the same address afterwards. */
async function submit(page: Page, name: string): Promise<void> {
  await tabTo(page, name)
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
}

/** Opens a page of the navigation, which is behind a button on a phone. */
async function openFromMenu(page: Page, name: string, to: RegExp): Promise<void> {
  if (await page.locator('.menu > summary').isVisible()) {
    await tabTo(page, 'Menu')
    await page.keyboard.press('Enter')
  }
  await follow(page, name, to)
}

/** A group whose bill is partly open, and an invitation without an answer. */
async function createGroup(): Promise<void> {
  const admins = [{ email: 'office@mef.example', name: 'Ana Kovač' }]
  const { group } = await scenario.call('create_managed_group', {
    name: 'University of Zagreb',
    kind: 'delegation',
    payBy: 'group',
    maxMembers: 12,
    flowSlug: 'attendee',
    admins,
  })
  const person = (firstName: string, lastName: string) => ({
    data: newAttendee({ '@participant.firstName': firstName, '@participant.lastName': lastName, '@product.pass': 1 }),
  })
  const add = [person('Ana', 'Kovač'), person('Davor', 'Babić'), person('Iva', 'Marić')]
  const { order } = await scenario.call('update_managed_group_members', { groupCode: group.code, add })
  const amount = { amount: '900.00', currency: 'EUR' }
  await scenario.call('record_manual_payment', {
    kind: 'payment',
    amount,
    orderNumber: order.number,
    method: 'bank',
    reference: 'transfer',
  })
  await scenario.callConfirmed('send_group_invite', { groupCode: group.code, emails: [{ email: 'nina.juric@mef.example' }] })
}

/** Records a bank transfer for a participant, credits a product, and refunds part of the credit. */
async function payAndRefund(page: Page, label: string): Promise<void> {
  const confirm = async () => {
    await followLink(page, 'details[open] button[value="check"]')
    await page.waitForSelector('.result')
    await followLink(page, 'details[open] button[value="confirm"]')
  }
  await openFromMenu(page, 'Participants', /\/participants$/)
  await typeInto(page, '#search', `fischer ${label}`)
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
  await followLink(page, 'td.lead a')
  await followLink(page, 'main .tabs a[href$="/money"]')
  await typeInto(page, '#payment-amount', '950')
  await pressAt(page, '[name="payment-method"]', 'ArrowRight')
  await typeInto(page, '#payment-reference', 'SEPA 4417')
  await confirm()
  expect(await page.textContent('main .notice.success')).toContain('950.00 EUR recorded.')
  await pressAt(page, '#act-credit > summary')
  await tabToElement(page, '#credit-product')
  await page.keyboard.type('Breakfast')
  await typeInto(page, '#credit-reason', 'Leaves early')
  await confirm()
  await typeInto(page, '#refund-amount', '50.00')
  await typeInto(page, '#refund-reference', 'SEPA 88251')
  await confirm()
  expect(await page.textContent('main .notice.success')).toContain('50.00 EUR refunded.')
}

const CONSOLE_CHANGES = `select array_agg(distinct tool) as tools from audit_entries where app_name = 'console'`

const countOf = (status: string) => scenario.queryNumber(`select count(*)::int as figure from waitlist_entries where status = '${status}'`)
const versions = () => scenario.queryNumber('select count(*)::int as figure from config_versions')

describe.each(WALKS)('waiting list in the console with scripts $scripts', ({ label, looks }) => {
  it('lets an organizer record a payment, refund it, offer waiting list seats, edit an email and publish by keyboard', async () => {
    const page = await openSignedIn(served, scenario.olga, looks[0])
    const expectGood = async (name: string) => expect(await findProblemsInLooks(page, looks, name, { cut: true })).toEqual([])
    const before = { offered: await countOf('offered'), promoted: await countOf('promoted'), versions: await versions() }
    await page.goto(`${served.baseUrl}/console`)
    await follow(page, SECTIONS.details.name, new RegExp(`${base}$`))
    await payAndRefund(page, label)
    await openFromMenu(page, 'Waiting lists', /\/waitlist$/)
    await follow(page, 'Echo hands-on', /target=product%3Aworkshop/)
    await expectGood('waitlist')

    await tabTo(page, 'How many')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('2')
    await submit(page, 'Check again')
    expect(await page.textContent('.result')).toMatch(/are emailed an offer for\s+Echo hands-on/)
    expect(await countOf('offered')).toBe(before.offered)
    await submit(page, 'Offer 2 seats')
    expect(await page.textContent('.notice.success')).toContain('2 seats offered')
    expect(await countOf('offered')).toBe(before.offered + 2)
    await expectGood('waitlist-offered')

    await submit(page, 'Withdraw the offer to')
    expect(await page.textContent('main')).toContain('returns to the same position')
    await expectGood('waitlist-withdraw')
    await submit(page, 'Withdraw offer')
    expect(await countOf('offered')).toBe(before.offered + 1)

    await follow(page, 'Gala dinner', /target=product%3Adinner/)
    await submit(page, 'Offer a seat to')
    expect(await page.textContent('.result')).toContain('gets a seat')
    await expectGood('waitlist-promote')
    await submit(page, 'Offer the seat')
    expect(await page.textContent('.notice.success')).toContain('1 person got a seat')
    expect(await countOf('promoted')).toBe(before.promoted + 1)

    await openFromMenu(page, 'Emails', /\/emails$/)
    await followLink(page, 'main a[href*="/emails/waitlist"][href*="offered"]')
    await followLink(page, 'main a[href$="/edit"]')
    await typeInto(page, '#subject', `A seat for you, ${label}`)
    await submit(page, 'Preview')
    await submit(page, 'Save in the draft')
    await openFromMenu(page, 'Draft', /\/draft$/)
    await submit(page, 'Publish version')
    expect(await page.textContent('main')).toContain('Published. Your changes are live.')
    expect(await versions()).toBe(before.versions + 1)
    const { rows } = await scenario.world.database.pool.query<{ tools: string[] }>(CONSOLE_CHANGES)
    // Every change of this journey was made in the console.
    expect(rows[0]!.tools).toEqual(expect.arrayContaining(['record_manual_payment', 'promote_waitlist_entries', 'publish_event']))
    await page.context().close()
  })
  it('invites and removes people of a group by keyboard only', async () => {
    const page = await openSignedIn(served, scenario.olga, looks[0])
    const expectGood = async (name: string) => expect(await findProblemsInLooks(page, looks, name, { cut: true })).toEqual([])
    await page.goto(`${served.baseUrl}${base}`)
    await openFromMenu(page, 'Participants', /\/participants$/)
    await openFromMenu(page, 'Groups', /\/groups$/)
    await expectGood('groups')
    await follow(page, 'University of Zagreb', /\/university-of-zagreb$/)
    await expectGood('group')
    await tabTo(page, 'Email addresses')
    await page.keyboard.type(`marko-${label}@mef.example`)
    await submit(page, 'Review invitations')
    await expectGood('group-invite')
    await submit(page, 'Send 1 invitation')
    expect(await page.textContent('main')).toContain(`marko-${label}@mef.example`)
    await submit(page, 'Remove ')
    await expectGood('group-remove')
    await follow(page, 'Cancel', /\/university-of-zagreb$/)
    await page.context().close()
  })
})
