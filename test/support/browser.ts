import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { createBrowserSession } from '../../src/domains/sign-in/sessions.ts'
import { setPassword } from '../../src/domains/sign-in/passwords.ts'
import type { PasswordHasher } from '../../src/kernel/ports.ts'
import { createPasswordHasher } from '../../src/platform/passwords.ts'
import type { Served } from './server.ts'
import { chooseForSoak } from './soak.ts'
import type { World } from './world.ts'

const ofAxe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const AXE = `${ofAxe}\n${readFileSync(new URL('limit-contrast-checks.js', import.meta.url), 'utf8')}`
/**
 * How many texts with the same style axe checks for contrast. More than one, because axe may not be able to determine the background of a
 * single text.
 */
const MAX_CONTRAST_CHECKS_PER_APPEARANCE = chooseForSoak(Infinity, 2)
/** Chromium features that only serve an interactive user. The omnibox popups alone load two pages for each window. */
const DISABLED_INTERACTIVE_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
  'OptimizationHints',
  'MediaRouter',
]
/** Chromium features that would change how pages are requested or rendered. */
const DISABLED_RENDERING_FEATURES = ['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'PaintHolding', 'ThirdPartyStoragePartitioning']
const CHROMIUM_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  `--disable-features=${[...DISABLED_INTERACTIVE_FEATURES, ...DISABLED_RENDERING_FEATURES].join()}`,
  // Hosts below .example and the camera are simulated on this machine; all other hosts are unreachable.
  '--host-resolver-rules=MAP *.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
  '--use-fake-device-for-media-stream',
]

/** `engine` is the headless shell, which renders pages in half the time; `whole` is the full browser, which supports a camera. */
type BrowserKind = 'engine' | 'whole'
const PROGRAMS: Record<BrowserKind, readonly string[]> = {
  engine: ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'],
  whole: ['/usr/bin/chromium'],
}

const running = new Map<BrowserKind, Promise<Browser>>()

async function launch(kind: BrowserKind): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? PROGRAMS[kind].find((program) => existsSync(program)) ?? PROGRAMS[kind][0]!
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS })
  browser.once('disconnected', () => running.delete(kind))
  return browser
}

/**
 * One browser per test worker, reused by all of its test files, because starting a browser takes longer than most tests. Every test has
 * its
 * own browser context. The browser is closed when the worker ends.
 */
export function sharedBrowser(kind: BrowserKind = 'engine'): Promise<Browser> {
  const browser = running.get(kind) ?? launch(kind)
  running.set(kind, browser)
  return browser
}

/** Closes the contexts that the tests of a file left open. */
export async function closeContexts(): Promise<void> {
  for (const browser of running.values()) await Promise.all((await browser).contexts().map((context) => context.close()))
}

export interface BrowserLook {
  width: 390 | 1280
  scheme: 'light' | 'dark'
  scripts: boolean
}

/** The looks of browser tests: a window size (desktop or phone), a color scheme, and scripts on or off. */
export const WALKED_LOOKS: readonly [BrowserLook, BrowserLook, BrowserLook] = [
  { width: 1280, scheme: 'light', scripts: true },
  { width: 390, scheme: 'dark', scripts: true },
  { width: 390, scheme: 'light', scripts: false },
]

export type Looks = readonly [BrowserLook, ...BrowserLook[]]

/** All combinations of window size and color scheme, with scripts enabled. */
export const ALL_LOOKS: Looks = [
  { width: 1280, scheme: 'light', scripts: true },
  { width: 390, scheme: 'light', scripts: true },
  { width: 390, scheme: 'dark', scripts: true },
  { width: 1280, scheme: 'dark', scripts: true },
]

export interface BrowserWalk {
  /** Part of the names and email addresses that a test walk creates, so that two walks do not share data. */
  label: string
  scripts: boolean
  /** The test walks through the pages in the first look; every page is then also checked in the other looks. */
  looks: Looks
}

const [AT_DESK, ON_PHONE, WITHOUT_SCRIPTS] = WALKED_LOOKS

