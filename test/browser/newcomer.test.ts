import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiAccount } from '../../src/domains/access/api-accounts.ts'
import {
  measureHeaderShare,
  saveScreenshot,
  type BrowserLook,
  WALKED_LOOKS,
  openContext,
  openMenu,
  openSignedIn,
  scrollsSideways,
} from '../support/browser.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'

const BASE = '/console/clients/acme'
const LONG = 'averylongnamewithoutanyplacetobreakitaveryverylongname'

let world: World
let served: Served
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const acme = await world.client({ code: 'acme', name: 'Acme Events' })
  const summit = await world.event({ code: 'summit-2027', name: `Summit ${LONG}`, at: acme })
  olga = await world.organizer({ at: acme, email: 'olga@acme.example' })
  await world.organizer({ at: acme, role: 'marketer', name: LONG, email: `${LONG}@${LONG}.example`, app: LONG })
  await world.organizer({ staffOf: summit, name: LONG, email: `staff-${LONG}@example.org` })
  await createApiAccount(world.database.write, {
    tenantId: acme.tenantId,
    name: LONG,
    canActAsParticipantAgent: true,
    restAccess: true,
    allowedClients: [],
    allowedEvents: [{ tenantCode: 'demo', clientCode: 'acme', eventCode: 'summit-2027' }],
  })
  served = await serve(world)
})
afterAll(() => world.end())

const APART = ['/console/sign-in', '/console/forgot', '/console/password?token=old', '/docs/feedback', '/nowhere']

const signedIn = (look: BrowserLook) => openSignedIn(served, olga, look)

describe('console on a phone', () => {
  const phone = { width: 390, scheme: 'light', scripts: false } as const

  it('shows console tables on a phone without sideways scrolling', async () => {
    const page = await signedIn(phone)
    for (const path of [`${BASE}/users`, `${BASE}/accounts`, '/console', '/docs/operating']) {
      await page.goto(`${served.baseUrl}${path}`)
      const wide = await page.$$eval('.table-wrap:has(.folds)', (all) => all.filter((one) => one.scrollWidth > one.clientWidth).length)
      expect([path, await page.locator('.table.folds').count(), wide]).toEqual([path, expect.any(Number), 0])
      expect([path, (await page.locator('.table.folds').count()) > 0]).toEqual([path, true])
    }
    await page.context().close()
  })

  it('opens the console menu by keyboard and follows a link of the menu without scripts', async () => {
    const page = await signedIn(phone)
    await page.goto(`${served.baseUrl}/console`)
    expect(await page.locator('nav[aria-label=Main] a').first().isVisible()).toBe(false)
    for (let i = 0; i < 3; i++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.locator('text=Sign out').isVisible()).toBe(true)
    expect(await scrollsSideways(page)).toBe(false)
    await saveScreenshot(page, 'phone-menu')
    await page.click('nav[aria-label=Main] >> text=Users')
    expect(page.url()).toBe(`${served.baseUrl}${BASE}/users`)
    expect((await measureHeaderShare(page)) < 0.08).toBe(true)
    await page.context().close()
  })
})

it('shows the console menu on a desktop without a button that opens it', async () => {
  const page = await signedIn({ width: 1280, scheme: 'light', scripts: false })
  await page.goto(`${served.baseUrl}/console`)
  await openMenu(page)
  expect(await page.locator('.menu > summary').isVisible()).toBe(false)
  for (const label of ['Events', 'Users', 'Feedback'])
    expect(await page.locator(`nav[aria-label=Main] a:text-is("${label}")`).isVisible()).toBe(true)
  expect(await page.locator('text=Sign out').isVisible()).toBe(true)
  await page.context().close()
})

describe('pages that show a single box', () => {
  /** The vertical gaps between the visible elements of a card. */
  const gapsOf = (page: Page): Promise<number[]> =>
    page.$$eval('.card-body, .card-body .stack', (boxes) =>
      boxes.flatMap((box) => {
        const seen = [...box.children].map((child) => child.getBoundingClientRect()).filter((rect) => rect.height > 0)
        return seen.slice(1).map((rect, i) => Math.round(rect.top - seen[i]!.bottom))
      }),
    )

  it('shows equal gaps between heading, text, fields and buttons on pages with a single box', async () => {
    const page = await (await openContext(WALKED_LOOKS[0])).newPage()
    for (const path of APART) {
      await page.goto(`${served.baseUrl}${path}`)
      await saveScreenshot(page, `card${path.replaceAll(/[/?=]/g, '-')}`)
      const gaps = await gapsOf(page)
      expect([path, gaps.length > 0, gaps.filter((gap) => gap !== 16 && gap !== 24)]).toEqual([path, true, []])
    }
    await page.goto(`${served.baseUrl}/console/sign-in`)
    await page.fill('#email', 'absent@acme.example')
    await page.fill('#password', 'not the password')
    await page.click('main button[type=submit]')
    expect(await page.locator('[role=alert]').count()).toBe(1)
    expect((await gapsOf(page)).filter((gap) => gap !== 16 && gap !== 24)).toEqual([])
    await page.context().close()
  })
})

it('lets the user set a brand color from a palette or as text, or leave the color empty', async () => {
  const page = await signedIn(WALKED_LOOKS[0])
  await page.goto(`${served.baseUrl}${BASE}/settings`)
  await page.fill('[data-colour-of="brand/color"]', '#336699')
  expect(await page.inputValue('[name="brand/color"]')).toBe('#336699')
  await page.fill('[name="brand/accent"]', '#E4572E')
  expect(await page.inputValue('[data-colour-of="brand/accent"]')).toBe('#e4572e')
  await page.fill('[name="brand/accent"]', '')
  await page.click('text=Save settings')
  const { rows } = await world.database.pool.query<{ brand: object }>('select brand from clients')
  expect(rows).toEqual([{ brand: { color: '#336699' } }])
  await page.context().close()
})
