import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { openSession } from '../../src/domains/sign-in/sessions.ts'
import { setPassword } from '../../src/domains/sign-in/passwords.ts'
import type { Passwords } from '../../src/kernel/ports.ts'
import { argonPasswords } from '../../src/platform/passwords.ts'
import type { Served } from './server.ts'
import { inSoak } from './soak.ts'
import type { World } from './world.ts'

const ofAxe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const AXE = `${ofAxe}\n${readFileSync(new URL('alike.js', import.meta.url), 'utf8')}`
/** Of texts that look alike so many are read: one may lie where its ground cannot be told. */
const READ_OF_ALIKE = inSoak(Infinity, 2)
/** What a browser does for somebody who sits before it. The suggestions below its address bar alone are two pages for each window. */
const FOR_NOBODY = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess', 'OptimizationHints', 'MediaRouter']
/** What would change how pages are asked for and shown. */
const NOT_AS_IT_IS = ['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'PaintHolding', 'ThirdPartyStoragePartitioning']
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  `--disable-features=${[...FOR_NOBODY, ...NOT_AS_IT_IS].join()}`,
  // Websites of others are played on this machine, and so is a camera; nobody else is asked, whatever a page wants.
  '--host-resolver-rules=MAP *.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
  '--use-fake-device-for-media-stream',
]

/** Only a whole browser has a camera. The same engine without windows shows pages in half the time. */
type Kind = 'engine' | 'whole'
const PROGRAMS: Record<Kind, readonly string[]> = {
  engine: ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'],
  whole: ['/usr/bin/chromium'],
}

const running = new Map<Kind, Promise<Browser>>()

async function launch(kind: Kind): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? PROGRAMS[kind].find((program) => existsSync(program)) ?? PROGRAMS[kind][0]!
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS })
  browser.once('disconnected', () => running.delete(kind))
  return browser
}

/** The browser of this worker, for all of its files: nobody shares a context, and starting one takes longer than most tests. It ends with the worker. */
export function sharedBrowser(kind: Kind = 'engine'): Promise<Browser> {
  const browser = running.get(kind) ?? launch(kind)
  running.set(kind, browser)
  return browser
}

/** What the tests of a file have left open. */
export async function closeContexts(): Promise<void> {
  for (const browser of running.values()) await Promise.all((await browser).contexts().map((context) => context.close()))
}

export interface Look {
  width: 390 | 1280
  scheme: 'light' | 'dark'
  scripts: boolean
}

/** A desk and a phone, light and dark, with and without scripts. */
export const LOOKS: readonly [Look, Look, Look] = [
  { width: 1280, scheme: 'light', scripts: true },
  { width: 390, scheme: 'dark', scripts: true },
  { width: 390, scheme: 'light', scripts: false },
]

export type Looks = readonly [Look, ...Look[]]

/** Every size in every scheme. */
export const EVERY_LOOK: Looks = [
  { width: 1280, scheme: 'light', scripts: true },
  { width: 390, scheme: 'light', scripts: true },
  { width: 390, scheme: 'dark', scripts: true },
  { width: 1280, scheme: 'dark', scripts: true },
]

export interface Walk {
  /** To tell apart what each of them leaves. */
  walk: string
  scripts: boolean
  /** They are walked in the first look. */
  looks: Looks
}

const [AT_DESK, ON_PHONE, WITHOUT_SCRIPTS] = LOOKS

/**
 * A walk with scripts at a desk and one without on a phone, and how every page is looked at on the way: what is too wide is so in every
 * scheme, and what cannot be read at every size. A soak takes neither for granted, and walks on a phone with scripts as well.
 */
export const WALKS: readonly Walk[] = [
  { walk: 'scripts', scripts: true, looks: inSoak<Looks>(EVERY_LOOK, [AT_DESK, ON_PHONE]) },
  { walk: 'plain', scripts: false, looks: [WITHOUT_SCRIPTS] },
  ...inSoak<readonly Walk[]>([{ walk: 'phone', scripts: true, looks: [ON_PHONE] }], []),
]

const sizeOf = (width: Look['width']) => ({ width, height: width === 390 ? 844 : 800 })

export const openAs = async ({ width, scheme, scripts }: Look, kind: Kind = 'engine'): Promise<BrowserContext> =>
  (await sharedBrowser(kind)).newContext({ viewport: sizeOf(width), colorScheme: scheme, javaScriptEnabled: scripts })

/** The same page, looked at otherwise; at once, for what fades from one colour to another is neither for a moment. */
export async function lookAs(page: Page, { width, scheme }: Look): Promise<void> {
  if (page.viewportSize()?.width !== width) await page.setViewportSize(sizeOf(width))
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
}

interface Violation {
  id: string
  impact: string | null
  nodes: { html: string; failureSummary?: string }[]
}

interface Axe {
  readColoursAnew: (most: number) => void
  run: (options: object) => Promise<{ violations: Violation[] }>
}

