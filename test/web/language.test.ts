import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served

beforeAll(async () => {
  world = await newWorld({ baseUrl: await freeBaseUrl() })
  served = await serve(world)
})
afterAll(() => world.end())

const browser = (language?: string) =>
  visitor(served, { accept: 'text/html', ...(language === undefined ? {} : { 'accept-language': language }) })
const headingOf = (html: string) => /<html lang="([^"]+)" dir="([^"]+)">[\s\S]*<h1>([^<]+)/.exec(html)?.slice(1)

describe('page-not-found page', () => {
  it.each([
    ['de-AT,de;q=0.9,en;q=0.8', ['de', 'ltr', 'Seite nicht gefunden']],
    ['en-GB', ['en', 'ltr', 'Page not found']],
    ['fr,de;q=0.5', ['de', 'ltr', 'Seite nicht gefunden']],
    ['ja', ['en', 'ltr', 'Page not found']],
    ['de;q=0, *', ['en', 'ltr', 'Page not found']],
    ['</html>', ['en', 'ltr', 'Page not found']],
  ])('shows a missing page in the language of a browser that accepts %s', async (header, said) => {
    const page = await browser(header).get('/nowhere')
    expect([page.status, headingOf(page.html)]).toEqual([404, said])
  })

  it('shows a missing page in the language requested in the address and remembers it', async () => {
    const guest = browser('en')
    expect(headingOf((await guest.get('/nowhere?lang=de')).html)?.[0]).toBe('de')
    expect(headingOf((await guest.get('/nowhere')).html)?.[0]).toBe('de')
    expect(headingOf((await guest.get('/nowhere?lang=en')).html)?.[0]).toBe('en')
    expect(headingOf((await guest.get('/nowhere')).html)?.[0]).toBe('en')
  })

  it.each(['xx', '*', '"><script>', ''])('ignores the invalid language in ?lang=%s', async (lang) => {
    const guest = browser('de')
    const page = await guest.get(`/nowhere?lang=${encodeURIComponent(lang)}`)
    expect(headingOf(page.html)?.[0]).toBe('de')
    expect(guest.cookies.size).toBe(0)
  })
})
