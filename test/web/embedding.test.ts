import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { openFormAs } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type VisitedPage, visitor } from '../support/visitor.ts'

let scenario: SalesScenario
let served: Served
let home: string

beforeAll(async () => {
  // As in production: over HTTPS, behind a TLS proxy.
  scenario = await openSalesScenario(undefined, { baseUrl: 'https://tickets.example' })
  served = await serve(scenario.world, { port: Number(new URL(await chooseFreeBaseUrl()).port) })
  home = eventHomePath(scenario.event)
})
afterAll(() => scenario.world.end())

const embedOn = (hosts: string[]) =>
  scenario.world.database.pool.query(`update clients set embed_hosts = $1 where id = $2`, [hosts, scenario.event.clientId])
const framing = ({ headers }: VisitedPage) => /frame-ancestors ([^;]+)/.exec(headers.get('content-security-policy') ?? '')?.[1]
const cookies = ({ headers }: VisitedPage) => headers.getSetCookie()
const bare = (html: string) => html.replaceAll(/(?<=name="_csrf" value=")[^"]+/g, '')

describe('event pages embedded in the client’s websites', () => {
  it('lets the client’s websites frame event pages, and sets partitioned cookies', async () => {
    await embedOn(['www.acme.example', '*.partners.example'])
    const who = visitor(served)
    for (const path of ['', '/register/attendee', '/registration/sign-in', '/group/any/sign-in']) {
      const page = await who.get(`${home}${path}`)
      expect([path, page.status, framing(page)]).toEqual([path, 200, 'www.acme.example *.partners.example'])
    }
    const start = await visitor(served).get(`${home}/register/attendee`)
    expect(cookies(start)).toHaveLength(1)
    expect(cookies(start)[0]).toMatch(/^__Host-lanyard-visitor=.*; Path=\/; HttpOnly; Secure; SameSite=None; Partitioned$/)
    const ada = openFormAs(who, scenario.event)
    const started = await ada.begin('framed@example.org')
    expect(cookies(started).find((line) => line.startsWith('__Host-lanyard-person='))).toMatch(
      /Max-Age=43200; .*SameSite=None; Partitioned$/,
    )
    // The whole registration in a frame, with the cookies that the browser returns.
    await ada.fill('contact', { '@participant.firstName': 'Ada', '@participant.lastName': 'Framed' })
    await ada.fill('choices', { '@product.pass': '1' })
    expect((await ada.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    expect(framing(await ada.open('done'))).toBe('www.acme.example *.partners.example')
    const own = await signInVisitor(scenario.world, served, scenario.event, 'framed@example.org')
    expect(framing(await own.get(`${home}/registration`))).toBe('www.acme.example *.partners.example')
  })

  it('forbids framing of event pages and sets regular cookies if the client has no websites', async () => {
    await embedOn([])
    const who = visitor(served)
    const start = await who.get(`${home}/register/attendee`)
    expect(framing(start)).toBe("'none'")
    expect(cookies(start)[0]).toMatch(/SameSite=Lax$/)
    const started = await openFormAs(who, scenario.event).begin('unframed@example.org')
    expect(cookies(started).join()).not.toMatch(/Partitioned|SameSite=None/)
  })

  it('serves the same event pages with and without websites that may frame them', async () => {
    const read = async () => {
      const who = openFormAs(visitor(served), scenario.event)
      const start = await who.open('')
      await who.begin('same@example.org')
      return [bare(start.html), bare((await who.open('contact')).html)]
    }
    await embedOn([])
    const plain = await read()
    await embedOn(['www.acme.example'])
    expect(await read()).toEqual(plain)
  })

  it("opens the map of the venue outside the frame, without sending the page's address to the map’s website", async () => {
    await embedOn(['www.acme.example'])
    const { html } = await visitor(served).get(home)
    const [link = ''] = /<a [^>]*openstreetmap[^>]*>/.exec(html) ?? []
    expect(link).toContain('query=Palais%2C%20Paris%2C%20France"')
    expect(link).toContain('target="_blank" rel="noopener noreferrer"')
    expect(new URL(/href="([^"]+)/.exec(link)![1]!).origin).toBe('https://www.openstreetmap.org')
  })

  it('omits stored websites that are not host names from the frame policy', async () => {
    await embedOn(['www.acme.example', "'self'; script-src *", 'https:', '*'])
    expect(framing(await visitor(served).get(home))).toBe('www.acme.example')
  })

  it('forbids framing of pages that do not belong to an event', async () => {
    await embedOn(['www.acme.example'])
    for (const path of ['/', '/docs', '/console/sign-in', '/nowhere', `${home}x`, '/b/none'])
      expect([path, framing(await visitor(served, { accept: 'text/html' }).get(path))]).toEqual([path, "'none'"])
  })
})

describe('/embed.js', () => {
  it('redirects the permanent address /embed.js to the current version of the embed script', async () => {
    const short = await visitor(served).get('/embed.js')
    expect(short).toMatchObject({ status: 302, location: expect.stringMatching(/^\/assets\/embed\.[0-9a-f]{10}\.js$/) })
    expect(short.headers.get('cache-control')).toBe('public, max-age=300')
    const script = await visitor(served).get(short.location!)
    expect(script.headers.get('content-type')).toContain('text/javascript')
    expect(script.html).toContain('data-lanyard')
  })
})
