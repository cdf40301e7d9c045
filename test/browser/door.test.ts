import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBadgePayload } from '../../src/kernel/badge-signature.ts'
import { findProblemsInLooks, WALKED_LOOKS, openContext, openSignedIn, type BrowserLook } from '../support/browser.ts'
import { DOOR_EVENT, type DoorFixtures, createDoorFixtures } from '../support/door.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let served: Served
let home: EventHandle
let olga: OrganizerHandle
let door: DoorFixtures
let link: string
const PHONE: BrowserLook = WALKED_LOOKS[0]

/** The page compares scans with the server's clock, so the event takes place now. */
const today = () => new Date().toISOString().slice(0, 10)

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  await world.clock.advance(`${Date.now() - (await world.clock.now()).getTime()} milliseconds`)
  home = await world.event({ ...DOOR_EVENT, startsOn: today(), endsOn: today() })
  olga = await world.organizer({ role: 'manager', at: home })
  door = createDoorFixtures(world, home, olga)
  await door.rules({ gates: [{ code: 'main', name: 'Main entrance' }], reentry: false, duplicateSeconds: 0, unpaid: 'refuse' })
  served = await serve(world)
})
afterAll(() => world.end())

const payload = (badge: string) => createBadgePayload(world.services.keys, { id: home.eventId, code: home.eventCode }, badge)

/** Types a badge as a handheld scanner does: all characters, then a line end. */
async function wedge(page: Page, badge: string): Promise<void> {
  await page.keyboard.type(badge)
  await page.keyboard.press('Enter')
}

async function openDoor(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.goto(link)
  await page.waitForSelector('[data-door]')
  return page
}

/** Reads the colour of the result, which staff see from afar, and its number of text lines. */
const readLook = (page: Page, selector: string) =>
  page.evaluate<{ colour: string; lines: number }>(`(() => {
    const block = document.querySelector('[data-screen] ${selector}')
    const heading = block.querySelector('h1')
    const height = parseFloat(getComputedStyle(heading).lineHeight)
    return { colour: getComputedStyle(block).backgroundColor, lines: Math.round(heading.getBoundingClientRect().height / height) }
  })()`)

describe('door page (badge check-in)', () => {
  it('opens the door page with the link from the console', async () => {
    const page = await openSignedIn(served, olga, PHONE)
    await page.goto(`${served.baseUrl}/console/events/${home.clientCode}/${home.eventCode}/onsite`)
    await page.fill('input[name="name"]', 'Door 2')
    await page.click('main form button.primary')
    link = (await page.textContent('#door-link'))!.trim()
    expect(link).toContain('/door/d/door_')
    expect(await findProblemsInLooks(page, WALKED_LOOKS, 'onsite')).toEqual([])
  })

  it('checks badges in with a handheld scanner, refuses a second entry, and admits that person after an override', async () => {
    const page = await openDoor(await openContext(PHONE))
    expect(await findProblemsInLooks(page, WALKED_LOOKS, 'door')).toEqual([])
    const { badge } = await door.person({ first_name: 'Hanna', last_name: 'Berger', company: 'Stadtwerke Linden' })
    await wedge(page, payload(badge))
    await page.waitForSelector('[data-screen] .verdict.yes')
    expect(await page.textContent('.verdict.yes')).toContain('Hanna Berger')
    expect(await readLook(page, '.verdict.yes')).toEqual({ colour: 'rgb(20, 98, 47)', lines: 1 })
    await wedge(page, badge)
    await page.waitForSelector('[data-screen] .verdict.again')
    expect(await page.textContent('.verdict.again h1')).toBe('Already in')
    await page.click('[data-override] summary')
    await page.check('input[value="Approved by manager"]', { force: true })
    await page.click('[data-override] button.wide')
    await page.waitForSelector('[data-screen] .verdict.yes')
    expect(await page.innerText('[data-screen] .verdict.yes')).toContain('Let in anyway. This person is already inside.')
    expect(await findProblemsInLooks(page, WALKED_LOOKS, 'door-let-in')).toEqual([])
    const scans = await door.rows<{ result: string; override: { reason: string } | null }>(
      `select s.result, s.override from attendance_scans s join participants p on p.id = s.participant_id where p.badge_id = $1 order by s.received_at, s.id`,
      badge,
    )
    expect(scans.map(({ result, override }) => [result, override?.reason])).toEqual([
      ['accepted', undefined],
      ['refused', undefined],
      ['accepted', 'Approved by manager'],
    ])
    await wedge(page, 'unknown-badge')
    await page.waitForSelector('[data-screen] .verdict.no')
    expect(await readLook(page, '.verdict.no')).toEqual({ colour: 'rgb(169, 31, 24)', lines: 1 })
    expect(await findProblemsInLooks(page, WALKED_LOOKS, 'door-refused')).toEqual([])
  })

  it('keeps 20 badges that were scanned offline through a reload, and sends each scan exactly once', async () => {
    const context = await openContext(PHONE)
    const page = await openDoor(context)
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
    await page.reload()
    const badges: string[] = []
    for (let n = 0; n < 20; n++) badges.push((await door.person()).badge)
    await context.setOffline(true)
    for (const badge of badges.slice(0, 10)) await wedge(page, payload(badge))
    await page.waitForSelector('[data-online]:text-is("Offline · 10")')
    expect(await page.textContent('.verdict.offline')).toContain('Offline: payment, cancellation and other doors are not checked.')
    await page.reload()
    await page.waitForSelector('[data-door]')
    for (const badge of badges.slice(10)) await wedge(page, payload(badge))
    await page.waitForSelector('[data-online]:text-is("Offline · 20")')
    await context.setOffline(false)
    await page.waitForSelector('[data-online]:text-is("Online")')
    const stored = () =>
      door.rows<{ badge: string }>(
        `select p.badge_id as badge from attendance_scans s join participants p on p.id = s.participant_id where p.badge_id = any($1) order by s.at, p.badge_id`,
        badges,
      )
    expect((await stored()).map(({ badge }) => badge).toSorted()).toEqual(badges.toSorted())
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    await wedge(page, payload((await door.person()).badge))
    await page.waitForSelector('[data-screen] .verdict.yes')
    expect(await stored()).toHaveLength(20)
  })

  it('stores a badge scan once if the server stored it but the response was lost', async () => {
    const context = await openContext(PHONE)
    const page = await openDoor(context)
    const { badge } = await door.person()
    await page.route('**/door/scans', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await wedge(page, payload(badge))
    await page.waitForSelector('[data-screen] .verdict.offline')
    await page.unroute('**/door/scans')
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    await page.waitForSelector('[data-online]:text-is("Online")')
    expect(
      await door.rows(`select 1 from attendance_scans s join participants p on p.id = s.participant_id where p.badge_id = $1`, badge),
    ).toHaveLength(1)
  })

  it('checks in one badge at a time without scripts', async () => {
    const page = await openDoor(await openContext({ ...PHONE, scripts: false }))
    const { badge } = await door.person({ first_name: 'Marc', last_name: 'Petit' })
    await page.fill('#code', badge)
    await page.click('#door-form button.primary')
    expect(await page.textContent('.verdict.yes')).toContain('Marc Petit')
  })

  it('opens the door page after console sign-in, and denies it once the device is revoked', async () => {
    const page = await openSignedIn(served, olga, PHONE)
    await page.goto(`${served.baseUrl}/door`)
    await page.click('main button.primary')
    await page.waitForSelector('[data-door]')
    await world.database.pool.query('update door_devices set revoked_at = lanyard_now()')
    await page.reload()
    expect(await page.$('[data-door]')).toBeNull()
  })
})
