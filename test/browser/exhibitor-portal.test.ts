import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProblemsInLooks, openContext, WALKS } from '../support/browser.ts'
import { openPortalScenario, PORTAL_ADMIN, type PortalScenario } from '../support/portal.ts'
import { chooseFreeBaseUrl } from '../support/server.ts'
import { readLatestCode } from '../support/sign-in-codes.ts'

/** The journey of an exhibitor from the footer of the event page through all pages of the portal. */

let fair: PortalScenario
beforeAll(async () => {
  fair = await openPortalScenario({ baseUrl: await chooseFreeBaseUrl() })
  await fair.rows(`update events set locales = '{en,de}' where id = $1`, [fair.scenario.event.eventId])
})
afterAll(() => fair.scenario.world.end())

describe.each(WALKS)('the exhibitor portal with scripts $scripts', ({ label, looks }) => {
  const seen = async (page: Page, name: string) => expect(await findProblemsInLooks(page, looks, `portal-${name}`)).toEqual([])

  it('links an exhibitor admin from the event page to leads, staff, devices and appointments', async () => {
    await fair.rows(`delete from one_time_codes`)
    await fair.rows(`delete from rate_windows`)
    const page = await (await openContext(looks[0])).newPage()
    await page.goto(`${fair.served.baseUrl}${fair.portal.replace(/\/exhibitor$/, '')}`)
    await page.click('footer a[href$="/exhibitor"]')
    await page.fill('#email', PORTAL_ADMIN)
    await page.click('main button.primary')
    await page.fill('#code', await readLatestCode(fair.scenario.world, PORTAL_ADMIN))
    await page.click('main button.primary')
    await page.waitForLoadState()
    expect(await page.textContent('h1')).toBe('Nordlys Sensors AS')
    await seen(page, '1-overview')
    await page.click('.portal-nav a[href$="/leads"]')
    await page.click('.lead-list summary >> nth=0')
    await seen(page, '2-leads')
    await page.click('.lead-list details[open] button.primary')
    await page.waitForLoadState()
    expect(await page.textContent('.notice')).toBe('Saved.')
    await page.click('.portal-nav a[href$="/staff"]')
    await seen(page, '3-staff')
    await page.fill('#firstName', 'Nils')
    await page.fill('#email', `nils-${label}@nordlys.example`)
    await page.click('.card.side button.primary')
    await page.waitForLoadState()
    await seen(page, '4-staff-errors')
    await page.fill('#lastName', 'Nord')
    await page.click('.card.side button.primary')
    await page.waitForLoadState()
    expect(await page.textContent('.notice')).toContain('Added.')
    await page.click('.portal-nav a[href$="/devices"]')
    await seen(page, '5-devices')
    await page.click('.portal-nav a[href$="/appointments"]')
    await seen(page, '6-appointments')
    await page.goto(`${fair.served.baseUrl}${fair.portal}/company`)
    await seen(page, '7-company')
    await page.goto(`${fair.served.baseUrl}${fair.portal}/leads?q=nobody`)
    await seen(page, '8-no-match')
  })
})
