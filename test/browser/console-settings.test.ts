import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiAccount, issueApiToken } from '../../src/domains/access/api-accounts.ts'
import { findProblemsInLooks, type BrowserLook, WALKED_LOOKS, openContext, openSignedIn, WALKS } from '../support/browser.ts'
import { storeMemory } from '../support/memories.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'

const BASE = '/console/clients/acme'

let world: World
let served: Served
let olga: OrganizerHandle
let mia: OrganizerHandle
let accountId: string

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const acme = await world.client({ code: 'acme', name: 'Acme Events' })
  const summit = await world.event({ code: 'summit-2027', name: 'Acme Summit 2027', at: acme })
  await world.event({ code: 'roadshow', name: 'Roadshow Madrid', at: acme })
  olga = await world.organizer({ at: acme, email: 'olga@acme.example' })
  mia = await world.organizer({ at: acme, role: 'marketer', name: 'Mia Marketer', email: 'mia@acme.example', app: 'Claude' })
  await world.organizer({ at: acme, role: 'finance', name: 'Finn Finance', email: 'finn@acme.example' })
  await world.organizer({ staffOf: summit, name: 'Sam Staff', email: 'sam@staff.example' })
  accountId = await createApiAccount(world.database.write, {
    tenantId: acme.tenantId,
    name: 'Concierge by Acme',
    canActAsParticipantAgent: true,
    restAccess: false,
    allowedClients: [{ tenantCode: 'demo', clientCode: 'acme' }],
    allowedEvents: [],
  })
  await issueApiToken(world.database.write, { tenantId: acme.tenantId, accountId }, { lifetimeDays: 90 })
  await world.database.pool.query(
    `update clients set tax_registrations = '[{"country":"PT","number":"PT123456789","from":"2020-01-01"}]', brand = '{"color":"#2f54d6","accent":"#e4572e"}'`,
  )
  await world.database.pool.query(
    `update api_accounts set otp_suspended_at = lanyard_now(), otp_suspended_reason = '40 codes in a row were never used'`,
  )
  await storeMemory(world, { at: summit, by: olga, title: 'Parking is at gate C', tags: ['venue', 'parking'], pinned: true })
  await storeMemory(world, { at: acme, by: olga, title: 'Badges show the first name large' })
  served = await serve(world)
})
afterAll(() => world.end())

const signedInPage = (look: BrowserLook) => openSignedIn(served, olga, look)

