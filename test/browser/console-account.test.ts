import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeTotpCode } from '../../src/domains/sign-in/totp.ts'
import { createIrreversibleEffectCounter } from '../../src/kernel/effects.ts'
import { defineEmail, sendEmail } from '../../src/kernel/email.ts'
import { newId } from '../../src/kernel/ids.ts'
import { TOOLSET_PRESETS } from '../../src/surfaces/organizer-mcp/presets.ts'
import {
  findProblemsInLooks,
  assignPassword,
  WALKED_LOOKS,
  openContext,
  openMenu,
  TEST_USER_PASSWORD,
  signInWith,
  WALKS,
} from '../support/browser.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let served: Served
let summit: EventHandle
let messageId: string

const welcome = defineEmail<null>({
  code: 'welcome',
  category: 'transactional',
  render: () => ({
    subject: 'Welcome to the Summit',
    text: 'Dear Gina,\n\nyour place is confirmed. See https://summit.example/programme for the programme.\n',
    html: '<style>h1{color:#2f54d6}</style><h1>Welcome, Gina</h1><p>Your place is confirmed.</p><script>document.title="ran"</script>',
  }),
})

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const acme = await world.client({ code: 'acme', name: 'Acme Events' })
  summit = await world.event({ code: 'summit-2027', at: acme })
  const ctx = {
    tenantId: acme.tenantId,
    db: world.database.write,
    effects: createIrreversibleEffectCounter(),
    baseUrl: world.services.baseUrl,
  }
  for (let i = 0; i < 6; i++) {
    await sendEmail(ctx, welcome, {
      to: { address: `gina-${i}@a-company-with-a-rather-long-name.example`, name: 'Gina Guest' },
      content: null,
      source: { kind: 'test', id: newId(), recipientKey: `g${i}` },
      eventId: summit.eventId,
    })
  }
  const statuses = ['sent', 'queued', 'failed', 'bounced', 'delivered', 'skipped']
  const { rows } = await world.database.pool.query<{ id: string }>('select id from messages order by id')
  for (const [i, { id }] of rows.entries())
    await world.database.pool.query('update messages set status = $2 where id = $1', [id, statuses[i]])
  messageId = rows[2]!.id
  await world.database.pool.query(`update messages set attempts = 8, last_error = '{"text":"550 mailbox unavailable"}' where id = $1`, [
    messageId,
  ])
  served = await serve(world)
})
afterAll(() => world.end())

/**
 * Creates a user with a password and an app for each look (window size, color scheme, scripts on or off), so that the looks do not affect
 * each other.
 */
