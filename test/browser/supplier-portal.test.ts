import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProblemsInLooks, WALKED_LOOKS, openContext, openSignedIn, WALKS } from '../support/browser.ts'
import { followLink, tabTo, typeInto } from '../support/keyboard.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { EXAMPLE_NEED, createSourcingFixtures } from '../support/sourcing.ts'

/** Answers of every kind, so that the pages show all their parts. */
const NEEDS = {
  ...EXAMPLE_NEED,
  roomsByNight: EXAMPLE_NEED.roomsByNight!.map((need) => ({ ...need, double: 20, suite: 2 })),
  needSpace: true,
  functions: [{ name: 'Plenary', day: '2027-06-10', from: '09:00', until: '17:00', people: 200, setup: 'theater' as const }],
  mustHaves: ['Step-free rooms'],
  alternates: [{ arrival: '2027-06-17', departure: '2027-06-20' }],
}
const NIGHTS = ['2027-06-10', '2027-06-11', '2027-06-12']

describe('supplier portal in a browser', () => {
  let sales: SalesScenario
  let served: Served
  let rfpId: string
  const homes: string[] = []
  beforeAll(async () => {
    sales = await openSalesScenario(WORKED_EXAMPLE, { baseUrl: await chooseFreeBaseUrl() })
    served = await serve(sales.world)
    const rows = createSourcingFixtures(sales.world, sales.event)
    const { rfp } = await sales.call('create_rfp', {
      briefId: await rows.brief(NEEDS),
      responseDueAt: '2026-05-08T15:00:00Z',
      decisionOn: '2026-05-20',
      questions: [{ code: 'green', text: 'Do you have a green certificate?', type: 'boolean', required: true }],
    })
    rfpId = rfp.id
    const names = WALKS.flatMap(({ label }) => [`Hotel ${label}`, `Keyboard hotel ${label}`])
    const suppliers = await Promise.all(names.map((name) => rows.supplier(name)))
    await sales.call('add_rfp_recipient', { rfpId, recipients: suppliers.map((supplierId) => ({ supplierId })) })
    await sales.callConfirmed('distribute_rfp', { rfpId })
    const { rows: emails } = await sales.world.database.pool.query<{ text: string }>(
      `select text_body as text from messages where recipient_key like 'request%'`,
    )
    homes.push(...emails.map(({ text }) => /https?:\/\/\S+\/supplier\/\S+/.exec(text)![0]))
  })
  afterAll(() => sales.world.end())

  it.each(WALKS)("keeps a supplier's invalid offer in the form, then sends a valid one ($label)", async ({ scripts, looks, label }) => {
    const home = homes[2 * WALKS.findIndex((walk) => walk.label === label)]!
    const page = await (await openContext({ ...looks[0], scripts })).newPage()
    await page.goto(home)
    expect(await findProblemsInLooks(page, looks, 'supplier')).toEqual([])
    await page.fill('textarea[name="ask"]', 'May the lunches be served in the foyer?')
    await page.click('form[action$="/ask"] button')
    expect(await page.textContent('.notice')).toContain('Your question was sent')
    await page.goto(`${home}/offer`)
    for (const night of NIGHTS) {
      await page.fill(`#count-standard-${night}`, '100')
      await page.fill(`#single-standard-${night}`, '200.00')
      await page.fill(`#double-standard-${night}`, '220.00')
    }
    await page.fill('#rental', '10,000.00')
    await page.fill('#service', 'twenty-two')
    await page.click('button[value="send"]')
    expect(await page.textContent('.notice.danger')).toContain('Your offer was not sent')
    expect(await page.inputValue('#service')).toBe('twenty-two')
    expect(await findProblemsInLooks(page, looks, 'supplier-offer-error')).toEqual([])
    await page.fill('#service', '22')
    await page.fill('#valid', '2026-06-01')
    await page.selectOption('#q-green', 'yes')
    await page.click('button[value="save"]')
    expect(await page.textContent('.notice.success')).toContain('Draft saved')
    expect(await findProblemsInLooks(page, looks, 'supplier-offer')).toEqual([])
    await page.click('button[value="send"]')
    expect(await page.textContent('.notice')).toContain('Your offer was sent')
    expect(await findProblemsInLooks(page, looks, 'supplier-sent')).toEqual([])
  })

  it.each(WALKS)('leads a supplier from the emailed link to an offer by keyboard alone ($label)', async ({ scripts, looks, label }) => {
    const page = await (await openContext({ ...looks[0], scripts })).newPage()
    await page.goto(homes[2 * WALKS.findIndex((walk) => walk.label === label) + 1]!)
    await followLink(page, 'form[action$="/acknowledge"] button')
    await followLink(page, '.due-card a[href$="/offer"]')
    for (const night of NIGHTS) {
      await typeInto(page, `#count-standard-${night}`, '100')
      await typeInto(page, `#single-standard-${night}`, '200.00')
      await typeInto(page, `#double-standard-${night}`, '220.00')
    }
    await tabTo(page, '#q-green')
    await page.keyboard.type('Y')
    await tabTo(page, '#valid')
    // The keys of a date, in the order of the browser's language: month, day, year.
    await page.keyboard.type('06012026')
    await followLink(page, 'button[value="send"]')
    expect(await page.textContent('.notice')).toContain('Your offer was sent')
  })

  it('shows the RFP in the console without serious accessibility problems', async () => {
    const page = await openSignedIn(served, sales.olga, WALKED_LOOKS[0])
    const base = `${served.baseUrl}/console/events/${sales.event.clientCode}/${sales.event.eventCode}/rfps`
    await page.goto(base)
    expect(await findProblemsInLooks(page, WALKED_LOOKS, 'rfps')).toEqual([])
    await page.goto(`${base}/${rfpId}`)
    expect(await findProblemsInLooks(page, WALKED_LOOKS, 'rfp')).toEqual([])
  })
})
