import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { setPassword } from '../../src/domains/sign-in/passwords.ts'
import { argonPasswords } from '../../src/platform/passwords.ts'
import type { World } from './world.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

export const launchBrowser = (args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: [...QUIET, ...args] })

export interface Look {
  width: 390 | 1280
  scheme: 'light' | 'dark'
  scripts: boolean
}

/** Phone and desk, light and dark, with and without scripts: every page has to do in all of them. */
export const LOOKS: readonly Look[] = [
  { width: 1280, scheme: 'light', scripts: true },
  { width: 390, scheme: 'dark', scripts: true },
  { width: 390, scheme: 'light', scripts: false },
]

export const openAs = (browser: Browser, { width, scheme, scripts }: Look): Promise<BrowserContext> =>
  browser.newContext({ viewport: { width, height: width === 390 ? 844 : 800 }, colorScheme: scheme, javaScriptEnabled: scripts })

interface Violation {
  id: string
  impact: string | null
  nodes: { html: string; failureSummary?: string }[]
}

interface Axe {
  run: (options: object) => Promise<{ violations: Violation[] }>
}

/** What axe finds serious or worse, in words that say where. Run in the page itself, which works under a strict policy too. */
export async function seriousFindings(page: Page, { only }: { only?: readonly string[] } = {}): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  const violations = await page.evaluate(
    async (options) => (await (globalThis as unknown as { axe: Axe }).axe.run(options)).violations,
    only ? { runOnly: [...only] } : {},
  )
  return violations
    .filter((v) => v.impact === 'serious' || v.impact === 'critical')
    .map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`)
}

/** Wider than the window: a page that scrolls sideways on a phone. */
export const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

// Read when it is asked for: not everybody who imports this has a browser.
const readCutOff = () => readFileSync(new URL('cut-off.js', import.meta.url), 'utf8')

/** What sticks out of the page, or is cut off inside of it. */
export const cutOff = (page: Page): Promise<string[]> => page.evaluate<string[]>(readCutOff())

/** On a phone the navigation is behind a button; at a desk it stands there. */
export async function openMenu(page: Page): Promise<void> {
  const button = page.locator('.menu > summary')
  if (await button.isVisible()) await button.click()
}

/** How much of the window the header takes before anything of the page is seen. */
export const headerShare = (page: Page): Promise<number> =>
  page.evaluate("document.querySelector('.shell > header').offsetHeight / innerHeight")

export async function signInWith(
  page: Page,
  baseUrl: string,
  person: { email: string; password: string },
  next = '/console',
): Promise<void> {
  await page.goto(`${baseUrl}/console/sign-in?next=${encodeURIComponent(next)}`)
  await page.fill('#email', person.email)
  await page.fill('#password', person.password)
  await page.click('main button[type=submit]')
}

export const PASSWORD = 'correct horse battery staple'

/** Gives an organizer of the world a password. Connected apps are signed out by it, as for any new password. */
export async function givePassword(world: World, person: { userId: string; email: string }): Promise<void> {
  await setPassword(world.database.write, { id: person.userId, email: person.email }, PASSWORD, { passwords: await argonPasswords() })
}

/** Keeps a picture of the page where somebody can look at it, when a folder for them is given. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}
