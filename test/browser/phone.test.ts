import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findSeriousProblems, openContext, saveScreenshot, scrollsSideways } from '../support/browser.ts'
import { FESTIVAL } from '../support/festival.ts'
import { createHotelAt } from '../support/hotels.ts'
import { buildEventPath } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

let selling: SalesScenario
let served: Served

/** The tickets page of the festival with rooms, and with a question that depends on a product. */
const withRooms = FESTIVAL.flows[0]!.pages.map((page) =>
  page.code === 'tickets'
    ? {
        ...page,
        widgets: [
          ...page.widgets,
          { id: 'room', type: 'housing' },
          {
            id: 'years',
            type: 'field',
            binding: '@custom.years',
            showWhen: { all: [{ binding: '@product.gala', op: 'gt', value: 1 }] },
          },
        ],
      }
    : { ...page, widgets: page.widgets.filter(({ id }) => page.code !== 'you' || ['name', 'email', 'company'].includes(id)) },
)

beforeAll(async () => {
  selling = await openSalesScenario(
    { ...FESTIVAL, housing: { enabled: true, maxNights: 7 }, flows: [{ ...FESTIVAL.flows[0]!, pages: withRooms }] },
    { baseUrl: await chooseFreeBaseUrl(), timezone: 'Europe/Vienna' },
  )
  await createHotelAt(selling.world, selling.event)
  served = await serve(selling.world)
})
afterAll(() => selling.world.end())

const home = () => `${served.baseUrl}${buildEventPath(selling.event)}`
const named = (name: string) => `[name="${name}"]`
const TICKETS = /\/tickets/
let people = 0

/** Opens the tickets page as a new participant. */
async function openTickets(scripts: boolean): Promise<Page> {
  const page = await (await openContext({ width: 390, scheme: 'light', scripts })).newPage()
  await page.goto(`${home()}/register/attendee`)
  await page.fill('#email', `phone.${++people}@linden.example`)
  await page.click('main button.primary')
  await page.fill(named('@participant.firstName'), 'Hanna')
  await page.fill(named('@participant.lastName'), 'Berger')
  await page.click('.bar button.primary')
  await page.waitForURL(TICKETS)
  return page
}

const sumOf = (page: Page) => page.textContent('.bar .sum .money')

/** The distance of an element from the top of the window. */
const topOf = async (page: Page, selector: string) => (await page.locator(selector).boundingBox())!.y

