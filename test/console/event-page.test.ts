import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue } from '../support/visitor.ts'
import { ConsoleBrowser } from './console-browser.ts'

const BRANCHED = {
  ...WORKED_EXAMPLE,
  details: { ...WORKED_EXAMPLE.details, name: 'Paris Forum 2026', capacity: 300 },
  products: [
    ...WORKED_EXAMPLE.products.map((product) => (product.code === 'workshop' ? { ...product, capacity: 2, waitlist: true } : product)),
    { code: 'tour', name: 'Boat tour', category: 'tour', prices: [{ amount: '30.00' }], capacity: 40 },
  ],
  customFields: [
    {
      code: 'diet',
      name: 'What do you eat?',
      responseType: 'choice',
      choices: [
        { code: 'all', name: 'Everything' },
        { code: 'other', name: 'Something else' },
      ],
    },
  ],
  flows: [
    {
      ...WORKED_EXAMPLE.flows[0]!,
      name: 'Delegates',
      closesAt: '2026-08-30T22:00:00.000Z',
      pages: [
        {
          ...WORKED_EXAMPLE.flows[0]!.pages[0]!,
          widgets: [...WORKED_EXAMPLE.flows[0]!.pages[0]!.widgets, { id: 'diet', type: 'field', binding: '@custom.diet' }],
        },
        {
          code: 'kitchen',
          title: 'For the kitchen',
          showWhen: { all: [{ binding: '@custom.diet', op: 'equals', value: 'other' }] },
          widgets: [{ id: 'needs', type: 'field', binding: '@participant.dietary' }],
        },
        ...WORKED_EXAMPLE.flows[0]!.pages.slice(1),
      ],
    },
    {
      slug: 'press',
      name: 'Press',
      inviteOnly: true,
      opensAt: '2026-05-01T08:00:00.000Z',
      pages: WORKED_EXAMPLE.flows[0]!.pages.map((page) => ({ ...page, widgets: page.widgets.map((w) => ({ ...w, id: `p-${w.id}` })) })),
    },
  ],
}

let scenario: SalesScenario
let served: Served
let olga: ConsoleBrowser
let base: string

const audits = async () =>
  (
    await scenario.world.database.pool.query<{ tool: string; app_name: string; actor_id: string; event_id: string }>(
      `select tool, app_name, actor_id, event_id from audit_entries order by id`,
    )
  ).rows

/** Returns the part of the page below one heading. */
const section = (html: string, title: string) => {
  const from = html.indexOf(`<h2>${title}</h2>`)
  return from < 0
    ? ''
    : html
        .slice(from, html.indexOf('</section>', from))
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
}