describe.each(WALKS)('settings pages of the console with scripts $scripts', ({ label: walk, looks }) => {
  let page: Page
  const expectGood = async (name: string, more = {}) => expect(await findProblemsInLooks(page, looks, name, more)).toEqual([])
  beforeAll(async () => {
    page = await signedInPage(looks[0])
  })
  afterAll(() => page.context().close())

  it('shows client settings, explains invalid values and saves valid ones', async () => {
    await page.goto(`${served.baseUrl}${BASE}/settings`)
    await expectGood('settings', { amongEveryPage: true })
    const links = page.locator('nav[aria-label="Parts of the settings"]')
    if (looks[0].width === 390) await links.locator('summary').click()
    for (const name of ['Billing', 'Negotiation playbook']) {
      await links.getByRole('link', { name }).click()
      const target = page.locator(':target h2')
      expect(await target.innerText()).toBe(name)
      await expect.poll(async () => (await target.boundingBox())!.y).toBeLessThan(800)
    }
    await page.fill('[name="brand/accent"]', 'blue')
    await page.fill('[name="billing/legalName"]', 'Acme Events Lda')
    await page.click('text=Save settings')
    expect(await page.textContent('[role=alert]')).toContain('Accent colour: a colour is written #rrggbb')
    await expectGood('settings-refused')
    expect(await page.inputValue('[name="billing/legalName"]')).toBe('Acme Events Lda')
    await page.fill('[name="brand/accent"]', '#e4572e')
    await page.selectOption('[name="defaultCurrency"]', { label: 'Swiss Franc (CHF)' })
    await page.selectOption('[name="defaultTimezone"]', 'Europe/Zurich')
    await page.click('text=Save settings')
    expect(page.url()).toContain('done=saved')
    expect(await page.inputValue('[name="defaultCurrency"]')).toBe('CHF')
  })

  it('lists users with their roles and opens the page of a user', async () => {
    await page.goto(`${served.baseUrl}${BASE}/users`)
    await page.click('main summary')
    await expectGood('users')
    await page.goto(`${served.baseUrl}${BASE}/users/${mia.userId}`)
    expect(await page.textContent('main')).toContain('Claude')
    await expectGood('member', { amongEveryPage: true })
  })

  it('shows memories and instructions for assistants, explains invalid values and saves valid ones', async () => {
    await page.goto(`${served.baseUrl}${BASE}/memory`)
    expect(await page.textContent('main')).toContain('Parking is at gate C')
    await expectGood('memory', { amongEveryPage: true })
    await page.goto(`${served.baseUrl}${BASE}/memory?search=zeppelin`)
    expect(await page.textContent('main')).toContain('Ask your assistant')
    await expectGood('memory-empty')
    await page.goto(`${served.baseUrl}${BASE}/memory/new`)
    await page.fill('#text', 'Gate F is for lorries.')
    await page.click('text=Save memory')
    expect(await page.textContent('[role=alert]')).toContain('Title: must not be empty')
    await expectGood('memory-refused')
    await page.fill('#title', `Lorries ${walk}`)
    await page.selectOption('#place', 'summit-2027')
    await page.check('#pinned')
    await page.click('text=Save memory')
    expect(page.url()).toContain('done=saved')
    await page.click(`text=Lorries ${walk}`)
    await expectGood('memory-one', { amongEveryPage: true })
    await page.click('text=Delete memory')
    await page.click('[name=sure]')
    expect(page.url()).toContain('done=deleted')
    await page.goto(`${served.baseUrl}${BASE}/memory/instructions`)
    await expectGood('instructions', { amongEveryPage: true })
    await page.click('text=All of Acme Events')
    await expectGood('instructions-edit', { amongEveryPage: true })
    await page.fill('#text', `Be brief. ${walk}`)
    await page.click('text=Save instructions')
    expect(page.url()).toContain('done=saved')
  })

  it('creates an API account and a token', async () => {
    await page.goto(`${served.baseUrl}${BASE}/accounts`)
    await expectGood('accounts', { amongEveryPage: true })
    await page.goto(`${served.baseUrl}${BASE}/accounts/${accountId}`)
    await expectGood('account')
    await page.goto(`${served.baseUrl}${BASE}/accounts/new`)
    await expectGood('account-new', { amongEveryPage: true })
    await page.fill('#name', `Badge printer ${walk}`)
    await page.check('#purpose-rest')
    await page.click('text=Create account')
    await page.click('text=Issue token')
    expect(await page.textContent('#new-token')).toMatch(/^lak_[\w-]{43}$/)
    await expectGood('account-token')
    await page.reload()
    expect(await page.locator('#new-token').count()).toBe(0)
  })
})

describe('first-start setup page', () => {
  it('asks for the setup key and the administrator’s details at first start, at every size and color scheme', async () => {
    const empty = await newWorld()
    const port = Number(new URL(await chooseFreeBaseUrl()).port)
    const fresh = await serve(empty, { port, env: { LANYARD_BASE_URL: 'https://events.example.org' } })
    for (const { looks } of WALKS) {
      const page = await (await openContext(looks[0])).newPage()
      await page.goto(fresh.url('/console/setup'))
      expect(await page.locator('main input:not([type=hidden])').count()).toBe(7)
      expect(await findProblemsInLooks(page, looks, 'setup')).toEqual([])
      await page.context().close()
    }
    await fresh.stop()
    await empty.end()
  })
})

describe('settings pages of the console by keyboard', () => {
  /** Presses Tab until the element has the focus, as a keyboard user does. */
  async function tabTo(page: Page, selector: string): Promise<void> {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab')
      if ((await page.locator(`${selector}:focus`).count()) > 0) return
    }
    throw new Error(`the keyboard does not reach ${selector}`)
  }

  it('invites a user by keyboard', async () => {
    const page = await signedInPage(WALKED_LOOKS[0])
    await page.goto(`${served.baseUrl}${BASE}/users`)
    await tabTo(page, '.skip')
    await page.keyboard.press('Enter')
    await tabTo(page, '#email')
    await page.keyboard.type('kay@board.example')
    await tabTo(page, '#name')
    await page.keyboard.type('Kay Board')
    await tabTo(page, '#role')
    await page.keyboard.type('regi')
    await tabTo(page, 'main form button')
    await page.keyboard.press('Enter')
    await page.waitForURL(/done=invited/)
    expect(await page.textContent('main')).toContain('Kay Board')
    const { rows } = await world.database.pool.query<{ role: string }>(
      `select role from memberships m join users u on u.id = m.user_id where u.email_norm = 'kay@board.example'`,
    )
    expect(rows).toEqual([{ role: 'registrar' }])
    await page.context().close()
  })
})
