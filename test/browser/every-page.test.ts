import { Hono } from 'hono'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toSpeakerPageToken } from '../../src/domains/sessions/speaker-links.ts'
import { storePickupSnapshot } from '../../src/domains/housing/summary/snapshots.ts'
import { createBrowserSession } from '../../src/domains/sign-in/sessions.ts'
import { PUBLIC_EVENT_PATH } from '../../src/surfaces/web/event/event-site.ts'
import type { WebEnv } from '../../src/surfaces/web/web.ts'
import {
  AXE_OPTIONS_WITHOUT_CONTRAST,
  CONTRAST_AXE_OPTIONS,
  findClippedElements,
  measureHeaderShare,
  installAxe,
  saveScreenshot,
  scrollsSideways,
  findSeriousProblems,
  findLayoutProblems,
} from '../support/browser.ts'
import { findFocusProblems, findDisclosureProblems } from '../support/focus.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { CARD_EVENT_CODE, openCardEvent } from '../support/card-event.ts'
import { openPlainPage, type PlainPage } from '../support/plain-page.ts'
import { buildAddresses, listPageRoutes } from '../support/route-walk.ts'
import { chooseFreeBaseUrl, serve } from '../support/server.ts'
import { chooseForSoak } from '../support/soak.ts'
import { createWebhookSubscription } from '../support/webhooks.ts'
import { type TransferMeter, openTransferMeter } from '../support/transfer-meter.ts'
import { openContextOf, openWholeEvent, type AudienceMember, type WholeEvent } from '../support/whole-event.ts'
import { type Visitor, visitor } from '../support/visitor.ts'

/**
 * Checks every page of the router with realistic names: desktop and phone, light and dark, zoomed, by keyboard, with and without scripts.
 * Console pages are checked in all combinations; public pages once by axe with scripts, and by keyboard on a desktop. States that only a
 * particular journey reaches are checked by other tests.
 */

const ARABIC = 'مؤتمر المياه والمدن في القاهرة'
/** Sixty characters each: one name with spaces, and one without. */
const LONG_NAME = 'The Sixty-Second International Congress on Rivers and Cities'
const UNBROKEN = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunte'
/** Screenshots that are compared with the mock-ups show names of ordinary length, and are saved without further checks. */
const PICTURES_ONLY = process.env['SCREENSHOTS'] !== undefined && process.env['ORDINARY_NAMES'] !== undefined
const NAMES = PICTURES_ONLY ? ['Anna', 'Lindqvist', 'Riverworks Ltd'] : [ARABIC, LONG_NAME, UNBROKEN]
/** A pattern for the names of the pages to check, such as `PAGES=hotel`. */
const ONLY = process.env['PAGES']
const nameOf = (n: number) => NAMES[n % NAMES.length]!

/** A page with every problem that the checks must detect. */
const control = () =>
  new Hono<WebEnv>().get('/control', (c) =>
    c.html(`<!doctype html><html lang="en"><title>Control</title><style>
      :root { color-scheme: light dark }
      .faint { color: light-dark(#000, #222); background: light-dark(#fff, #000) }
      body { color: light-dark(#000, #fff); background: light-dark(#fff, #000) }
      a { color: light-dark(#00c, #bbf) }
      .bare:focus { outline: none }
    </style><main><h1>One</h1><h1>Two</h1><a href="#a" id="early" tabindex="-1">Early</a>
      <p style="width: 700px">Wide</p><p style="width: 50px; overflow: hidden; white-space: nowrap">Cut off at its end</p>
      <p style="width: 12px; overflow-wrap: anywhere">Squeezed</p>
      <p class="faint">Faint in the dark</p><img src="data:,"><img class="plain" src="data:,"><a class="bare" href="#b">No ring</a>
      <div inert><button>Out of reach</button></div><a href="#c" onfocus="this.onfocus = null; early.focus()">Back to the top</a>
      <details onclick="event.preventDefault()"><summary>Stuck</summary></details>
      <script>document.querySelector('.plain').remove()</script>
    </main><!--${'x'.repeat(MAX_PAGE_BYTES)}-->`),
  )

/** The email address of an invited person, who is asked for the code from the email. */
const INVITED_EMAIL = `${'long-name-of-somebody-who-is-listed.'.repeat(2)}x@example.org`

/** Transfer size without images. */
const MAX_PAGE_BYTES = 60 * 1024