async function newPerson(): Promise<OrganizerHandle> {
  const person = await world.organizer({ at: summit, app: 'Claude', name: 'Olga Organizer' })
  await person.call('update_client', {
    clientCode: 'acme',
    name: 'Acme Events',
    brand: { color: '#2244aa', website: 'https://acme.example' },
  })
  await assignPassword(world, person)
  // Setting a password disconnects apps, so this one is connected again.
  await world.database.pool.query(
    `update oauth_grants g set access_version = u.access_version, website = 'claude.ai' from users u where u.id = g.user_id and g.id = $1`,
    [person.grantId],
  )
  return person
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const bytesOf = (secret: string) => {
  const bits = [...secret.replaceAll(/\s/g, '')].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
}

describe.each(WALKS)('account pages of the console with scripts $scripts', ({ scripts, looks }) => {
  let context: BrowserContext
  let page: Page
  let person: OrganizerHandle

  beforeAll(async () => {
    person = await newPerson()
    context = await openContext(looks[0])
    page = await context.newPage()
    await signInWith(page, served.baseUrl, { email: person.email, password: TEST_USER_PASSWORD })
  })
  afterAll(() => context.close())

  const looksRight = async (name: string, more = {}) => expect(await findProblemsInLooks(page, looks, name, more)).toEqual([])
  const open = (path: string) => page.goto(`${served.baseUrl}${path}`)

  it('shows account pages without layout or accessibility problems', async () => {
    for (const [path, name, amongEveryPage] of [
      ['/console/account', 'account', true],
      ['/console/account/apps', 'apps', true],
      // Emails in every status.
      ['/console/mailbox', 'mailbox', false],
      [`/console/mailbox/${messageId}`, 'message', false],
      ['/console/audit', 'audit', true],
      ['/console/audit?from=2027-02-30', 'audit-error', false],
      ['/console/jobs', 'jobs', true],
      ['/console/connect?preset=front-desk', 'connect', true],
    ] as const) {
      if (amongEveryPage && scripts) continue
      await open(path)
      await looksRight(name)
    }
  })

  it('shows each email of the mailbox in at most three lines on phones', async () => {
    const onPhone = looks[0].width === 390
    await open('/console/mailbox')
    const row = page.locator('.two-line tbody tr').first()
    expect(await row.locator('td:visible').count()).toBe(5)
    if (onPhone) expect(await row.evaluate((one) => one.getBoundingClientRect().height)).toBeLessThan(120)
  })

  it('runs no script of an email in the frame that shows it', async () => {
    await open(`/console/mailbox/${messageId}`)
    const frame = page.frameLocator('iframe.mail')
    expect(await frame.locator('h1').textContent()).toBe('Welcome, Gina')
    expect(await page.title()).not.toBe('ran')
  })

  it('sets up, uses and turns off a second factor for sign-in', async () => {
    await open('/console/account/second-factor')
    await looksRight('factor-off', { amongEveryPage: true })
    await page.fill('#current', TEST_USER_PASSWORD)
    await page.click('main button:has-text("Set up")')
    await looksRight('factor-pending')
    await page.fill('#code', '000000')
    await page.click('text=Turn on')
    expect(await page.textContent('[role=alert]')).toContain('That code is not correct')
    if (scripts) expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('alert')
    const secret = bytesOf((await page.textContent('#secret'))!)
    const now = Math.floor((await world.clock.now()).getTime() / 30_000)
    await page.fill('#code', computeTotpCode(secret, now))
    await page.keyboard.press('Enter')
    await page.waitForSelector('#codes')
    await looksRight('factor-codes')
    const codes = (await page.textContent('#codes'))!.trim().split('\n')
    await page.reload()
    await looksRight('factor-on')
    expect(await page.locator('#codes').count()).toBe(0)

    await openMenu(page)
    await page.click('text=Sign out')
    await signInWith(page, served.baseUrl, { email: person.email, password: TEST_USER_PASSWORD })
    await page.fill('#code', codes[0]!)
    await page.click('main button[type=submit]')
    expect(page.url()).toBe(`${served.baseUrl}/console`)
    await open('/console/account/second-factor')
    await page.fill('#code', codes[1]!)
    await page.click('text=Turn off second factor')
    expect(await page.textContent('main .notice')).toContain('Second factor turned off.')
  })

  it('disconnects an app on the account page', async () => {
    await open('/console/account/apps')
    await page.click('[aria-label="Disconnect Claude"]')
    await page.click('text="Disconnect"')
    expect(await page.textContent('main')).toContain('No connected apps')
    await looksRight('apps-none')
  })
})

describe('account pages of the console by keyboard', () => {
  it('selects and copies a toolset preset of the assistant connection page by keyboard', async () => {
    const first = TOOLSET_PRESETS[0]!
    const person = await newPerson()
    const context = await openContext(WALKED_LOOKS[0])
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const page = await context.newPage()
    await signInWith(page, served.baseUrl, { email: person.email, password: TEST_USER_PASSWORD }, '/console/connect')
    await page.focus('#preset-all')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/console/connect?preset=${first.name.replaceAll(' ', '-')}`)
    await page.focus('[data-copy=address]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=Copied')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `${served.baseUrl}/api/mcp/organizer?toolsets=${first.toolsets.join(',')}`,
    )
    await context.close()
  })
})
