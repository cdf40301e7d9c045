import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storePickupSnapshot } from '../../src/domains/housing/summary/snapshots.ts'
import { findProblemsInLooks, openSignedIn, WALKS } from '../support/browser.ts'
import { FESTIVAL } from '../support/festival.ts'
import { createHotelAt } from '../support/hotels.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

const AUTUMN = 'Autumn Meeting'
const FOREIGN = 'Meeting of another client'

let scenario: SalesScenario
let served: Served
let base: string

beforeAll(async () => {
  scenario = await openSalesScenario({ ...FESTIVAL, housing: { enabled: true, maxNights: 7 } }, { baseUrl: await chooseFreeBaseUrl() })
  const { world, event } = scenario
  await createHotelAt(world, event)
  await storePickupSnapshot({ db: world.database.write, tenantId: event.tenantId, event: { id: event.eventId } }, '2026-04-03')
  await world.event({ at: event, code: 'autumn', name: AUTUMN, status: 'draft' })
  await world.event({ at: event, code: 'old', name: 'Archived Meeting', status: 'archived' })
  await world.event({ at: await world.client({ code: 'other', name: 'Other' }), code: 'foreign', name: FOREIGN })
  await scenario.register({ full: 1 }, { skipRequired: true, data: { '@participant.company': 'Riverworks' } })
  served = await serve(world)
  base = `/console/events/${event.clientCode}/${event.eventCode}`
})
afterAll(() => scenario.world.end())

describe.each(WALKS)('console frame with scripts $scripts', ({ looks, scripts }) => {
  const onPhone = looks[0].width === 390
  let page: Page
  beforeAll(async () => {
    page = await openSignedIn(served, scenario.olga, looks[0])
  })
  afterAll(() => page.context().close())

  it("shows the event's name in the console header on phones, and the product's name on desktops", async () => {
    await page.goto(`${served.baseUrl}${base}/housing`)
    expect(await page.locator('.shell > header .brand:visible').innerText()).toBe(onPhone ? 'Cities and Water 2026' : 'Lanyard')
    await page.goto(`${served.baseUrl}/console/audit`)
    expect(await page.locator('.shell > header .brand:visible').innerText()).toBe('Lanyard')
  })

  it('lets a user switch to another event by keyboard', async () => {
    await page.goto(`${served.baseUrl}${base}`)
    if (onPhone) await page.locator('.menu > summary').press('Enter')
    await page.locator('.event-switch > summary').press('Enter')
    const links = page.locator('.event-switch a')
    expect((await links.allInnerTexts()).map((text) => text.split('\n')[0])).toEqual([AUTUMN, 'All events'])
    expect(await findProblemsInLooks(page, looks, 'event-switch')).toEqual([])
    await links.first().press('Enter')
    await page.waitForURL(/\/autumn$/)
    expect(await page.textContent('h1')).toContain(AUTUMN)
  })

  it('searches records of the event by keyboard from any console page of the event', async () => {
    await page.goto(`${served.baseUrl}${base}`)
    if (scripts) await page.keyboard.press('/')
    else if (onPhone) await page.locator('.menu > summary').press('Enter')
    const field = page.locator('#event-search')
    if (!scripts) await field.focus()
    expect(await field.evaluate((element) => element.matches(':focus'))).toBe(true)
    await page.keyboard.type('riverw')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/search\?search=riverw$/)
    expect(await page.locator('.found a').count()).toBe(1)
    expect(await findProblemsInLooks(page, looks, 'event-search')).toEqual([])
    await page.locator('.found a').press('Enter')
    await page.waitForURL(/\/participants\/[0-9a-f]{24}$/)
  })

  it('offers a user no events of clients that the user may not access', async () => {
    await page.goto(`${served.baseUrl}${base}`)
    expect(await page.content()).not.toContain(FOREIGN)
    await page.goto(`${served.baseUrl}/console/account`)
    expect(await page.locator('.event-switch').count()).toBe(0)
  })

  it('shows each participant in two lines on phones', async () => {
    await page.goto(`${served.baseUrl}${base}/participants`)
    const cells = await page.locator('.two-line tbody tr').first().locator('td:visible').allInnerTexts()
    // No participant has a tag, so the column of tags is left out.
    expect(cells.length).toBe(onPhone ? 4 : 5)
    if (!onPhone) return
    expect(cells.slice(1, 3)).toEqual(['Riverworks', 'Complete'])
    expect(
      await page
        .locator('.two-line tbody tr')
        .first()
        .evaluate((row) => row.getBoundingClientRect().height),
    ).toBeLessThan(80)
  })

  it('shows the chart of booked room nights by week with its numbers as text', async () => {
    await page.goto(`${served.baseUrl}${base}/housing`)
    expect(await page.locator('.plot svg[role=img]').getAttribute('aria-label')).toMatch(
      /^Room nights picked up: 0 on .*3 Apr.*, 0 today\.$/,
    )
    await page.click('summary:has-text("Numbers by week")')
    expect(await page.locator('.numbers tbody tr').count()).toBe(2)
    expect(await findProblemsInLooks(page, looks, 'housing-pace')).toEqual([])
  })
})