/** Responses that are not HTML pages of the product: files, API endpoints, emails. */
const NON_PAGE_ROUTES =
  /^\/(assets|themes|covers|docs|\.well-known|embed\.js|door\/worker\.js|api\/(?!oauth\/consent))|^\/$|\.(pdf|ics|png|svg|json|csv|docx|xlsx)\}?$|\/html$|\/attachments\/|\/runs\/.*\/file$|\/lists\/:list$/
/** Routes that cannot be opened with the data here, and the tests that cover them. */
const ROUTES_COVERED_BY = new Map([
  ['/console/setup', 'console-settings'],
  // Text files for programs.
  ['/llms.txt', 'test/docs'],
  ['/llms-full.txt', 'test/docs'],
  ['/api/oauth/consent', 'consent'],
  // The route redirects to the first plan of an event that has one; the page of an event without plans is among the other states.
  ['/console/events/:client/:event/floor-plans', 'bare-floor-plans'],
  [`${PUBLIC_EVENT_PATH}/registration/offers/:entry`, 'waitlist-offer'],
])
/** Opened by a token that only an email contains. The tokens of suppliers, signers and surveys are known here. */
const BY_TOKEN = /^(?!\/(?:supplier|sign|s)\/).*:token|\/link$/
const OF_SUPPLIERS = /^\/(?:supplier|sign|verify)\b/

interface CheckedPage {
  name: string
  path: string
  /** The origin of the page if it differs from the event's. */
  site?: string
  who: string
  /** Whether the page is checked in all combinations of size and color scheme, as console pages are. */
  whole: boolean
}

let everything: WholeEvent
const visitors = new Map<string, Visitor>()
let pages: CheckedPage[]
let unseen: string[]
let cardStates: CheckedPage[]
let inProduction: string
let speakerTokens: { accepted: string; invited: string }

beforeAll(async () => {
  everything = await openWholeEvent({ morePages: control })
  const { sales: scenario, served } = everything
  const { world, event, olga } = scenario
  if (!PICTURES_ONLY)
    await everything.rewriteTexts((text, { n, html, fits }) => {
      if (html) return `<p>${nameOf(n)}. ${LONG_NAME}.</p>`
      const name = text.includes('{{') ? `${/\{\{[^}]*\}\}/.exec(text)![0]} ${nameOf(n)}` : nameOf(n)
      return fits(name) ? name : ARABIC
    })
  // Rooms at the end of two earlier days, before and after the first bookings, so that the Housing page draws its pace.
  const rooms = { db: world.database.write, tenantId: event.tenantId, event: { id: event.eventId } }
  await storePickupSnapshot(rooms, '2026-03-13')
  for (const { name, who } of await everything.audience(0, nameOf)) visitors.set(name, who)
  await storePickupSnapshot(rooms, '2026-04-03')
  // More than one page of participants, so that the page has its maximum size.
  for (let n = 0; n < 60; n++) await scenario.register({ full: 1, gala: n % 2 }, { data: peopleNamed(n), skipRequired: true })
  // A user who entered the password but not yet the second factor.
  const half = await createBrowserSession(world.database.write, { userId: olga.userId, totpPending: true, userAgent: 'test' })
  visitors.set('half', visitor(served))
  visitors.get('half')!.cookies.set('lanyard-organizer', half.reveal())
  // An organizer who scans badges at the door with this browser.
  const door = visitor(served)
  door.cookies.set('lanyard-organizer', visitors.get('organizer')!.cookies.get('lanyard-organizer')!)
  const [, doorEvent = ''] = /<option value="([^"]+)"/.exec((await door.get('/door')).html) ?? []
  await door.post('/door/start', { event: doorEvent }, { from: '/door' })
  visitors.set('door', door)
  speakerTokens = await inviteSpeaker()
  await scenario.call('add_invite_list_participants', { flowSlug: 'board', rows: [{ email: INVITED_EMAIL }] })
  await visitors.get('anonymous')!.post(`${eventHomePath(event)}/register/board`, { email: INVITED_EMAIL })
  // The same installation behind a proxy, whose administrator has not finished the setup checklist.
  const port = Number(new URL(await chooseFreeBaseUrl()).port)
  inProduction = (await serve(world, { port, env: { LANYARD_BASE_URL: 'https://events.example.org' } })).url('')
  visitors.set('operator', visitor({ ...served, baseUrl: inProduction }))
  const operator = await createBrowserSession(world.database.write, { userId: olga.userId, totpPending: false, userAgent: 'test' })
  visitors.get('operator')!.cookies.set('__Host-lanyard-organizer', operator.reveal())
  await createWebhookSubscription(world, event, { url: `https://${'long-name-of-a-host.'.repeat(3)}example.org/hooks` })
  await scenario.call('config_set', {
    operations: [
      { op: 'set', path: '/products/gala/prices/0/amount', valueJson: '"95.00"' },
      { op: 'set', path: '/products/full/name', valueJson: JSON.stringify(`${ARABIC} 2`) },
    ],
  })
  await world.event({ at: event, code: 'bare', name: LONG_NAME, status: 'draft' })
  await world.event({ at: event, code: 'crowded', name: UNBROKEN, status: 'draft' })
  await olga.call('configure_event', { eventCode: 'crowded', sections: { products: MANY_PRODUCTS, tags: MANY_TAGS } })
  cardStates = (await openCardEvent(scenario, served)).map(({ name, path, who, label }) => {
    visitors.set(label, who)
    return { name, path, who: label, whole: false }
  })
  if (!PICTURES_ONLY) await everything.rename(nameOf)
  ;({ pages, unseen } = await pagesOfRouter())
  if (ONLY !== undefined) pages = pages.filter(({ name }) => new RegExp(ONLY).test(name))
})
afterAll(() => everything.sales.world.end())