/** Rules that never find anything serious, though looking for it takes as long. */
const NEVER_SERIOUS = [
  'aria-allowed-role',
  'aria-deprecated-role',
  'empty-heading',
  'empty-table-header',
  'heading-order',
  'image-redundant-alt',
  'landmark-banner-is-top-level',
  'landmark-complementary-is-top-level',
  'landmark-contentinfo-is-top-level',
  'landmark-main-is-top-level',
  'landmark-no-duplicate-banner',
  'landmark-no-duplicate-contentinfo',
  'landmark-no-duplicate-main',
  'landmark-one-main',
  'landmark-unique',
  'page-has-heading-one',
  'presentation-role-conflict',
  'region',
  'scope-attr-valid',
  'skip-link',
  'table-duplicate-name',
]
/** Of a page as it is: frames hold mails of others, and nothing has to be asked for again. */
const AS_IT_IS = { resultTypes: ['violations'], preload: false, iframes: false }
const ALL_RULES = { ...AS_IT_IS, rules: Object.fromEntries(NEVER_SERIOUS.map((rule) => [rule, { enabled: false }])) }
export const CONTRAST = { ...AS_IT_IS, runOnly: ['color-contrast'] }

/** Every page that is opened here will be read: the browser keeps axe and is not sent it for each, which takes as long as a reading. */
export const keepAxe = (page: Page): Promise<unknown> => page.addInitScript(AXE)

/** What axe finds serious or worse, in words that say where. Run in the page itself, which works under a strict policy too. */
export async function seriousFindings(page: Page, options: object = ALL_RULES): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  const violations = await page.evaluate(
    async ([how, most]) => {
      const { axe } = globalThis as unknown as { axe: Axe }
      axe.readColoursAnew(most)
      return (await axe.run(how)).violations
    },
    [options, READ_OF_ALIKE] as const,
  )
  return violations
    .filter((v) => v.impact === 'serious' || v.impact === 'critical')
    .map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`)
}

const nameOf = ({ width, scheme, scripts }: Look): string => `${width}-${scheme}-${scripts ? 'scripts' : 'plain'}`

/** Asked in one question, for every question waits for the page to be laid out. */
const SHAPE = `[
  ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['is wider than the window'] : []),
  ...(document.querySelectorAll('h1').length === 1 ? [] : ['has not one heading']),
]`

export const shapeFaults = (page: Page): Promise<string[]> => page.evaluate<string[]>(SHAPE)

interface Looking {
  /** Also for what is cut off inside of the page. */
  cut?: boolean
  /** Every page of the router is looked through by one test, with scripts; here this state of it is looked at without them. */
  amongEveryPage?: boolean
}

/** What is wrong with the page as it is seen in this way. Where no script may run, axe may not. */
async function faultsIn(page: Page, look: Look, name: string, { axe, cut }: { axe: object | null; cut: boolean }): Promise<string[]> {
  await keepScreenshot(page, `${name}-${nameOf(look)}`)
  const faults = [
    ...(await shapeFaults(page)),
    ...(cut ? await cutOff(page) : []),
    ...(look.scripts && axe ? await seriousFindings(page, axe) : []),
  ]
  return faults.map((fault) => `${name}, ${nameOf(look)}: ${fault}`)
}

/**
 * What is wrong with the page in these looks. For another one no page has to be opened again; axe reads it by all of its rules once, and the
 * colours of each scheme.
 */
export async function faultsInAll(
  page: Page,
  looks: Looks,
  name: string,
  { cut = false, amongEveryPage = false }: Looking = {},
): Promise<string[]> {
  const [first, ...others] = looks
  if (amongEveryPage && first.scripts && !inSoak(true, false)) return []
  await lookAs(page, first)
  const faults = await faultsIn(page, first, name, { axe: ALL_RULES, cut })
  const read = new Set([first.scheme])
  for (const look of others) {
    await lookAs(page, look)
    faults.push(...(await faultsIn(page, look, name, { axe: read.has(look.scheme) ? null : CONTRAST, cut })))
    read.add(look.scheme)
  }
  if (others.length > 0) await lookAs(page, first)
  return faults
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

/** A page of a browser in which an organizer is signed in already. That the form does it is told by its own tests. */
export async function openSignedIn({ world, baseUrl }: Served, { userId }: { userId: string }, look: Look): Promise<Page> {
  const session = await openSession(world.database.write, { userId, totpPending: false, userAgent: 'test' })
  const context = await openAs(look)
  await context.addCookies([{ name: 'lanyard-organizer', value: encodeURIComponent(session.reveal()), url: baseUrl }])
  return context.newPage()
}

export const PASSWORD = 'correct horse battery staple'

let passwords: Promise<Passwords> | undefined

/** It takes its time, and everybody here has the same one. */
async function hashedOnce(): Promise<Passwords> {
  const argon = await argonPasswords()
  const hashed = await argon.hash(PASSWORD)
  return { ...argon, hash: () => Promise.resolve(hashed) }
}

/** Gives an organizer of the world a password. Connected apps are signed out by it, as for any new password. */
export async function givePassword(world: World, person: { userId: string; email: string }): Promise<void> {
  passwords ??= hashedOnce()
  await setPassword(world.database.write, { id: person.userId, email: person.email }, PASSWORD, { passwords: await passwords })
}

/** Keeps a picture of the page where somebody can look at it, when a folder for them is given. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}