/**
 * The walks, which each run a browser test once: one with scripts on a desktop and one without scripts on a phone. Overflow does not depend
 * on the color scheme, nor contrast on the size, so each page is checked in a few looks only. A soak run checks all combinations and adds a
 * walk on a phone with scripts.
 */
export const WALKS: readonly BrowserWalk[] = [
  { label: 'scripts', scripts: true, looks: chooseForSoak<Looks>(ALL_LOOKS, [AT_DESK, ON_PHONE]) },
  { label: 'plain', scripts: false, looks: [WITHOUT_SCRIPTS] },
  ...chooseForSoak<readonly BrowserWalk[]>([{ label: 'phone', scripts: true, looks: [ON_PHONE] }], []),
]

const sizeOf = (width: BrowserLook['width']) => ({ width, height: width === 390 ? 844 : 800 })

export const openContext = async ({ width, scheme, scripts }: BrowserLook, kind: BrowserKind = 'engine'): Promise<BrowserContext> =>
  (await sharedBrowser(kind)).newContext({ viewport: sizeOf(width), colorScheme: scheme, javaScriptEnabled: scripts })

/**
 * Shows the open page in another window size and color scheme. Transitions are disabled, because contrast cannot be measured while colors
 * change.
 */
export async function applyLook(page: Page, { width, scheme }: BrowserLook): Promise<void> {
  if (page.viewportSize()?.width !== width) await page.setViewportSize(sizeOf(width))
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
}

interface Violation {
  id: string
  impact: string | null
  nodes: { html: string; failureSummary?: string }[]
}

interface Axe {
  resetContrastChecks: (most: number) => void
  run: (options: object) => Promise<{ violations: Violation[] }>
}