/** Invites the speaker, and returns the personal links of the accepted proposal and of the invitation. */
async function inviteSpeaker(): Promise<{ accepted: string; invited: string }> {
  const { world, event } = everything.sales
  const { rows } = await world.database.pool.query<{ submission: string; speaker: string }>(
    `with invited as (update speakers set status = 'invited' returning id)
     select u.id as submission, s.id as speaker from submissions u, invited s where u.number = 'S-000002'`,
  )
  const [{ submission, speaker }] = rows as [{ submission: string; speaker: string }]
  const scope = { keys: world.services.keys, tenantId: event.tenantId, event: { id: event.eventId } }
  return {
    accepted: toSpeakerPageToken(scope, { kind: 'submission', id: submission }),
    invited: toSpeakerPageToken(scope, { kind: 'speaker', id: speaker }),
  }
}

const peopleNamed = (n: number) => ({
  '@participant.firstName': nameOf(n),
  '@participant.lastName': nameOf(n + 1),
  '@participant.company': nameOf(n + 2),
  '@custom.diet': 'all',
  '@custom.first': true,
  '@participant.country': 'EG',
})

/** Numbered names for lists of products and tags that are longer than one page shows. */
const numbered = (n: number) => `${nameOf(n).slice(0, 56)} ${n}`
const MANY_PRODUCTS = Array.from({ length: 120 }, (_, n) => ({
  code: `product-${n}`,
  name: numbered(n),
  category: 'meal',
  prices: [{ amount: '375.00' }],
}))
const MANY_TAGS = Array.from({ length: 120 }, (_, n) => ({ code: `tag-${n}`, name: numbered(n) }))

/** The visitors who try to open a route, in order, until one has access. */
const readersOf = (route: string): AudienceMember['name'][] => {
  if (OF_SUPPLIERS.test(route)) return ['signer']
  return route.startsWith('/console') ? ['organizer', 'anonymous'] : ['done', 'begun', 'crew', 'exhibitor', 'anonymous']
}

/** Routes with one page for each address. */
const HAS_SEVERAL_PAGES = /\/:(page|token)$/

