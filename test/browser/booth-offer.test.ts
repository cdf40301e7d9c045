import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openOfferScenario, type OfferScenario } from '../support/booth-offers.ts'
import { findProblemsInLooks, openContext, WALKS } from '../support/browser.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

/** The journey of a company from the email with its booth offer to the booth. */

let offers: OfferScenario
let served: Served
beforeAll(async () => {
  offers = await openOfferScenario({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(offers.scenario.world)
})
afterAll(() => offers.scenario.world.end())

describe.each(WALKS)('booth offers with scripts $scripts', ({ label: kept, looks }) => {
  const seen = async (page: Page, name: string) => expect(await findProblemsInLooks(page, looks, `offer-${name}`)).toEqual([])

  it('creates one order line if a booth offer is accepted in two browsers concurrently', async () => {
    const free = await offers.scenario.call('list_booths', { status: ['available'], type: 'inline' })
    const { link, companyId } = await offers.offer(`Company ${kept}`, [free.booths[0].number])
    const pages: Page[] = []
    for (let i = 0; i < 2; i++) pages.push(await (await openContext(looks[0])).newPage())
    const [one, two] = pages as [Page, Page]
    await Promise.all(pages.map((page) => page.goto(`${served.baseUrl}${link}`)))
    await seen(one, '1-open')
    await Promise.all(
      pages.map(async (page) => {
        await page.click('button[value="accept"]')
        await page.waitForLoadState()
      }),
    )
    expect(await one.textContent('h1')).toContain('is yours')
    expect(await two.textContent('h1')).toContain('is yours')
    await seen(two, '2-accepted')
    expect(await offers.countOrderLines(companyId)).toBe(1)
  })

  it('shows that a booth offer has ended once it was declined', async () => {
    const free = await offers.scenario.call('list_booths', { status: ['available'] })
    const { link } = await offers.offer(`Decliner ${kept}`, [free.booths[0].number])
    const page = await (await openContext(looks[0])).newPage()
    await page.goto(`${served.baseUrl}${link}?lang=de`)
    await page.click('summary')
    await page.click('button[value="decline"]')
    await page.waitForLoadState()
    expect(await page.textContent('h1')).toContain('Dieses Angebot endete am')
    await seen(page, '3-ended')
  })
})
