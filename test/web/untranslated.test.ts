import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildEventPath, openFormAs } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

let selling: SalesScenario
let served: Served

beforeAll(async () => {
  selling = await openSalesScenario(
    { ...WORKED_EXAMPLE, details: { name: 'Rivers and Towns', summary: 'Two days by the river', contactEmail: 'team@example.org' } },
    { baseUrl: await chooseFreeBaseUrl() },
  )
  await selling.call('update_event', { locales: ['en', 'de'] })
  await selling.call('config_set', {
    operations: [{ op: 'set', path: '/translations/de/~1products~1pass~1name', valueJson: '{"text":"Kongresspass"}' }],
  })
  await selling.call('publish_event', { acceptWarnings: true })
  served = await serve(selling.world)
})
afterAll(() => selling.world.end())

const home = async (lang: string) => visitor(served).get(`${buildEventPath(selling.event)}?lang=${lang}`)

describe('event page in a language that lacks translations', () => {
  it("marks on the event page exactly the organizer's texts that are in another language than the page", async () => {
    const { html, text } = await home('de')
    expect(html).toContain('<html lang="de"')
    expect(html).toContain('<h1 lang="en">Rivers and Towns</h1>')
    expect(html).toContain('<strong lang="en">Rivers and Towns</strong>')
    expect(html).toMatch(/<p class="lead" lang="en">\s*Two days by the river/)
    expect(html).toContain('<h3>Kongresspass</h3>')
    expect(text).toContain('Anmelden')
    for (const ours of ['Register', 'Tickets from', 'Already registered', 'Programme', 'All times', 'Skip to'])
      expect(text).not.toContain(ours)
  })

  it("marks no text on the event page if it is shown in the event's main language", async () => {
    const { html } = await home('en')
    expect(html).toContain('<h1>Rivers and Towns</h1>')
    expect(html.match(/<(h1|h3|p|strong)[^>]* lang=/g)).toBeNull()
  })

  it('marks untranslated names of products and pages in the form', async () => {
    const form = openFormAs(visitor(served), selling.event)
    await form.who.get(`${buildEventPath(selling.event)}?lang=de`)
    await form.begin('ada@example.org')
    await form.fill('contact', { '@participant.firstName': 'Ada', '@participant.lastName': 'Lovelace' })
    const { html } = await form.open('choices')
    expect(html).toMatch(/<h1 lang="en">/)
    expect(html).toContain('<span class="name">Kongresspass</span>')
    expect(html).toMatch(/class="name"[^>]*lang="en"/)
  })
})