/** One address of each route, and all pages of the form. */
async function pagesOfRouter(): Promise<{ pages: CheckedPage[]; unseen: string[] }> {
  const known = await everything.known()
  const idsOf = async (table: 'charges' | 'webhook_endpoints') =>
    (await everything.sales.world.database.pool.query<{ id: string }>(`select id from ${table}`)).rows.map(({ id }) => id)
  const values = { ...known, named: { ...known.named, webhook: await idsOf('webhook_endpoints') } }
  const found: CheckedPage[] = []
  const missing: string[] = []
  for (const route of listPageRoutes(everything.sales.world).filter((one) => !NON_PAGE_ROUTES.test(one) && !BY_TOKEN.test(one))) {
    const before = found.length
    for (const who of readersOf(route)) {
      for (const path of buildAddresses(route, values)) {
        const { status, headers } = await visitors.get(who)!.get(path)
        if (status !== 200 || !headers.get('content-type')?.startsWith('text/html')) continue
        const number = route.endsWith('/:token') ? `-${found.length - before + 1}` : ''
        const whole = route.startsWith('/console') || OF_SUPPLIERS.test(route)
        found.push({ name: `${slugOf(route, path)}${number}`, path, who, whole })
        if (!HAS_SEVERAL_PAGES.test(route)) break
      }
      if (found.length > before) break
    }
    if (found.length === before && !ROUTES_COVERED_BY.has(route)) missing.push(route)
  }
  const more = [...moreStates(), ...cardStates]
  const named = { ...values.named, event: [CARD_EVENT_CODE], kind: ['pay'], id: await idsOf('charges') }
  const addresses = (route: string) => [...buildAddresses(route, values), ...buildAddresses(route, { ...values, named })]
  const isAmongMore = (route: string) => more.some(({ path }) => addresses(route).includes(path.split('?')[0]!))
  return { pages: [...found, ...more], unseen: missing.filter((route) => !isAmongMore(route)) }
}

/** A route without the event's base path. */
const slugOf = (route: string, path: string) =>
  (route.endsWith('/:page') ? route.replace(':page', path.split('/').at(-1)!) : route)
    .replace(PUBLIC_EVENT_PATH, 'event')
    .replaceAll(/\{[^/]*\}|[:/]/g, '-')
    .replaceAll(/-+/g, '-')
    .replace(/^-/, '')

/** The same pages without data, error pages, and public pages. */
function moreStates(): CheckedPage[] {
  const { clientCode, eventCode } = everything.sales.event
  const [full, bare, crowded] = [eventCode, 'bare', 'crowded'].map((code) => `/console/events/${clientCode}/${code}`)
  const of = (who: string, whole: boolean, states: Record<string, string>): CheckedPage[] =>
    Object.entries(states).map(([name, path]) => ({ name, path, who, whole }))
  return [
    ...of('organizer', true, {
      'bare-overview': bare!,
      'bare-draft': `${bare}/draft`,
      'bare-versions': `${bare}/versions`,
      'bare-products': `${bare}/products`,
      'bare-participants': `${bare}/participants`,
      'bare-money': `${bare}/money`,
      'bare-housing': `${bare}/housing`,
      'bare-briefs': `${bare}/briefs`,
      'bare-rfps': `${bare}/rfps`,
      'bare-contracts': `${bare}/contracts`,
      'bare-milestones': `${bare}/milestones`,
      'rfp-draft': `${full}/rfps/${everything.sourcing.rfps[1]}`,
      'compare-none': `${full}/rfps/${everything.sourcing.rfps[1]}/compare`,
      'compare-sealed': `${full}/rfps/${everything.sourcing.sealedRfp}/compare`,
      'contract-sent': `${full}/contracts/${everything.sourcing.contracts[1]}`,
      'contract-draft': `${full}/contracts/${everything.sourcing.contracts[3]}`,
      'bare-floor-plans': `${bare}/floor-plans`,
      'participants-none': `${full}/participants?search=zeppelin`,
      'participants-wrong': `${full}/participants?product=zeppelin`,
      'audit-none': '/console/audit?tool=zeppelin',
      'mailbox-none': '/console/mailbox?search=zeppelin',
      'connect-preset': '/console/connect?preset=front-desk',
      refused: '/console/events/absent/nothing',
    }),
    ...of('organizer', false, {
      'crowded-overview': crowded!,
      'crowded-draft': `${crowded}/draft`,
      'crowded-products': `${crowded}/products`,
      'crowded-participants': `${crowded}/participants`,
    }),
    ...of('operator', true, { checklist: '/console' }).map((shown) => ({ ...shown, site: inProduction })),
    ...of('anonymous', true, {
      invited: `${eventHomePath(everything.sales.event)}/register/board/invited?${new URLSearchParams({ email: INVITED_EMAIL }).toString()}`,
    }),
    ...of('door', true, { 'door-scanning': '/door' }),
    ...of('anonymous', false, {
      'event-speaker': `${eventHomePath(everything.sales.event)}/speaker/${speakerTokens.accepted}`,
      'event-speaker-invited': `${eventHomePath(everything.sales.event)}/speaker/${speakerTokens.invited}`,
    }),
    ...of('half', true, { 'sign-in-totp': '/console/sign-in/totp' }),
    ...of('anonymous', true, { 'password-old': '/console/password?token=old', nowhere: '/nowhere' }),
    ...of('anonymous', false, {
      'event-sign-in-code': `${eventHomePath(everything.sales.event)}/registration/sign-in/code?email=ana%40example.org`,
      'group-sign-in-code': `${eventHomePath(everything.sales.event)}/group/crew/sign-in/code?email=ana%40example.org`,
      'request-sign-in-code': `${eventHomePath(everything.sales.event)}/housing/request/sign-in/code?email=ana%40example.org`,
      'exhibitor-sign-in-code': `${eventHomePath(everything.sales.event)}/exhibitor/sign-in/code?email=ana%40example.org`,
      home: '/',
      docs: '/docs',
      'docs-connect': '/docs/connect',
      'docs-errors': '/docs/errors',
      'docs-tools': '/docs/tools',
      'docs-search': '/docs?q=token',
      'docs-feedback': '/docs/feedback',
    }),
  ]
}

