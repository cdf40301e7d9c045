import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assignPassword } from '../support/browser.ts'
import { type VisitedPage, type Visitor, visitor } from '../support/visitor.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let admin: Visitor

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const acme = await world.client({ code: 'acme' })
  await world.event({ code: 'summit', at: acme })
  const organizer = await world.organizer({ at: acme })
  served = await serve(world)
  admin = browser()
  await assignPassword(world, organizer)
  await admin.signIn(organizer)
  await admin.post('/console/forgot', { email: organizer.email })
})
afterAll(() => world.end())

const browser = () => visitor(served, { accept: 'text/html' })

/** Markup that a policy without 'unsafe-inline' blocks. A page that contains it is broken or contains injected markup. */
const INLINE_MARKUP = [
  /<[^>]*\sstyle\s*=/i,
  /<style\b/i,
  /<[^>]*\son[a-z]+\s*=/i,
  /<script\b(?![^>]*\ssrc=)(?! type="application\/ld\+json">)/i,
  /href="javascript:/i,
]

const problemsOf = ({ html, headers }: Pick<VisitedPage, 'html' | 'headers'>): string[] => [
  ...INLINE_MARKUP.flatMap((pattern) => pattern.exec(html)?.[0] ?? []),
  ...(headers.get('content-security-policy')?.includes("style-src 'self'") ? [] : ['no policy']),
  ...(/(?<!'wasm-)unsafe-/.exec(headers.get('content-security-policy') ?? '') ?? []),
]

/** WebAssembly compilation runs no text as code, but only the scanner page needs it. */
const compiles = ({ headers }: VisitedPage) => headers.get('content-security-policy')?.includes('wasm-unsafe-eval')

const isEmailPage = (path: string) => /^\/console\/mailbox\/[0-9a-f]{24}\/html$/.test(path)

/** Every page reachable by links, except those already visited. */
async function crawl(guest: Visitor, from: readonly string[], seen: ReadonlySet<string> = new Set()): Promise<Map<string, VisitedPage>> {
  const pages = new Map<string, VisitedPage>()
  const open = [...from]
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    if (pages.has(path) || seen.has(path) || isEmailPage(path)) continue
    const page = await guest.get(path)
    pages.set(path, page)
    const links = [...page.html.matchAll(/<a\b[^>]*\shref="(\/[^"#]*)/g)].map(([, href]) => href!.replaceAll('&amp;', '&'))
    if (page.location?.startsWith('/')) links.push(page.location)
    open.push(...links.filter((link) => !link.startsWith('//')))
  }
  return pages
}

const isHtml = ({ headers }: VisitedPage) => headers.get('content-type')?.startsWith('text/html')

describe('inline styles and scripts on web pages', () => {
  it('serves every page without inline styles and scripts, under a content security policy that forbids both', async () => {
    const pages = await crawl(admin, ['/', '/docs', '/console', '/console/mailbox', '/nowhere', '/console/nowhere'])
    // The documentation does not depend on the visitor.
    const seen = new Set([...pages.keys()].filter((path) => path.startsWith('/docs')))
    const guests = await crawl(browser(), ['/console/sign-in', '/console/forgot', '/console/password?token=x', '/setup', '/nowhere'], seen)
    const looked = [...pages, ...guests].filter(([, page]) => isHtml(page))
    expect(looked.filter(([, page]) => problemsOf(page).length > 0).map(([path, page]) => [path, problemsOf(page)])).toEqual([])
    expect(looked.filter(([, page]) => compiles(page)).map(([path]) => path)).toEqual(['/scan'])
    expect(looked.length).toBeGreaterThan(40)
    for (const path of ['/docs/connect', '/console/account', '/console/mailbox', '/console/sign-in', '/nowhere'])
      expect(looked.map(([one]) => one)).toContain(path)
  })

  it.each([
    '<p style="color:red">',
    "<p class=x STYLE='x'>",
    '<style>p{}</style>',
    '<a onclick="x()">',
    '<script>x()</script>',
    '<a href="javascript:x">',
  ])('control: detects a page with %s', (html) => {
    const headers = new Headers({ 'content-security-policy': "style-src 'self'" })
    expect(problemsOf({ html, headers })).toHaveLength(1)
    expect(problemsOf({ html: '<p class="style">on</p><script src="/a.js" defer></script>', headers })).toEqual([])
    expect(problemsOf({ html: '', headers: new Headers() })).toEqual(['no policy'])
    const unsafe = new Headers({ 'content-security-policy': "style-src 'self'; script-src 'self' 'unsafe-eval'" })
    expect(problemsOf({ html: '', headers: unsafe })).toEqual(['unsafe-'])
  })
})
