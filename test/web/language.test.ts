import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventHomePath } from '../support/own-pages.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let event: EventHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  event = await world.event({ at: await world.client({ code: 'acme' }), code: 'summit', status: 'draft' })
  const olga = await world.organizer({ at: event })
  await olga.call('configure_event', { eventCode: 'summit', sections: { details: { contactEmail: 'events@acme.example' } } })
  await olga.call('publish_event', { eventCode: 'summit', acceptWarnings: true })
  served = await serve(world)
})
afterAll(() => world.end())

const browser = (language?: string) =>
  visitor(served, { accept: 'text/html', ...(language === undefined ? {} : { 'accept-language': language }) })
const headingOf = (html: string) => /<html lang="([^"]+)" dir="([^"]+)">[\s\S]*<h1(?: lang="[^"]*")?>([^<]+)/.exec(html)?.slice(1)

describe('page-not-found page', () => {
  it.each([
    ['de-AT,de;q=0.9,en;q=0.8', ['de', 'ltr', 'Seite nicht gefunden']],
    ['en-GB', ['en', 'ltr', 'Page not found']],
    ['pl,de;q=0.5', ['de', 'ltr', 'Seite nicht gefunden']],
    ['fr-CA,de;q=0.5', ['fr', 'ltr', 'Page introuvable']],
    ['es-MX', ['es', 'ltr', 'Página no encontrada']],
    ['it', ['it', 'ltr', 'Pagina non trovata']],
    ['nl-BE', ['nl', 'ltr', 'Pagina niet gevonden']],
    ['pt-BR,en;q=0.5', ['pt', 'ltr', 'Página não encontrada']],
    ['ja', ['en', 'ltr', 'Page not found']],
    ['de;q=0, *', ['en', 'ltr', 'Page not found']],
    ['</html>', ['en', 'ltr', 'Page not found']],
  ])('shows the page-not-found page in the language of a browser that accepts %s', async (header, said) => {
    const page = await browser(header).get('/nowhere')
    expect([page.status, headingOf(page.html)]).toEqual([404, said])
  })

  it('shows the page-not-found page in the language requested in the address, and remembers the language', async () => {
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

describe('language switch of an event', () => {
  const languagesOf = (html: string) =>
    [...(/<nav class="languages"[^>]*>(.*?)<\/nav>/s.exec(html)?.[1] ?? '').matchAll(/hreflang="([^"]+)"/g)].map(([, tag]) => tag)
  const homeIn = async (locale: string, locales: string[], header = 'en') => {
    await world.database.pool.query('update events set locale = $2, locales = $3 where id = $1', [event.eventId, locale, locales])
    return browser(header).get(eventHomePath(event))
  }

  it('offers the event languages that the interface supports, including regional variants', async () => {
    const { html } = await homeIn('en', ['en', 'de', 'ja', 'pt-BR', 'zh-Hant', 'fr-CH'])
    expect(languagesOf(html)).toEqual(['en', 'de', 'pt-BR', 'fr-CH'])
  })

  it('shows no language switch if no other language can be offered', async () => {
    const { html } = await homeIn('en', ['en', 'ja'])
    expect(html).not.toContain('class="languages"')
  })

  it('offers the main language of the event even if the interface lacks it', async () => {
    const { html } = await homeIn('ja', ['ja', 'it', 'ko'])
    expect(languagesOf(html)).toEqual(['ja', 'it'])
  })

  it('shows the organizer’s translation to a browser in a language that the interface lacks', async () => {
    const { html } = await homeIn('en', ['en', 'de', 'ja'], 'ja')
    expect([headingOf(html)?.[0], languagesOf(html)]).toEqual(['ja', ['en', 'de']])
  })
})