const PHONE = { width: 390, height: 844 }
const DESK = { width: 1280, height: 800 }
/** A desktop and a phone window at 200% zoom; 320 px is the narrowest supported width. */
const NARROW_WIDTHS = [640, 320]

/** Checks an open page in all looks without loading it again. */
async function checkPage(page: Page, { name, whole }: CheckedPage, { everyColour = chooseForSoak(true, false) } = {}): Promise<string[]> {
  const problems: string[] = []
  const note = (where: string, found: readonly string[]) => problems.push(...found.map((problem) => `${name}, ${where}: ${problem}`))
  const shot = async (look: string) => {
    if (!process.env['SCREENSHOTS']) return
    // The screenshot shows sticky elements with the page scrolled to the top.
    await page.evaluate('scrollTo(0, 0)')
    await saveScreenshot(page, `${name}-${look}`)
  }
  if (PICTURES_ONLY) {
    for (const [size, { width: pixels, height }] of Object.entries({ 1280: DESK, 390: PHONE }))
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width: pixels, height })
        await shot(`${size}-${colorScheme}`)
      }
    return problems
  }
  const width = async (where: string) =>
    note(where, (await scrollsSideways(page)) ? ['is wider than the window', ...(await findClippedElements(page))] : [])

  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(DESK)
  note('desk', await findLayoutProblems(page))
  note('desk', [...(whole ? await findSeriousProblems(page) : []), ...(await findClippedElements(page))])
  note('desk', await findFocusProblems(page))
  await shot('1280-light')
  for (const size of NARROW_WIDTHS) {
    await page.setViewportSize({ width: size, height: 600 })
    await width(`${size} px`)
  }
  await page.setViewportSize(PHONE)
  await width('phone')
  // axe checks the pages with `whole` on a phone in the test without scripts.
  note('phone', [...(whole ? [] : await findSeriousProblems(page)), ...(await findClippedElements(page))])
  if ((await page.locator('.shell > header').count()) > 0 && (await measureHeaderShare(page)) >= 0.08)
    note('phone', ['the header takes too much space'])
  await shot('390-light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await shot('390-dark')
  note('phone, dark', await findSeriousProblems(page, CONTRAST_AXE_OPTIONS))
  if (whole) {
    note('phone, dark', await findFocusProblems(page))
    note('phone', await findDisclosureProblems(page))
  }
  // Contrast depends on the color scheme only: the dark one was checked on the phone, so the desktop is checked in soak runs only.
  if (everyColour || process.env['SCREENSHOTS']) {
    await page.setViewportSize(DESK)
    if (whole) note('desk, dark', await findSeriousProblems(page, CONTRAST_AXE_OPTIONS))
    await shot('1280-dark')
  }
  return problems
}

async function lookWithoutScripts({ page, show }: PlainPage, address: string, { whole }: Pick<CheckedPage, 'whole'>): Promise<string[]> {
  const problems = await show(address)
  return [...problems, ...(await findLayoutProblems(page)), ...(whole ? await findSeriousProblems(page, AXE_OPTIONS_WITHOUT_CONTRAST) : [])]
}

