import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProblemsInLooks, openContext, WALKS } from '../support/browser.ts'
import { readLatestCode, chooseWrongCode } from '../support/sign-in-codes.ts'
import { INVITE_ONLY_FLOW, FESTIVAL } from '../support/festival.ts'
import { buildEventPath } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

let selling: SalesScenario
let served: Served

beforeAll(async () => {
  selling = await openSalesScenario(
    { ...FESTIVAL, flows: [...FESTIVAL.flows, INVITE_ONLY_FLOW] },
    { baseUrl: await chooseFreeBaseUrl(), timezone: 'Europe/Vienna', startsOn: '2026-10-13' },
  )
  served = await serve(selling.world)
})
afterAll(() => selling.world.end())

const named = (name: string) => `[name="${name}"]`

describe.each(WALKS)('registration with scripts $scripts', ({ label: kept, looks }) => {
  async function seen(page: Page, name: string, more = {}) {
    expect(await findProblemsInLooks(page, looks, `register-${name}`, more)).toEqual([])
    expect(Buffer.byteLength(await page.content())).toBeLessThan(50 * 1024)
  }
  const next = async (page: Page) => {
    await page.click('.bar button.primary')
    await page.waitForLoadState()
  }

  it('leads a participant through the registration from the email address to the badge', async () => {
    const context = await openContext(looks[0])
    const page = await context.newPage()
    await page.goto(`${served.baseUrl}${buildEventPath(selling.event)}/register/attendee`)
    await seen(page, '1-start', { amongEveryPage: true })
    await page.fill('#email', `hanna.${kept}@linden.example`)
    await page.click('main button.primary')
    expect(await page.textContent('h1')).toBe('About you')
    await seen(page, '2-you', { amongEveryPage: true })
    await page.fill(named('@participant.firstName'), 'Hanna')
    await next(page)
    expect(await page.textContent('[role=alert]')).toContain('Enter your last name')
    await seen(page, '3-you-errors')
    await page.fill(named('@participant.lastName'), 'Berger')
    await page.fill(named('@participant.company'), 'Stadtwerke Linden')
    await page.check(`${named('@custom.diet')}[value="other"]`)
    await page.check(`${named('@custom.topics')}[value="trees"]`)
    await page.check(`${named('@custom.first')}[value="true"]`, { force: true })
    await page.selectOption(named('@participant.country'), 'AT')
    await next(page)
    expect(await page.textContent('h1')).toBe('Tickets and extras')
    await seen(page, '4-tickets', { amongEveryPage: true })
    await page.check(`${named('one.ticket')}[value="full"]`)
    await page.fill(named('@product.gala'), '2')
    await page.fill(named('@discount.code'), 'member')
    await page.click('button[value="guest-add"]')
    await page.waitForLoadState()
    await page.fill(named('@guest.1.firstName'), 'Jonas')
    await page.fill(named('@guest.1.lastName'), 'Berger')
    await page.click('button[value="guest-save"]')
    await page.waitForLoadState()
    await seen(page, '5-tickets-chosen')
    // The total: a pass of 640.00 less 10%, two products of 85.00 and a guest of 120.00.
    expect(await page.textContent('.order .total')).toContain('866.00')
    await next(page)
    await seen(page, '6-agreements', { amongEveryPage: true })
    await page.fill(named('@policy.terms'), 'Hanna Berger')
    await page.check(`${named('_method')}[value="bank"]`)
    await next(page)
    expect(await page.textContent('h1')).toBe('Review and finish')
    await seen(page, '7-summary', { amongEveryPage: true })
    await next(page)
    expect(await page.textContent('h1')).toBe('See you in Vienna, Hanna.')
    await seen(page, '8-done', { amongEveryPage: true })
    await context.close()
  })

  it('admits an invited person to an invite-only form with the code from their email', async () => {
    const email = `listed.${kept}@linden.example`
    await selling.call('add_invite_list_participants', { flowSlug: 'board', rows: [{ email }] })
    const context = await openContext(looks[0])
    const page = await context.newPage()
    await page.goto(`${served.baseUrl}${buildEventPath(selling.event)}/register/board`)
    await seen(page, 'board-1-start', { amongEveryPage: true })
    await page.fill('#email', email)
    await page.click('main button.primary')
    expect(await page.textContent('h1')).toBe('Check your email')
    await seen(page, 'board-2-mailed', { amongEveryPage: true })
    const code = await readLatestCode(selling.world, email)
    await page.fill('#code', chooseWrongCode(code))
    await page.click('main button.primary')
    expect(await page.locator('[role=alert]').count()).toBe(1)
    await seen(page, 'board-3-wrong')
    await page.fill('#code', code)
    await page.click('main button.primary')
    expect(await page.textContent('h1')).toBe('About you')
    await context.close()
  })
})