describe('tickets page on a phone', () => {
  it('updates the total in the bar and in the order summary while products are chosen, without scrolling the page', async () => {
    const page = await openTickets(true)
    expect(await sumOf(page)).toBe('€0.00')
    const bar = await page.locator('.bar').boundingBox()
    await page.check(`${named('one.ticket')}[value="full"]`)
    const before = await topOf(page, '#w-extras')
    await expect.poll(() => sumOf(page)).toBe('€640.00')
    expect(await topOf(page, '#w-extras')).toBe(before)
    await page.click('.stepper button[data-step="1"]')
    await expect.poll(() => sumOf(page)).toBe('€725.00')
    expect(await page.textContent('.order .total')).toContain('€725.00')
    expect(await page.locator('.order [aria-live="polite"] .total').count()).toBe(1)
    await page.check(`${named('@product.fund')}[value="25.00"]`)
    await expect.poll(() => sumOf(page)).toBe('€750.00')
    await page.check(`${named('one.ticket')}[value="day"]`)
    await expect.poll(() => sumOf(page)).toBe('€400.00')
    expect((await page.locator('.bar').boundingBox())!.height).toBe(bar!.height)
    expect(await page.locator('text=Update total').isVisible()).toBe(false)
    await page.context().close()
  })

  it('replaces only the changed lines of the order summary, so that screen readers announce only those', async () => {
    const page = await openTickets(true)
    await page.check(`${named('one.ticket')}[value="full"]`)
    await expect.poll(() => sumOf(page)).toBe('€640.00')
    await page.evaluate(`document.querySelector('.order .lines > div').isKept = true`)
    await page.check(`${named('@product.fund')}[value="10.00"]`)
    await expect.poll(() => sumOf(page)).toBe('€650.00')
    expect(await page.evaluate(`[...document.querySelectorAll('.order .lines > div')].map(({ isKept = false }) => isKept)`)).toEqual([
      true,
      false,
      false,
      false,
    ])
    await page.context().close()
  })

  it('shows a question that depends on a product choice without reloading the page, and keeps the focus', async () => {
    const page = await openTickets(true)
    await page.evaluate('window.isSamePage = true')
    const more = page.locator('.stepper button[data-step="1"]')
    await more.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#w-years')
    expect(await page.evaluate('[window.isSamePage, document.querySelector("#w-extras .stepper input").value]')).toEqual([true, '2'])
    await page.context().close()
  })

  it('shows the submit buttons of the tickets page again if the connection is lost', async () => {
    const page = await openTickets(true)
    await page.route(TICKETS, (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
    await page.check(`${named('one.ticket')}[value="full"]`)
    await page.waitForSelector('text=Update total', { state: 'visible' })
    await page.unroute(TICKETS)
    await page.click('text=Update total')
    await expect.poll(() => sumOf(page)).toBe('€640.00')
    await page.context().close()
  })

  it('updates the total of the order with a button if scripts are off', async () => {
    const page = await openTickets(false)
    await page.check(`${named('one.ticket')}[value="full"]`)
    expect(await sumOf(page)).toBe('€0.00')
    await page.click('text=Update total')
    expect(await sumOf(page)).toBe('€640.00')
    await page.context().close()
  })

  it.each([true, false])('collapses the room list, and scrolls back to it after a room search, with scripts %s', async (scripts) => {
    const page = await openTickets(scripts)
    const height = (await page.locator('main').boundingBox())!.height
    expect(height).toBeLessThan(3000)
    expect(await page.locator('text=Search rooms').isVisible()).toBe(false)
    await page.click('text=Choose a room')
    await page.fill(named('@housing.checkOut'), '2026-09-04')
    await page.click('text=Search rooms')
    await page.waitForURL(/at=room#w-room$/)
    expect(await page.locator('text=King room').first().isVisible()).toBe(true)
    // The sticky header covers 88 px at the top.
    expect(await topOf(page, '#w-room')).toBeLessThan(120)
    expect(await topOf(page, '#w-room')).toBeGreaterThan(60)
    if (scripts) await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('w-room')
    await page.context().close()
  })

  it.each([true, false])('returns to the discount code field after Apply, also for a wrong code, with scripts %s', async (scripts) => {
    const page = await openTickets(scripts)
    const field = named('@discount.code')
    await page.fill(field, 'nonsense')
    await page.click('text=Apply')
    await page.waitForSelector(`${field}[aria-invalid="true"]`)
    const isInSight = async () => {
      const y = await topOf(page, field)
      return y > 60 && y < 844
    }
    expect(await isInSight()).toBe(true)
    if (scripts) await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('@discount.code')
    await page.check(`${named('one.ticket')}[value="full"]`)
    await page.fill(field, 'member')
    await page.click('text=Apply')
    await page.waitForSelector('text=Code applied: €64.00 off.')
    expect(await isInSight()).toBe(true)
    await page.context().close()
  })
})

describe('steps and button bar at 320 px', () => {
  it('shows “Step 2 of 4”, lists the steps on demand, and shows the last button on one line at 320 px', async () => {
    const page = await openTickets(false)
    await page.setViewportSize({ width: 320, height: 640 })
    expect((await page.locator('.steps-list > summary').innerText()).trim()).toBe('Step 2 of 4')
    expect(await page.locator('.progress').isVisible()).toBe(false)
    await page.click('.steps-list > summary')
    expect(await page.locator('.step-names a').innerText()).toContain('About you')
    await page.check(`${named('one.ticket')}[value="full"]`)
    await page.click('.bar button.primary')
    await page.fill(named('@policy.terms'), 'Hanna Berger')
    await page.check(`${named('_method')}[value="bank"]`)
    expect(new Set(await page.locator('label[for^="@policy."]').allInnerTexts()).size).toBe(2)
    await page.click('.bar button.primary')
    await saveScreenshot(page, 'phone-320-summary')
    const button = page.locator('.bar button.primary')
    expect(await button.innerText()).toBe('Register and get the invoice')
    const { height, width } = (await button.boundingBox())!
    expect([height <= 56, width >= 260]).toEqual([true, true])
    expect(await scrollsSideways(page)).toBe(false)
    await page.context().close()
  })
})

describe('event page', () => {
  const REGISTER = 'a.button.primary:has-text("Register"):visible'

  it('shows exactly one Register button in view, at every width and scroll position', async () => {
    const page = await (await openContext({ width: 390, scheme: 'light', scripts: true })).newPage()
    for (const [width, height] of [
      [320, 640],
      [390, 844],
      [1280, 500],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.goto(home())
      for (const top of [0, 10_000]) {
        await page.evaluate(`scrollTo(0, ${top})`)
        const inSight = async () => {
          const boxes = await Promise.all((await page.locator(REGISTER).all()).map((one) => one.boundingBox()))
          return boxes.filter((box) => box !== null && box.y >= 0 && box.y + box.height <= height).length
        }
        await expect.poll(inSight, { message: `${width} px at ${top}` }).toBe(1)
      }
      expect(await scrollsSideways(page)).toBe(false)
    }
    expect(await findSeriousProblems(page)).toEqual([])
    await page.context().close()
  })
})