beforeAll(async () => {
  scenario = await openSalesScenario(BRANCHED, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  olga = await new ConsoleBrowser(served).enter(scenario.world, scenario.olga)
  const { clientCode, eventCode } = scenario.event
  base = `/console/events/${clientCode}/${eventCode}`
})
afterAll(() => scenario.world.end())

describe('event page of the console', () => {
  it('opens the event page from the event list, with name, dates, venue and version first', async () => {
    const list = await olga.get('/console')
    expect(list.html).toContain(`href="${base}"`)
    const page = await olga.get(base)
    expect(page.status).toBe(200)
    for (const words of [
      'Paris Forum 2026',
      'published',
      '1 Sept 2026',
      'in 144 days',
      'Palais, Paris, France',
      'Version 1',
      'since 10 Apr 2026',
    ])
      expect(page.text).toContain(words)
    expect(page.html).toContain(
      `href="/tenant/${scenario.event.tenantCode}/client/${scenario.event.clientCode}/event/${scenario.event.eventCode}"`,
    )
  })

  it('lists setup tasks as blocking only while no registration flow is open', async () => {
    // The flows were never tested and the policies are not written, but registration is open.
    const open = (await olga.get(base)).html
    expect(section(open, 'Before you can open registration')).toBe('')
    expect(section(open, 'Unfinished setup tasks')).toContain('Registration is open. These tasks are not done yet: Write the policies')
    const draft = await scenario.world.event({ at: scenario.event, status: 'draft' })
    const { html } = await olga.get(`/console/events/${draft.clientCode}/${draft.eventCode}`)
    expect(section(html, 'Before you can open registration')).toContain('Publish')
  })

  it('shows for each registration flow whether it is open, until when, for whom, and the remaining seats', async () => {
    const { html } = await olga.get(base)
    expect(section(html, 'Open now')).toContain('1 of 2')
    expect(section(html, 'Open now')).toContain('Delegates Open until 30 Aug 2026 · 300 seats left')
    expect(section(html, 'Open now')).toContain('Press Not open yet opens 1 May 2026 · 300 seats left')
    await scenario.world.clock.stopAt('2026-05-02T10:00:00Z')
    const later = await new ConsoleBrowser(served).enter(scenario.world, scenario.olga)
    expect(section((await later.get(base)).html, 'Open now')).toContain('Press By invitation 300 seats left')
    await scenario.world.clock.stopAt('2026-04-10T10:00:00Z')
  })

  it('shows the pages of a registration flow with their display conditions', async () => {
    const { html } = await olga.get(base)
    const flows = section(html, 'Flows')
    expect(flows).toContain('Delegates 4 pages')
    expect(flows).toContain('You 5 questions')
    expect(flows).toContain('What do you eat? Something else For the kitchen 1 question everyone else continues Choices 3 products')
    expect(flows).toContain('discount code · payment')
    expect(flows).toContain('Press 3 pages · by invitation')
  })

  it("shows a prompt for the assistant, with the event's name, for every setup task", async () => {
    const { html } = await olga.get(base)
    const { tasks } = await scenario.call('get_setup_tasks')
    const open = tasks.filter(({ state }: { state: string }) => state === 'todo')
    expect(open.length).toBeGreaterThan(2)
    for (const { code, title } of open) {
      expect(html).toContain(`<h3>${title}</h3>`)
      const [, ask = ''] = new RegExp(`id="ask-${code}"[^>]*>([^<]*)<`).exec(html) ?? []
      expect([code, ask.trim().startsWith('For Paris Forum 2026: ')]).toEqual([code, true])
      expect(html).toContain(`data-copy="ask-${code}"`)
    }
  })

  it('suggests a prompt for the assistant for every known setup task', async () => {
    const { getSetupTaskPrompt: askFor } = await import('../../src/surfaces/web/console/event/prompts.ts')
    const { tasks } = await scenario.call('get_setup_tasks')
    expect(tasks.filter(({ code }: { code: string }) => askFor(code, { name: 'X' }) === null)).toEqual([])
    expect(askFor('constructor', { name: 'X' })).toBeNull()
  })
})

describe('event page figures', () => {
  beforeAll(async () => {
    await scenario.register({ pass: 1, workshop: 1, dinner: 2 })
    await scenario.world.clock.stopAt('2026-04-12T10:00:00Z')
    await scenario.world.renewTokens()
    olga = await new ConsoleBrowser(served).enter(scenario.world, scenario.olga)
    const paid = await scenario.register({ pass: 1, workshop: 1 })
    await scenario.register({ pass: 1 })
    await scenario.call('create_test_registrations', { flowSlug: 'attendee', count: 3, mix: { complete: 100 } })
    await scenario.call('record_manual_payment', {
      kind: 'payment',
      method: 'cash',
      orderNumber: paid.order.number,
      amount: { amount: '500.00', currency: 'EUR' },
    })
  })

  it('shows on the event page the numbers that get_registration_summary returns', async () => {
    const summary = await scenario.call('get_registration_summary')
    const { html } = await olga.get(base)
    const text = html
      .slice(html.indexOf('class="figures"'), html.indexOf('<h2>Open now</h2>'))
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
    expect(summary.participants).toMatchObject({ complete: 3, total: 3 })
    expect(text).toContain('Registered 3 of 300 seats · 3 in the last 7 days')
    expect(text).toContain('By status 3 people Complete 3 Incomplete 0 Waitlisted 0 Cancelled 0')
    const amount = (of: string) => `${Number(summary.money[of].amount).toLocaleString('en-GB', { minimumFractionDigits: 2 })} EUR`
    expect(summary.money.paid.amount).toBe('500.00')
    expect(text).toContain(`Money 500.00 EUR paid Paid 500.00 EUR Open ${amount('owed')} Invoiced ${amount('invoiced')}`)
  })

  it('shows registrations per day as a chart with a table, including days without registrations', async () => {
    const { html } = await olga.get(base)
    expect(html).toMatch(/<svg[^>]* role="img" aria-label="Registrations by day, 10 Apr to 12 Apr. Highest: 2 on 12 Apr\."/)
    // Three days, one of them empty: two columns, the higher one reaching the top of the plot.
    const plot = /<figure class="plot">([\s\S]*?)<\/figure>/.exec(html)![1]!
    expect([...plot.matchAll(/height="([\d.]+)"><\/rect>/g)].map(([, high]) => high)).toEqual(['50', '100'])
    const table = /<details class="numbers">([\s\S]*?)<\/details>/
      .exec(html)![1]!
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
    expect(table).toContain('12 Apr 2 0 3')
    expect(table).toContain('10 Apr 1 0 1')
  })

  it('excludes test data from the figures of the event page unless the user requests it', async () => {
    const real = await olga.get(base)
    const all = await olga.get(`${base}?test=yes`)
    expect(real.text).toContain('By status 3 people')
    expect(all.text).toContain('By status 6 people')
    expect(real.html).toContain(`href="${base}?test=yes"`)
    expect((await olga.get(`${base}/products?test=yes`)).text).not.toBe((await olga.get(`${base}/products`)).text)
  })

  it('shows sold and available units per product, and links to a page with all products', async () => {
    const { html } = await olga.get(base)
    const sold = section(html, 'Sales')
    expect(sold).toContain('All 4 products')
    expect(sold).toContain('Pass 3 sold')
    expect(sold).toContain('Workshop A 2 of 2 · sold out')
    expect(sold).toContain('Boat tour 0 of 40')
    const page = await olga.get(`${base}/products`)
    expect(page.text).toContain('Workshop A 2 of 2 2 sold out')
    const { products } = await scenario.call('get_registration_summary')
    for (const { total } of products)
      expect(page.text).toContain(Number(total.amount).toLocaleString('en-GB', { minimumFractionDigits: 2 }))
  })

  it('shows recent changes of the event with their actor, and the changed values on request', async () => {
    const { html } = await olga.get(base)
    const recent = section(html, 'Recent changes')
    expect(recent).toContain('Olga Organizer recorded payment ')
    expect(recent).toContain('through Test app')
    expect(html).toContain(`href="/console/audit?client=${scenario.event.clientCode}&amp;event=${scenario.event.eventCode}"`)
  })
})

describe('draft and live configuration of an event', () => {
  const draft = () => olga.get(`${base}/draft`)
  const change = (path: string, value: unknown) =>
    scenario.call('config_set', { operations: [{ op: 'set', path, valueJson: JSON.stringify(value) }] })
  const versions = async () => (await scenario.call('list_versions')).versions.map(({ number }: { number: number }) => number)

  it('labels draft and live configuration, and shows the effects of publishing above the Publish button', async () => {
    expect((await draft()).text).toContain('There are no unpublished changes.')
    await change('/products/tour/capacity', 50)
    await change('/products/pass/prices/1/amount', '790.00')
    const page = await olga.get(base)
    expect(section(page.html, 'Unpublished changes')).toContain('2 changes')
    expect(page.text).toContain('Review 2 changes')
    expect(section(page.html, 'Sales')).toContain('Boat tour 0 of 40 · 50 in the draft')
    const { html, text } = await draft()
    expect(html).toMatch(/Capacity of “Boat tour”<\/bdi>: <del dir="auto">40<\/del>/)
    expect(html).toContain('<ins dir="auto">790.00 EUR</ins>')
    expect(text.indexOf('If you publish: version 2 is live at once.')).toBeGreaterThan(0)
    expect(text).toContain('New prices for Pass. People who have registered are not charged again.')
    expect(text).toContain('New limits for Boat tour.')
    expect(html.indexOf('If you publish:')).toBeLessThan(html.indexOf('Publish version 2'))
    // Viewing the effects must not publish.
    expect(await versions()).toEqual([1])
  })

  it('publishes the draft with the same version, note and audit row as the tool publish_event', async () => {
    const before = await audits()
    const answer = await olga.submit(`${base}/draft`, `${base}/draft/publish`, {
      note: 'Dearer',
      revision: readFieldValue((await draft()).html, 'revision')!,
    })
    expect([answer.status, answer.location]).toEqual([303, `${base}?done=published`])
    const { versions: all } = await scenario.call('list_versions')
    expect(all[0]).toMatchObject({ number: 2, note: 'Dearer', app: 'console', live: true })
    const added = (await audits()).slice(before.length)
    expect(added).toEqual([
      { tool: 'publish_event', app_name: 'console', actor_id: scenario.olga.userId, event_id: scenario.event.eventId },
    ])
    expect((await olga.get(`${base}?done=published`)).text).toContain('Published. Your changes are live.')
  })

  it("refuses to publish a draft that was edited concurrently, and a form without the draft's revision", async () => {
    await change('/products/tour/name', 'River tour')
    const stale = readFieldValue((await draft()).html, 'revision')!
    await change('/products/tour/name', 'Seine tour')
    const answer = await olga.submit(`${base}/draft`, `${base}/draft/publish`, { note: 'Kept', revision: stale })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Another user changed the draft in the meantime')
    expect(answer.text).toContain('Seine tour')
    expect(readFieldValue(answer.html, 'note')).toBe('Kept')
    for (const revision of ['', 'x', '-1'])
      expect((await olga.submit(`${base}/draft`, `${base}/draft/publish`, { revision })).status).toBe(400)
    expect(await versions()).toEqual([2, 1])
  })

  it('discards draft changes only after a dry run, once, and exactly those that the dry run showed', async () => {
    const live = `${base}/versions/2/restore`
    expect((await draft()).html).toContain(`href="${live}"`)
    const asked = await olga.get(live)
    expect(asked.text).toContain('Discard draft?')
    expect(asked.text).toContain('If you discard it: the draft is reset to version 2 (1 change).')
    expect(asked.html.indexOf('If you discard it:')).toBeLessThan(asked.html.indexOf('Discard 1 change'))
    const sent = { revision: readFieldValue(asked.html, 'revision')!, confirmToken: readFieldValue(asked.html, 'confirmToken')! }

    // A missing token, a token of another version or a later edit must not discard anything.
    const other = readFieldValue((await olga.get(`${base}/versions/1/restore`)).html, 'confirmToken')!
    for (const confirmToken of ['', 'x', other]) {
      const refused = await olga.submit(live, live, { ...sent, confirmToken })
      expect([refused.status, refused.text.includes('The draft has changed or your confirmation has expired')]).toEqual([400, true])
    }
    await change('/products/tour/name', 'Night tour')
    expect((await olga.submit(live, live, sent)).status).toBe(400)
    expect((await draft()).text).toContain('Night tour')

    const again = await olga.get(live)
    const right = { revision: readFieldValue(again.html, 'revision')!, confirmToken: readFieldValue(again.html, 'confirmToken')! }
    expect((await olga.submit(live, live, right)).location).toBe(`${base}?done=restored`)
    expect((await draft()).text).toContain('There are no unpublished changes.')
    await change('/products/tour/name', 'Night tour')
    expect((await olga.submit(live, live, right)).status).toBe(400)
    expect((await draft()).text).toContain('Night tour')
    expect((await audits()).filter(({ tool }) => tool === 'reset_to_version')).toHaveLength(1)
  })

  it('shows problems instead of the Publish button if a draft cannot be published', async () => {
    await change('/flows/attendee/pages/choices/widgets/sale/products', ['pass', 'nothing'])
    const { html, text } = await draft()
    expect(text).toContain('The draft cannot be published yet.')
    expect(text).toContain('nothing')
    // The setting is named in words, not by its path.
    expect(text).toMatch(/cannot be published yet\. [A-Z][^:]*“[^”]+”[^:]*:/)
    expect(text).not.toContain('/flows/')
    expect(html).not.toContain('Publish version')
    expect(html).toContain('id="ask-mend"')
    const restore = `${base}/versions/2/restore`
    const revision = readFieldValue((await olga.get(restore)).html, 'revision')!
    const answer = await olga.submit(restore, `${base}/draft/publish`, { revision })
    expect([answer.status, (await versions()).length]).toEqual([400, 2])
    await change('/flows/attendee/pages/choices/widgets/sale/products', ['pass', 'workshop', 'dinner'])
  })

  it('lists every published version of the event with the changes of that version', async () => {
    const list = await olga.get(`${base}/versions`)
    expect(list.text).toMatch(/Version 2 Live .* Olga Organizer console Dearer/)
    // Times are in the time zone of the event, which the page names.
    expect(list.html).toMatch(/title="[^"]* CEST">\s*\d+ Apr 2026, \d\d:\d\d/)
    expect(list.text).toContain('Times are in Europe/Paris.')
    const second = await olga.get(`${base}/versions/2`)
    expect(second.text).toContain('Changes since version 1')
    expect(second.text).toContain('40')
    expect((await olga.get(`${base}/versions/1`)).text).toContain('It is the first version.')
    for (const number of ['3', '0', 'x', '1e1', '99999999999', '%00'])
      expect([number, (await olga.get(`${base}/versions/${number}`)).status]).toEqual([number, 404])
  })
})
