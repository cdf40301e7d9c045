import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProblemsInLooks, openSignedIn, WALKS } from '../support/browser.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

const PATH = '/console/audit'
const ARABIC = 'مؤتمر المياه والمدن في القاهرة'
const LONG = 'The-Sixty-Second-International-Congress-on-Rivers-and-Cities'

let scenario: SalesScenario
let served: Served

beforeAll(async () => {
  scenario = await openSalesScenario(WORKED_EXAMPLE, { baseUrl: await chooseFreeBaseUrl() })
  const set = (path: string, value: unknown) =>
    scenario.call('config_set', { operations: [{ op: 'set', path, valueJson: JSON.stringify(value) }] })
  await set('/products/pass/name', ARABIC)
  await set('/products/pass/prices/0/amount', '740.00')
  await set('/details/description', 'We meet in the old port. Lunch is at noon.')
  await set('/details/description', `We meet in the old port. Lunch is at ${LONG}.`)
  await scenario.register({ pass: 1 }, { data: { '@participant.firstName': ARABIC, '@participant.company': LONG } })
  await scenario.world.organizer({ at: scenario.event, name: LONG, email: 'long@example.org' })
  served = await serve(scenario.world)
})
afterAll(() => scenario.world.end())

describe.each(WALKS)('audit log with scripts $scripts', ({ looks }) => {
  let page: Page
  const expectGood = async (name: string, more = {}) => expect(await findProblemsInLooks(page, looks, `audit-${name}`, more)).toEqual([])
  beforeAll(async () => {
    page = await openSignedIn(served, scenario.olga, looks[0])
  })
  afterAll(() => page.context().close())

  it('shows the audit log without layout or accessibility problems when collapsed, expanded, filtered and empty', async () => {
    await page.goto(`${served.baseUrl}${PATH}`)
    await expectGood('list', { amongEveryPage: true })
    expect(await page.locator('dl.diff:visible').count()).toBe(0)
    for (const summary of await page.locator('.log details.more > summary').all()) await summary.click()
    for (const summary of await page.locator('.log details.raw > summary').all()) await summary.click()
    expect(await page.locator('dl.diff:visible').count()).toBeGreaterThan(3)
    await expectGood('opened')
    // On phones all filters are folded.
    const fold = page.locator('.narrow-fold > summary')
    expect(await fold.isVisible()).toBe(looks[0].width === 390)
    if (await fold.isVisible()) await fold.click()
    await page.click('summary:has-text("More filters")')
    await page.fill('#record', 'nothing')
    await page.click('form[role=search] button')
    expect(await page.textContent('main')).toContain('Remove a filter or choose a longer period.')
    await expectGood('empty', { amongEveryPage: true })
    await page.click('.chips a')
    expect(await page.locator('.log > li').count()).toBeGreaterThan(3)
    await page.locator('.log details.more > summary').first().click()
    await page.click('text=View this change')
    expect(await page.textContent('h1')).toBe('Change')
    await expectGood('one', { amongEveryPage: true })
  })
})
