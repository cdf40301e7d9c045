import { Hono } from 'hono'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSession } from '../../src/domains/sign-in/sessions.ts'
import { EVENT_PATH } from '../../src/surfaces/web/event/event-site.ts'
import type { WebEnv } from '../../src/surfaces/web/web.ts'
import {
  CONTRAST,
  cutOff,
  headerShare,
  keepAxe,
  keepScreenshot,
  scrollsSideways,
  seriousFindings,
  shapeFaults,
} from '../support/browser.ts'
import { focusFaults, foldingFaults } from '../support/focus.ts'
import { homeOf } from '../support/own-pages.ts'
import { openPlain, type PlainPage } from '../support/plain-page.ts'
import { addressesOf, pageRoutes } from '../support/route-walk.ts'
import { freeBaseUrl, serve } from '../support/server.ts'
import { inSoak } from '../support/soak.ts'
import { listenAt } from '../support/webhooks.ts'
import { type Scales, openScales } from '../support/wire.ts'
import { contextOf, openWholeEvent, type Somebody, type WholeEvent } from '../support/whole-event.ts'
import { type Visitor, visitor } from '../support/visitor.ts'

/**
 * Checks every page of the router with realistic names: desktop and phone, light and dark, zoomed, by keyboard, with and without scripts.
 * Console pages are checked in all combinations; public pages once by axe with scripts, and by keyboard on a desktop. States that only a
 * particular journey reaches are checked by other tests.
 */

const ARABIC = 'مؤتمر المياه والمدن في القاهرة'
/** Sixty characters each: one name with spaces, and one without. */
const LONG = 'The Sixty-Second International Congress on Rivers and Cities'
const UNBROKEN = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunte'
const NAMES = [ARABIC, LONG, UNBROKEN]
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
    </main><!--${'x'.repeat(MOST_BYTES)}-->`),
  )

/** An invited person who is asked for the code from their email. */
const LISTED = `${'long-name-of-somebody-who-is-listed.'.repeat(2)}x@example.org`

/** Transfer size without images. */
const MOST_BYTES = 60 * 1024

/** Responses that are not HTML pages of the product: files, API endpoints, emails. */
const NO_PAGES =
  /^\/(assets|themes|covers|docs|\.well-known|embed\.js|api\/(?!oauth\/consent))|^\/$|\.(pdf|ics|png|json)\}?$|\/html$|\/attachments\//
/** Routes that cannot be opened with the data here, and the tests that cover them. */
const ELSEWHERE = new Map([
  ['/console/setup', 'console-settings'],
  // Text files for programs.
  ['/llms.txt', 'test/docs'],
  ['/llms-full.txt', 'test/docs'],
  ['/api/oauth/consent', 'consent'],
  ['/sandbox/:kind/:id', 'test/web/sandbox'],
  [`${EVENT_PATH}/register/:flow/pay`, 'test/web'],
  [`${EVENT_PATH}/register/:flow/pay/return`, 'assistant-and-person'],
  [`${EVENT_PATH}/registration/pay/return`, 'test/web'],
])
/** Opened by a token that only an email contains. */
const BY_TOKEN = /:token|\/link$/

interface Shown {
  name: string
  path: string
  /** Another origin than the event's. */
  site?: string
  who: string
  /** A console page, or one that is checked as thoroughly. */
  whole: boolean
}

let everything: WholeEvent
const visitors = new Map<string, Visitor>()
let pages: Shown[]
let unseen: string[]
let inProduction: string

beforeAll(async () => {
  everything = await openWholeEvent({ morePages: control })
  const { story, served } = everything
  const { world, event, olga } = story
  await everything.rewriteTexts((text, { n, html, fits }) => {
    if (html) return `<p>${nameOf(n)}. ${LONG}.</p>`
    const name = text.includes('{{') ? `${/\{\{[^}]*\}\}/.exec(text)![0]} ${nameOf(n)}` : nameOf(n)
    return fits(name) ? name : ARABIC
  })
  for (const { name, who } of await everything.audience(0, nameOf)) visitors.set(name, who)
  // More than one page of participants, so that the page has its maximum size.
  for (let n = 0; n < 60; n++) await story.register({ full: 1, gala: n % 2 }, { data: peopleNamed(n), skipRequired: true })
  // A user who entered the password but not yet the second factor.
  const half = await createSession(world.database.write, { userId: olga.userId, totpPending: true, userAgent: 'test' })
  visitors.set('half', visitor(served))
  visitors.get('half')!.cookies.set('lanyard-organizer', half.reveal())
  await story.call('add_invite_list_participants', { flowSlug: 'board', rows: [{ email: LISTED }] })
  await visitors.get('nobody')!.post(`${homeOf(event)}/register/board`, { email: LISTED })
  // The same installation behind a proxy, whose administrator has not finished the setup checklist.
  const port = Number(new URL(await freeBaseUrl()).port)
  inProduction = (await serve(world, { port, env: { LANYARD_BASE_URL: 'https://events.example.org' } })).url('')
  visitors.set('operator', visitor({ ...served, baseUrl: inProduction }))
  const operator = await createSession(world.database.write, { userId: olga.userId, totpPending: false, userAgent: 'test' })
  visitors.get('operator')!.cookies.set('__Host-lanyard-organizer', operator.reveal())
  await listenAt(world, event, { url: `https://${'long-name-of-a-host.'.repeat(3)}example.org/hooks` })
  await story.call('config_set', {
    operations: [
      { op: 'set', path: '/products/gala/prices/0/amount', valueJson: '"95.00"' },
      { op: 'set', path: '/products/full/name', valueJson: JSON.stringify(`${ARABIC} 2`) },
    ],
  })
  await world.event({ at: event, code: 'bare', name: LONG, status: 'draft' })
  await world.event({ at: event, code: 'crowded', name: UNBROKEN, status: 'draft' })
  await olga.call('configure_event', { eventCode: 'crowded', sections: { products: MANY_PRODUCTS, tags: MANY_TAGS } })
  await everything.rename(nameOf)
  ;({ pages, unseen } = await pagesOfRouter())
})
afterAll(() => everything.story.world.end())