/** Opens each visitor's pages in their own browser context. */
async function forEachVisitor(
  open: (who: Visitor) => Promise<BrowserContext>,
  look: (context: BrowserContext, own: readonly CheckedPage[]) => Promise<void>,
): Promise<void> {
  for (const [who, own] of Map.groupBy(pages, ({ who: reader }) => reader)) {
    const context = await open(visitors.get(who)!)
    await look(context, own)
    await context.close()
  }
}

describe('every page of the product', () => {
  const siteOf = ({ site = everything.served.baseUrl }: CheckedPage) => site
  const address = (shown: CheckedPage) => `${siteOf(shown)}${shown.path}`

  it.skipIf(ONLY !== undefined)('visits every page that the router serves in these browser tests', () => {
    expect(unseen).toEqual([])
    expect(pages.filter(({ whole }) => whole).length).toBeGreaterThan(45)
    if (!PICTURES_ONLY) expect(NAMES.map((name) => name.length)).toEqual([30, 60, 60])
  })

  it.skipIf(PICTURES_ONLY)('control: reports each kind of page problem on a page that has them all', async () => {
    const context = await openContextOf(everything.served, visitor(everything.served))
    const { page, measureBytes: weigh } = await openTransferMeter(context)
    expect(await weigh(`${everything.served.baseUrl}/control`)).toBeGreaterThan(MAX_PAGE_BYTES)
    const problems = (
      await checkPage(page, { name: 'control', path: '/control', who: 'anonymous', whole: true }, { everyColour: true })
    ).join('\n')
    for (const problem of [
      'desk: has not one heading',
      'desk: image-alt',
      'desk: <p style="width: 50px; overflow: hidden',
      'desk: <p style="width: 12px; overflow-wrap: anywhere">Squeezed',
      '>No ring</a>: no ring',
      '<button>Out of reach</button>: not reachable by keyboard',
      '>Early</a>: focused out of order',
      '640 px: is wider than the window',
      'phone: is wider than the window',
      'phone, dark: color-contrast: <p class="faint">',
      'desk, dark: color-contrast: <p class="faint">',
      'Space does nothing at Stuck',
    ])
      expect(problems).toContain(problem)
    expect(problems).not.toContain('desk: color-contrast')
    const plain = await openPlainPage(context, `${everything.served.baseUrl}/control`)
    await plain.page.setViewportSize(PHONE)
    const without = (await lookWithoutScripts(plain, '/control', { whole: true })).join('\n')
    for (const problem of [
      'is without its sheets',
      'has not one heading',
      'is wider',
      'image-alt: <img src="data:,"> | <img class="plain"',
    ])
      expect(without).toContain(problem)
    expect(problems).not.toContain('<img class="plain"')
    await context.close()
  })

  it(
    'shows accessible pages at every size, by keyboard, light and dark, without requests to other hosts and within the size limit',
    { timeout: 1_200_000 },
    async () => {
      const problems: string[] = []
      const weighed: [string, number][] = []
      await forEachVisitor(
        (who) => openContextOf(everything.served, who),
        async (context, own) => {
          const scales: TransferMeter = await openTransferMeter(context)
          await installAxe(scales.page)
          await scales.page.emulateMedia({ reducedMotion: 'reduce' })
          scales.page.on('request', (request) => {
            if (/^https?:/.test(request.url()) && !request.url().startsWith(siteOf(own[0]!))) problems.push(`asks ${request.url()}`)
          })
          for (const shown of own) {
            const bytes = await scales.measureBytes(address(shown))
            weighed.push([shown.name, bytes])
            if (bytes > MAX_PAGE_BYTES) problems.push(`${shown.name}: sends ${bytes} bytes`)
            problems.push(...(await checkPage(scales.page, shown)))
          }
        },
      )
      expect(problems).toEqual([])
      // Guards against a broken size measurement.
      expect(weighed.filter(([, bytes]) => bytes < 8_000)).toEqual([])
    },
  )

  it('shows every page without scripts', async () => {
    const problems: string[] = []
    await forEachVisitor(
      (who) => openContextOf(everything.served, who, { width: 390, scheme: 'light', scripts: true }),
      async (context, own) => {
        const plain = await openPlainPage(context, address(own[0]!))
        for (const shown of own)
          problems.push(...(await lookWithoutScripts(plain, address(shown), shown)).map((problem) => `${shown.name}: ${problem}`))
      },
    )
    expect(problems).toEqual([])
  })
})