/** axe rules that never report serious problems but take as long as the other rules. */
const RULES_WITHOUT_SERIOUS_PROBLEMS = [
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
/** axe options: check the page without its frames, which contain emails, and without loading its stylesheets again. */
const BASE_AXE_OPTIONS = { resultTypes: ['violations'], preload: false, iframes: false }
const ALL_RULES = {
  ...BASE_AXE_OPTIONS,
  rules: Object.fromEntries(RULES_WITHOUT_SERIOUS_PROBLEMS.map((rule) => [rule, { enabled: false }])),
}
export const CONTRAST_AXE_OPTIONS = { ...BASE_AXE_OPTIONS, runOnly: ['color-contrast'] }
/** For a page whose contrast was checked at another size, because contrast depends on the color scheme only. */
export const AXE_OPTIONS_WITHOUT_CONTRAST = { ...ALL_RULES, rules: { ...ALL_RULES.rules, 'color-contrast': { enabled: false } } }

/** Installs axe for every page of a browser tab. Sending the script to each page would take as long as a check. */
export const installAxe = (page: Page): Promise<unknown> => page.addInitScript(AXE)

/**
 * The serious and critical problems that axe finds, with their location. axe runs inside the page, so that it also works under a strict
 * content security policy.
 */
export async function findSeriousProblems(page: Page, options: object = ALL_RULES): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  const violations = await page.evaluate(
    async ([how, most]) => {
      const { axe } = globalThis as unknown as { axe: Axe }
      axe.resetContrastChecks(most)
      return (await axe.run(how)).violations
    },
    [options, MAX_CONTRAST_CHECKS_PER_APPEARANCE] as const,
  )
  return violations
    .filter((v) => v.impact === 'serious' || v.impact === 'critical')
    .map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`)
}

const nameOf = ({ width, scheme, scripts }: BrowserLook): string => `${width}-${scheme}-${scripts ? 'scripts' : 'plain'}`

/** One expression for all layout checks, because every evaluation waits for layout. */
const LAYOUT_CHECKS = `[
  ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['is wider than the window'] : []),
  ...(document.querySelectorAll('h1').length === 1 ? [] : ['has not one heading']),
]`

export const findLayoutProblems = (page: Page): Promise<string[]> => page.evaluate<string[]>(LAYOUT_CHECKS)

interface PageCheckOptions {
  /** Whether content that is cut off inside the page is also reported. */
  cut?: boolean
  /** Whether every-page.test.ts checks the same page with scripts, so that it is only checked without scripts here. */
  isCoveredByEveryPage?: boolean
}

/** Layout and accessibility problems of the page in one look. axe needs scripts, so without them only the layout is checked. */
async function findProblemsInLook(
  page: Page,
  look: BrowserLook,
  name: string,
  { axe, cut }: { axe: object | null; cut: boolean },
): Promise<string[]> {
  await saveScreenshot(page, `${name}-${nameOf(look)}`)
  const problems = [
    ...(await findLayoutProblems(page)),
    ...(cut ? await findClippedElements(page) : []),
    ...(look.scripts && axe ? await findSeriousProblems(page, axe) : []),
  ]
  return problems.map((problem) => `${name}, ${nameOf(look)}: ${problem}`)
}

/**
 * Layout and accessibility problems of the page in all given looks, without opening it again. axe runs all rules once and the contrast rule
 * for each color scheme.
 */
export async function findProblemsInLooks(
  page: Page,
  looks: Looks,
  name: string,
  { cut = false, isCoveredByEveryPage: amongEveryPage = false }: PageCheckOptions = {},
): Promise<string[]> {
  const [first, ...others] = looks
  if (amongEveryPage && first.scripts && !chooseForSoak(true, false)) return []
  await applyLook(page, first)
  const problems = await findProblemsInLook(page, first, name, { axe: ALL_RULES, cut })
  const read = new Set([first.scheme])
  for (const look of others) {
    await applyLook(page, look)
    problems.push(...(await findProblemsInLook(page, look, name, { axe: read.has(look.scheme) ? null : CONTRAST_AXE_OPTIONS, cut })))
    read.add(look.scheme)
  }
  if (others.length > 0) await applyLook(page, first)
  return problems
}

/** Whether the page is wider than the window, so that it scrolls sideways on a phone. */
export const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

// The script is read on first use, because some importers of this module never open a browser.
const readClippedScript = () => readFileSync(new URL('clipped-elements.js', import.meta.url), 'utf8')

/** Finds elements that overflow the page or are cut off inside it. */
export const findClippedElements = (page: Page): Promise<string[]> => page.evaluate<string[]>(readClippedScript())

/** Opens the navigation menu, which is behind a button only on a phone. */
export async function openMenu(page: Page): Promise<void> {
  const button = page.locator('.menu > summary')
  if (await button.isVisible()) await button.click()
}

/** The share of the window height that the header takes. */
export const measureHeaderShare = (page: Page): Promise<number> =>
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

/** Opens a page with an organizer's session already set. The sign-in form has its own tests. */
export async function openSignedIn({ world, baseUrl }: Served, { userId }: { userId: string }, look: BrowserLook): Promise<Page> {
  const session = await createBrowserSession(world.database.write, { userId, totpPending: false, userAgent: 'test' })
  const context = await openContext(look)
  await context.addCookies([{ name: 'lanyard-organizer', value: encodeURIComponent(session.reveal()), url: baseUrl }])
  return context.newPage()
}

export const TEST_USER_PASSWORD = 'correct horse battery staple'

let passwords: Promise<PasswordHasher> | undefined

/** Hashing is slow, and all test users have the same password, so it is hashed once. */
async function hashPasswordOnce(): Promise<PasswordHasher> {
  const argon = await createPasswordHasher()
  const hashed = await argon.hash(TEST_USER_PASSWORD)
  return { ...argon, hash: () => Promise.resolve(hashed) }
}

/** Gives an organizer a password. As with any password change, connected apps are signed out. */
export async function assignPassword(world: World, person: { userId: string; email: string }): Promise<void> {
  passwords ??= hashPasswordOnce()
  await setPassword(world.database.write, { id: person.userId, email: person.email }, TEST_USER_PASSWORD, { passwords: await passwords })
}

/** Saves a screenshot if a folder for screenshots is configured. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}