const peopleNamed = (n: number) => ({
  '@participant.firstName': nameOf(n),
  '@participant.lastName': nameOf(n + 1),
  '@participant.company': nameOf(n + 2),
  '@custom.diet': 'all',
  '@custom.first': true,
  '@participant.country': 'EG',
})

/** More of them than any page shows. */
const numbered = (n: number) => `${nameOf(n).slice(0, 56)} ${n}`
const MANY_PRODUCTS = Array.from({ length: 120 }, (_, n) => ({
  code: `product-${n}`,
  name: numbered(n),
  category: 'meal',
  prices: [{ amount: '375.00' }],
}))
const MANY_TAGS = Array.from({ length: 120 }, (_, n) => ({ code: `tag-${n}`, name: numbered(n) }))

/** The visitors who try to open a route, in order, until one has access. */
const readersOf = (route: string): Somebody['name'][] =>
  route.startsWith('/console') ? ['organizer', 'nobody'] : ['done', 'begun', 'crew', 'nobody']

/** One address of each route, and all pages of the form. */
async function pagesOfRouter(): Promise<{ pages: Shown[]; unseen: string[] }> {
  const known = await everything.known()
  const { rows } = await everything.story.world.database.pool.query<{ id: string }>('select id from webhook_endpoints')
  const values = { ...known, named: { ...known.named, webhook: rows.map(({ id }) => id) } }
  const found: Shown[] = []
  const missing: string[] = []
  for (const route of pageRoutes(everything.story.world).filter((one) => !NO_PAGES.test(one) && !BY_TOKEN.test(one))) {
    const before = found.length
    for (const who of readersOf(route)) {
      for (const path of addressesOf(route, values)) {
        const { status, headers } = await visitors.get(who)!.get(path)
        if (status !== 200 || !headers.get('content-type')?.startsWith('text/html')) continue
        found.push({ name: slugOf(route, path), path, who, whole: route.startsWith('/console') })
        if (!route.endsWith('/:page')) break
      }
      if (found.length > before) break
    }
    if (found.length === before && !ELSEWHERE.has(route)) missing.push(route)
  }
  const more = moreStates()
  const isAmongMore = (route: string) => more.some(({ path }) => addressesOf(route, values).includes(path.split('?')[0]!))
  return { pages: [...found, ...more], unseen: missing.filter((route) => !isAmongMore(route)) }
}

/** A route without the event's base path. */
const slugOf = (route: string, path: string) =>
  (route.endsWith('/:page') ? route.replace(':page', path.split('/').at(-1)!) : route)
    .replace(EVENT_PATH, 'event')
    .replaceAll(/\{[^/]*\}|[:/]/g, '-')
    .replaceAll(/-+/g, '-')
    .replace(/^-/, '')

