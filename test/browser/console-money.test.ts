import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyLook, findProblemsInLooks, WALKED_LOOKS, openSignedIn, scrollsSideways, WALKS } from '../support/browser.ts'
import { followLink, pressAt, tabTo, typeInto } from '../support/keyboard.ts'
import { findFocusProblems } from '../support/focus.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

let scenario: SalesScenario
let served: Served
let base: string

/** Names of payers that are longer than their columns, and one written from right to left. */
const PAYERS = [
  ['ليلى المنصوري بنت عبد الرحمن', 'ط'],
  ['Maria-Magdalena', 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk'],
  ['Oskar', 'Lindqvist'],
]

const register = (firstName: string, lastName: string, products: Record<string, number>) =>
  scenario.register(products, {
    data: { '@participant.firstName': firstName, '@participant.lastName': lastName, '@participant.company': 'Karolinska' },
  })

beforeAll(async () => {
  scenario = await openSalesScenario(WORKED_EXAMPLE, { baseUrl: await chooseFreeBaseUrl() })
  const { world, event } = scenario
  for (const [first, last] of PAYERS) {
    const { order } = await register(first!, last!, { pass: 1 })
    await scenario.call('record_manual_payment', {
      kind: 'payment',
      orderNumber: order.number,
      amount: { amount: '250.00', currency: 'EUR' },
      method: 'bank',
      reference: `SEPA ${last}`.slice(0, 60),
    })
  }
  await world.clock.stopAt('2026-06-20T10:00:00Z')
  await world.renewTokens()
  await register('Rosa', 'Calvo', { dinner: 1 })
  for (const { label } of WALKS) await register('Elena', `Fischer ${label}`, { pass: 1, workshop: 1 })
  served = await serve(world)
  base = `/console/events/${event.clientCode}/${event.eventCode}`
})
afterAll(() => scenario.world.end())

describe.each(WALKS)('money in the console by keyboard with scripts $scripts', ({ label, looks }) => {
  let page: Page
  const expectGood = async (name: string) => expect(await findProblemsInLooks(page, looks, `money-${name}`)).toEqual([])
  beforeAll(async () => {
    page = await openSignedIn(served, scenario.olga, looks[0])
  })
  afterAll(() => page.context().close())

  it('links from the console page of the event to the payments of a participant', async () => {
    await page.goto(`${served.baseUrl}${base}`)
    if (await page.locator('.menu > summary').isVisible()) await pressAt(page, '.menu > summary')
    await followLink(page, `.nav-list a[href="${base}/money"]`)
    expect(await page.textContent('h1')).toBe('Money')
    await expectGood('overview')
    for (const width of [640, 195]) {
      await page.setViewportSize({ width, height: 500 })
      expect([width, await scrollsSideways(page)]).toEqual([width, false])
    }
    await page.setViewportSize({ width: looks[0].width, height: 800 })
    await followLink(page, `.big-number a[href*="age=open"]`)
    expect(await page.textContent('h1')).toBe('Open invoices')
    await expectGood('invoices')
    await typeInto(page, '#search', `fischer ${label}`)
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    await followLink(page, 'td.lead a')
    expect(await page.textContent('h1')).toBe(`Elena Fischer ${label}`)
    await expectGood('person')
  })

  /** Submits the form of the open payment action for a check, checks the shown result, and confirms it. */
  async function checkAndConfirm(name: string): Promise<void> {
    await followLink(page, 'details[open] button[value="check"]')
    await page.waitForSelector('.result')
    await expectGood(`${name}-checked`)
    await followLink(page, 'details[open] button[value="confirm"]')
    expect(await page.textContent('main .notice.success')).toBeTruthy()
  }

  it('records a payment in the console, and explains a payment that is too high', async () => {
    await typeInto(page, '#payment-amount', '5000')
    await pressAt(page, '[name="payment-method"]', 'ArrowRight')
    await typeInto(page, '#payment-reference', 'No. 004417')
    await followLink(page, 'details[open] button[value="check"]')
    expect(await page.textContent('#payment-amount-error')).toBe('1,079.99 EUR is open. Enter that or less.')
    await expectGood('payment-error')
    await typeInto(page, '#payment-amount', '1,079.99')
    await checkAndConfirm('payment')
    expect(await page.textContent('main .notice.success')).toContain('1,079.99 EUR recorded.')
    await expectGood('paid')
  })

  it('credits a product and refunds part of the credit in the console', async () => {
    await pressAt(page, '#act-credit > summary')
    await tabTo(page, '#credit-product')
    await page.keyboard.type('Workshop')
    await typeInto(page, '#credit-reason', 'Session moved to Saturday')
    await checkAndConfirm('credit')
    await typeInto(page, '#refund-amount', '100.00')
    await typeInto(page, '#refund-reference', 'SEPA 88251')
    await checkAndConfirm('refund')
    expect(await page.textContent('main .notice.success')).toContain('100.00 EUR refunded.')
  })

  it('reverses a cheque, writes off the unpaid amount and downloads every document in the console', async () => {
    await followLink(page, '.timeline a[href*="act=reversal"]')
    await typeInto(page, '#reversal-note', 'Cheque bounced')
    await checkAndConfirm('reversal')
    await pressAt(page, '#act-write-off > summary')
    await typeInto(page, '#write-off-reason', 'Agreed with the board')
    await checkAndConfirm('write-off')
    expect(await page.textContent('.sums tr:last-child')).toContain('Written off')
    expect(await page.textContent('.sums')).not.toContain('Open')
    await expectGood('settled')
    await tabTo(page, '.documents a')
    const links = await page.evaluate<string[]>(`[...document.querySelectorAll('.documents a')].map(({ href }) => href)`)
    // An invoice, a credit note, and receipts of the payment, the refund and the reversal.
    expect(links).toHaveLength(5)
    for (const link of links) {
      const answer = await page.context().request.get(link)
      expect([link, answer.status(), (await answer.body()).subarray(0, 5).toString()]).toEqual([link, 200, '%PDF-'])
    }
  })

  it('records one bank transfer for several invoices in the console', async () => {
    await page.goto(`${served.baseUrl}${base}/money`)
    await followLink(page, `a[href="${base}/money/record"]`)
    await expectGood('record')
    const { invoices } = await scenario.call('list_order_invoices', { search: 'rosa', status: ['open'] })
    await typeInto(page, '#payment-invoices', invoices[0].number)
    await typeInto(page, '#payment-amount', '10.00')
    await typeInto(page, '#payment-reference', `SEPA ${label}`)
    await followLink(page, 'button[value="check"]')
    await page.waitForSelector('.result')
    await expectGood('record-checked')
    await followLink(page, 'button[value="confirm"]')
    expect(await page.textContent('main .notice.success')).toContain('Payment recorded.')
  })
})

describe('keyboard focus on money pages', () => {
  it('shows the focus on every control of the money pages without covering text', async () => {
    const page = await openSignedIn(served, scenario.olga, WALKED_LOOKS[0])
    // Transitions are disabled, because the focus ring fades in.
    await applyLook(page, WALKED_LOOKS[0])
    for (const path of ['money', 'money/record', 'money/orders/R-000003', 'money/orders/R-000003?act=reversal']) {
      await page.goto(`${served.baseUrl}${base}/${path}`)
      expect([path, await findFocusProblems(page)]).toEqual([path, []])
    }
    await page.context().close()
  })
})
