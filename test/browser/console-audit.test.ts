import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  givePassword,
  keepScreenshot,
  launchBrowser,
  type Look,
  LOOKS,
  openAs,
  PASSWORD,
  scrollsSideways,
  seriousFindings,
  signInWith,
} from '../support/browser.ts'
import { openSelling, type Selling, WORKED_EXAMPLE } from '../support/selling.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'

const PATH = '/console/audit'
const ARABIC = 'مؤتمر المياه والمدن في القاهرة'
const LONG = 'The-Sixty-Second-International-Congress-on-Rivers-and-Cities'

let story: Selling
let served: Served
let browser: Browser

beforeAll(async () => {
  story = await openSelling(WORKED_EXAMPLE, { baseUrl: await freeBaseUrl() })
  const set = (path: string, value: unknown) =>
    story.call('config_set', { operations: [{ op: 'set', path, valueJson: JSON.stringify(value) }] })
  await set('/products/pass/name', ARABIC)
  await set('/products/pass/prices/0/amount', '740.00')
  await set('/details/description', 'We meet in the old port. Lunch is at noon.')
  await set('/details/description', `We meet in the old port. Lunch is at ${LONG}.`)
  await story.register({ pass: 1 }, { data: { '@participant.firstName': ARABIC, '@participant.company': LONG } })
  await story.world.organizer({ at: story.event, name: LONG, email: 'long@example.org' })
  served = await serve(story.world)
  browser = await launchBrowser()
  await givePassword(story.world, story.olga)
}, 120_000)
afterAll(async () => {
  await browser.close()
  await story.world.end()
})

async function expectGood(page: Page, look: Look, name: string): Promise<void> {
  await keepScreenshot(page, `audit-${name}-${look.width}-${look.scheme}-${look.scripts ? 'scripts' : 'plain'}`)
  expect([name, await scrollsSideways(page)]).toEqual([name, false])
  expect(await page.locator('h1').count()).toBe(1)
  if (look.scripts) expect(await seriousFindings(page)).toEqual([])
}

describe.each(LOOKS)('at $width px, $scheme, scripts $scripts', (look) => {
  let page: Page
  beforeAll(async () => {
    page = await (await openAs(browser, look)).newPage()
    await signInWith(page, served.baseUrl, { email: story.olga.email, password: PASSWORD }, PATH)
  })
  afterAll(() => page.context().close())

  it('the log is whole, closed and opened, filtered and empty', async () => {
    await page.goto(`${served.baseUrl}${PATH}`)
    await expectGood(page, look, 'list')
    expect(await page.locator('dl.diff:visible').count()).toBe(0)
    for (const summary of await page.locator('.log details.more > summary').all()) await summary.click()
    for (const summary of await page.locator('.log details.raw > summary').all()) await summary.click()
    expect(await page.locator('dl.diff:visible').count()).toBeGreaterThan(3)
    await expectGood(page, look, 'opened')
    await page.click('summary:has-text("More filters")')
    await page.fill('#record', 'nothing')
    await page.click('form[role=search] button')
    expect(await page.textContent('main')).toContain('Nothing was changed that fits all of these filters.')
    await expectGood(page, look, 'empty')
    await page.click('.chips a')
    expect(await page.locator('.log > li').count()).toBeGreaterThan(3)
    await page.locator('.log details.more > summary').first().click()
    await page.click('text=This change alone')
    expect(await page.textContent('h1')).toBe('One change')
    await expectGood(page, look, 'one')
  })
})