/** The same pages without data, error pages, and public pages. */
function moreStates(): Shown[] {
  const { clientCode, eventCode } = everything.story.event
  const [full, bare, crowded] = [eventCode, 'bare', 'crowded'].map((code) => `/console/events/${clientCode}/${code}`)
  const of = (who: string, whole: boolean, states: Record<string, string>): Shown[] =>
    Object.entries(states).map(([name, path]) => ({ name, path, who, whole }))
  return [
    ...of('organizer', true, {
      'bare-overview': bare!,
      'bare-draft': `${bare}/draft`,
      'bare-versions': `${bare}/versions`,
      'bare-products': `${bare}/products`,
      'bare-participants': `${bare}/participants`,
      'participants-none': `${full}/participants?search=zeppelin`,
      'participants-wrong': `${full}/participants?product=zeppelin`,
      'audit-none': '/console/audit?tool=zeppelin',
      'mailbox-none': '/console/mailbox?search=zeppelin',
      'connect-preset': '/console/connect?preset=front-desk',
      refused: '/console/events/nobody/nothing',
    }),
    ...of('organizer', false, {
      'crowded-overview': crowded!,
      'crowded-draft': `${crowded}/draft`,
      'crowded-products': `${crowded}/products`,
      'crowded-participants': `${crowded}/participants`,
    }),
    ...of('operator', true, { checklist: '/console' }).map((shown) => ({ ...shown, site: inProduction })),
    ...of('nobody', true, {
      invited: `${homeOf(everything.story.event)}/register/board/invited?${new URLSearchParams({ email: LISTED }).toString()}`,
    }),
    ...of('half', true, { 'sign-in-totp': '/console/sign-in/totp' }),
    ...of('nobody', true, { 'password-old': '/console/password?token=old', nowhere: '/nowhere' }),
    ...of('nobody', false, {
      'event-sign-in-code': `${homeOf(everything.story.event)}/registration/sign-in/code?email=ana%40example.org`,
      'group-sign-in-code': `${homeOf(everything.story.event)}/group/crew/sign-in/code?email=ana%40example.org`,
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
const NARROW = [640, 320]

/** Checks an open page in all looks without loading it again. */
async function lookThrough(page: Page, { name, whole }: Shown, { everyColour = inSoak(true, false) } = {}): Promise<string[]> {
  const faults: string[] = []
  const note = (where: string, found: readonly string[]) => faults.push(...found.map((fault) => `${name}, ${where}: ${fault}`))
  const shot = async (look: string) => {
    if (!process.env['SCREENSHOTS']) return
    // Sticky elements start at the top.
    await page.evaluate('scrollTo(0, 0)')
    await keepScreenshot(page, `${name}-${look}`)
  }
  const width = async (where: string) =>
    note(where, (await scrollsSideways(page)) ? ['is wider than the window', ...(await cutOff(page))] : [])

  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(DESK)
  note('desk', await shapeFaults(page))
  note('desk', [...(whole ? await seriousFindings(page) : []), ...(await cutOff(page))])
  note('desk', await focusFaults(page))
  await shot('1280-light')
  for (const size of NARROW) {
    await page.setViewportSize({ width: size, height: 600 })
    await width(`${size} px`)
  }
  await page.setViewportSize(PHONE)
  await width('phone')
  // Thoroughly checked pages are checked by axe on a phone without scripts.
  note('phone', [...(whole ? [] : await seriousFindings(page)), ...(await cutOff(page))])
  if ((await page.locator('.shell > header').count()) > 0 && (await headerShare(page)) >= 0.08) note('phone', ['the header takes too much space'])
  await shot('390-light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await shot('390-dark')
  note('phone, dark', await seriousFindings(page, CONTRAST))
  if (whole) {
    note('phone, dark', await focusFaults(page))
    note('phone', await foldingFaults(page))
  }
  // Contrast depends on the color scheme only: the dark one was checked on the phone, so the desktop is checked in soak runs only.
  if (everyColour || process.env['SCREENSHOTS']) {
    await page.setViewportSize(DESK)
    if (whole) note('desk, dark', await seriousFindings(page, CONTRAST))
    await shot('1280-dark')
  }
  return faults
}

async function lookWithoutScripts({ page, show }: PlainPage, address: string, { whole }: Pick<Shown, 'whole'>): Promise<string[]> {
  const faults = await show(address)
  return [...faults, ...(await shapeFaults(page)), ...(whole ? await seriousFindings(page) : [])]
}

/** Opens each visitor's pages in their own browser context. */
async function forEverybody(
  open: (who: Visitor) => Promise<BrowserContext>,
  look: (context: BrowserContext, own: readonly Shown[]) => Promise<void>,
): Promise<void> {
  for (const [who, own] of Map.groupBy(pages, ({ who: reader }) => reader)) {
    const context = await open(visitors.get(who)!)
    await look(context, own)
    await context.close()
  }
}

describe('every page of the product', () => {
  const siteOf = ({ site = everything.served.baseUrl }: Shown) => site
  const address = (shown: Shown) => `${siteOf(shown)}${shown.path}`

  it('is covered by these checks', () => {
    expect(unseen).toEqual([])
    expect(pages.filter(({ whole }) => whole).length).toBeGreaterThan(45)
    expect(NAMES.map((name) => name.length)).toEqual([30, 60, 60])
  })

  it('control: reports every kind of problem', async () => {
    const context = await contextOf(everything.served, visitor(everything.served))
    const { page, weigh } = await openScales(context)
    expect(await weigh(`${everything.served.baseUrl}/control`)).toBeGreaterThan(MOST_BYTES)
    const faults = (await lookThrough(page, { name: 'control', path: '/control', who: 'nobody', whole: true }, { everyColour: true })).join(
      '\n',
    )
    for (const fault of [
      'desk: has not one heading',
      'desk: image-alt',
      'desk: <p style="width: 50px; overflow: hidden',
      'desk: <p style="width: 12px; overflow-wrap: anywhere">Squeezed',
      '>No ring</a>: no ring',
      '<button>Out of reach</button>: the keyboard does not come here',
      '>Early</a>: the keyboard comes here out of turn',
      '640 px: is wider than the window',
      'phone: is wider than the window',
      'phone, dark: color-contrast: <p class="faint">',
      'desk, dark: color-contrast: <p class="faint">',
      'Space does nothing at Stuck',
    ])
      expect(faults).toContain(fault)
    expect(faults).not.toContain('desk: color-contrast')
    const plain = await openPlain(context, `${everything.served.baseUrl}/control`)
    await plain.page.setViewportSize(PHONE)
    const without = (await lookWithoutScripts(plain, '/control', { whole: true })).join('\n')
    for (const fault of ['is without its sheets', 'has not one heading', 'is wider', 'image-alt: <img src="data:,"> | <img class="plain"'])
      expect(without).toContain(fault)
    expect(faults).not.toContain('<img class="plain"')
    await context.close()
  })

  it(
    'is accessible at every size, by keyboard, light and dark, sends no requests to other hosts and stays within the size limit',
    { timeout: 600_000 },
    async () => {
      const faults: string[] = []
      const weighed: [string, number][] = []
      await forEverybody(
        (who) => contextOf(everything.served, who),
        async (context, own) => {
          const scales: Scales = await openScales(context)
          await keepAxe(scales.page)
          await scales.page.emulateMedia({ reducedMotion: 'reduce' })
          scales.page.on('request', (request) => {
            if (/^https?:/.test(request.url()) && !request.url().startsWith(siteOf(own[0]!))) faults.push(`asks ${request.url()}`)
          })
          for (const shown of own) {
            const bytes = await scales.weigh(address(shown))
            weighed.push([shown.name, bytes])
            if (bytes > MOST_BYTES) faults.push(`${shown.name}: sends ${bytes} bytes`)
            faults.push(...(await lookThrough(scales.page, shown)))
          }
        },
      )
      expect(faults).toEqual([])
      // Guards against a broken size measurement.
      expect(weighed.filter(([, bytes]) => bytes < 8_000)).toEqual([])
    },
  )

  it('works without scripts', async () => {
    const faults: string[] = []
    await forEverybody(
      (who) => contextOf(everything.served, who, { width: 390, scheme: 'light', scripts: true }),
      async (context, own) => {
        const plain = await openPlain(context, address(own[0]!))
        for (const shown of own)
          faults.push(...(await lookWithoutScripts(plain, address(shown), shown)).map((fault) => `${shown.name}: ${fault}`))
      },
    )
    expect(faults).toEqual([])
  })
})
