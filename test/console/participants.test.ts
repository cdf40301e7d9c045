import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordPageSubmission, openFlowVisit } from '../../src/domains/registration/flows/visits.ts'
import type { Db } from '../../src/kernel/columns.ts'
import { ROLES, type Role } from '../../src/kernel/permissions.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue } from '../support/visitor.ts'
import { ConsoleBrowser } from './console-browser.ts'

const ARABIC = 'ليلى المنصوري بنت عبد الرحمن'

const SECTIONS = {
  ...WORKED_EXAMPLE,
  details: { ...WORKED_EXAMPLE.details, name: 'Paris Forum 2026' },
  customFields: [
    {
      code: 'diet',
      name: 'What do you eat?',
      responseType: 'choice',
      choices: [
        { code: 'all', name: 'Everything' },
        { code: 'veg', name: 'Vegetarian' },
      ],
    },
  ],
  flows: WORKED_EXAMPLE.flows.map((flow) => ({
    ...flow,
    pages: flow.pages.map((page, at) =>
      at === 0
        ? {
            ...page,
            widgets: [
              ...page.widgets,
              { id: 'diet', type: 'field', binding: '@custom.diet' },
              { id: 'phone', type: 'field', binding: '@participant.mobilePhone' },
            ],
          }
        : page,
    ),
  })),
}

let scenario: SalesScenario
let served: Served
let olga: ConsoleBrowser
let base: string
let people: Record<'paula' | 'leila' | 'formula', any>

const enter = (person: { userId: string }) => new ConsoleBrowser(served).enter(scenario.world, person)
const person = (which: keyof typeof people) => `${base}/participants/${people[which].participant.id}`
const statusOf = async (which: keyof typeof people) =>
  (await scenario.call('get_participant', { participantId: people[which].participant.id })).participant.status
const auditsOf = async (tool: string) =>
  (
    await scenario.world.database.pool.query<{ app_name: string; targets: any[] }>(
      `select app_name, targets from audit_entries where tool = $1 and app_name = 'console' order by id`,
      [tool],
    )
  ).rows

beforeAll(async () => {
  scenario = await openSalesScenario(SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  olga = await enter(scenario.olga)
  base = `/console/events/${scenario.event.clientCode}/${scenario.event.eventCode}`
  const named = (firstName: string, lastName: string, more: object = {}) => ({
    data: { '@participant.firstName': firstName, '@participant.lastName': lastName, ...more },
  })
  people = {
    paula: await scenario.register(
      { pass: 1, workshop: 1 },
      named('Paula', 'Zimmer', { '@participant.mobilePhone': '+4930123456', '@custom.diet': 'veg' }),
    ),
    leila: await scenario.register({ dinner: 1 }, named(ARABIC, 'ط')),
    formula: await scenario.register({ pass: 1 }, named('=1+1', 'Aalborg', { '@participant.company': 'Comma, "Quote" & Co' })),
  }
  for (let more = 0; more < 60; more++) await scenario.register({}, named('Somebody', `Number ${String(more).padStart(2, '0')}`))
})
afterAll(() => scenario.world.end())

describe('participant list', () => {
  it('pages, searches and filters participants, with links that can be shared', async () => {
    const first = await olga.get(`${base}/participants`)
    expect(first.text).toContain('63 participants')
    const ids = (html: string) => [...html.matchAll(/participants\/([0-9a-f]{24})"/g)].map(([, id]) => id)
    const next = /href="([^"]*cursor=[^"]*)"/.exec(first.html)![1]!.replaceAll('&amp;', '&')
    const second = await olga.get(next)
    expect([ids(first.html).length, ids(second.html).length]).toEqual([50, 13])
    expect(new Set([...ids(first.html), ...ids(second.html)]).size).toBe(63)
    expect((await olga.get(`${base}/participants?search=zimmer`)).text).toContain('1 participant')
    expect((await olga.get(`${base}/participants?product=dinner`)).text).toContain(ARABIC)
    expect((await olga.get(`${base}/participants?balance=due`)).text).toContain('3 participants')
    expect((await olga.get(`${base}/participants?status=cancelled`)).text).toContain('No participants found')
    for (const wrong of ['product=nothing', 'flow=nothing', 'tag=nothing', 'cursor=x'])
      expect([wrong, (await olga.get(`${base}/participants?${wrong}`)).status]).toEqual([wrong, 400])
    expect(Buffer.byteLength(first.html)).toBeLessThan(60_000)
  })

  it("shows the day of registration in the event's time zone, and the names of tags", async () => {
    await scenario.call('edit_participant', { participantId: people.leila.participant.id, addTags: ['vip', 'member'] })
    const { html, text } = await olga.get(`${base}/participants?product=dinner`)
    expect(html).toContain('<time datetime="2026-04-10" title="Friday, 10 April 2026 at 12:00 CEST">10 Apr</time>')
    expect(text).toMatch(/Member, VIP|VIP, Member/)
    // Late in the evening the next day has already begun in the zone of the event.
    await scenario.world.database.pool.query(
      `update participants set created_at = '2025-12-31T23:30:00Z', completed_at = '2025-12-31T23:30:00Z' where id = $1`,
      [people.leila.participant.id],
    )
    expect((await olga.get(`${base}/participants?product=dinner`)).html).toContain('<time datetime="2026-01-01"')
  })

  it('exports participants to a file with escaped formulas, and logs the export', async () => {
    const answer = await olga.submit(`${base}/participants`, `${base}/participants/export`, { search: 'aalborg' })
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toContain('attachment')
    const [head, line, end] = answer.html.split('\n')
    expect(head).toBe('Name,Email,Company,Status,Number,Flow,Tags,Group,Balance,Currency,Id')
    expect(line).toMatch(/^'=1\+1 Aalborg,[^,]+,"Comma, ""Quote"" & Co",complete,/)
    expect(end).toBe('')
    const all = await olga.submit(`${base}/participants`, `${base}/participants/export`, {})
    expect(all.html.trim().split('\n')).toHaveLength(64)
    expect((await auditsOf('export_participants')).map(({ targets }) => targets[0].fields.exported.after)).toEqual([
      { search: 'aalborg' },
      {},
    ])
  })
})

describe('page with the registration funnel', () => {
  it('names the questions that visitors answered with errors, and the sources of visitors', async () => {
    const { tenantId, eventId } = scenario.event
    const errors = ['@participant.email', '@custom.diet', '@guest.0.firstName', '@session.0123456789abcdef01234567', '@discount.code']
    await scenario.world.database.transact(async (db: Db) => {
      const ctx = { tenantId, event: { id: eventId }, db }
      const visit = { flowSlug: 'attendee', versionId: null, page: 'contact', device: 'mobile' as const, utm: { source: 'newsletter' } }
      const id = await openFlowVisit(ctx, visit)
      for (const error of errors) await recordPageSubmission(ctx, id, 'contact', [error])
    })
    const { status, text } = await olga.get(`${base}/flows/attendee`)
    expect(status).toBe(200)
    for (const words of [
      'Email (1)',
      'What do you eat? (1)',
      'Guest first name (1)',
      'A session (1)',
      'Discount code (1)',
      'By source',
      'newsletter',
    ])
      expect(text).toContain(words)
    expect(text).not.toMatch(/@(participant|guest|session|discount)/)
  })
})

describe('participant page', () => {
  it('shows the answers of a participant with their questions, order, invoices, emails and history', async () => {
    const page = await olga.get(person('paula'))
    for (const words of [
      'Paula Zimmer',
      'complete',
      'What do you eat?',
      'Vegetarian',
      'Mobile phone',
      '+4930123456',
      `Order ${people.paula.order.number}`,
      'Workshop A',
      people.paula.invoice.number,
      'registered',
    ])
      expect(page.text).toContain(words)
    const link = /href="([^"]*\/invoices\/[^"]+\.pdf)"/.exec(page.html)![1]!
    expect(link).toBe(`${person('paula')}/invoices/${people.paula.invoice.number}.pdf`)
    const pdf = await olga.get(link)
    expect([pdf.status, pdf.headers.get('content-type'), pdf.headers.get('cache-control')]).toEqual([
      200,
      'application/pdf',
      'private, no-store',
    ])
    expect((await olga.get(link.replace(people.paula.participant.id, people.leila.participant.id))).status).toBe(404)
    const leila = await olga.get(person('leila'))
    expect(leila.html).toContain(`<h1 dir="auto">${ARABIC} ط</h1>`)
  })

  it("saves an edit of a participant's current revision, and rejects invalid or outdated input without losing the input", async () => {
    const path = `${person('paula')}/edit`
    const form = await olga.get(path)
    expect(readFieldValue(form.html, '@participant.lastName')).toBe('Zimmer')
    expect(readFieldValue(form.html, '@custom.diet')).toBe('veg')
    const revision = readFieldValue(form.html, 'revision')!
    const wrong = await olga.submit(path, path, { revision, '@participant.email': 'nowhere', '@participant.lastName': 'Zimmermann' })
    expect([wrong.status, wrong.text.includes('Email:'), readFieldValue(wrong.html, '@participant.lastName')]).toEqual([
      400,
      true,
      'Zimmermann',
    ])
    const right = await olga.submit(path, path, { revision, '@participant.lastName': 'Zimmermann', '@custom.diet': 'all' })
    expect([right.status, right.location]).toEqual([303, `${person('paula')}?done=saved`])
    const late = await olga.submit(path, path, { revision, '@participant.lastName': 'Other' })
    expect([late.status, late.text.includes('Another user changed this registration')]).toEqual([400, true])
    expect((await scenario.call('get_participant', { participantId: people.paula.participant.id })).participant).toMatchObject({
      lastName: 'Zimmermann',
      customFieldResponses: { diet: 'all' },
    })
    expect(await auditsOf('edit_participant')).toHaveLength(1)
  })

  it('resends the confirmation email after a dry run, at most five times a day', async () => {
    const sentEmails = () => scenario.queryNumber(`select count(*)::int as figure from messages where source_kind = 'resend'`)
    const send = (fields: Record<string, string> = { sure: 'yes' }) => olga.submit(person('leila'), `${person('leila')}/resend`, fields)
    const preview = await send({})
    expect(preview.status).toBe(200)
    expect(preview.text).toMatch(/What will happen The email .*Paris Forum 2026.* is sent to p\S+@example\.org/)
    expect(await sentEmails()).toBe(0)
    for (let time = 0; time < 5; time++) expect((await send()).location).toBe(`${person('leila')}?done=resent`)
    expect(await sentEmails()).toBe(5)
    for (const fields of [{}, { sure: 'yes' }]) {
      const sixth = await send(fields)
      expect([sixth.status, sixth.text.includes('5 such emails in the last 24 hours')]).toEqual([400, true])
    }
  })

  it('shows names of waiting lists and statuses instead of their codes', async () => {
    const [pass, workshop, dinner] = WORKED_EXAMPLE.products
    await scenario.publish({ products: [pass, { ...workshop, capacity: 1, waitlist: true }, dinner] })
    const { participant } = await scenario.register({ pass: 1, workshop: 1 }, { joinWaitlist: true })
    const { text } = await olga.get(`${base}/participants/${participant.id}`)
    expect(text).toContain('Waiting list Workshop A (waiting, number 1)')
    expect(text).not.toContain('product:workshop (')
  })

  it('cancels a registration exactly as announced by the dry run shown before the button', async () => {
    const path = `${person('formula')}/cancel`
    const asked = await olga.get(`${path}?credit=full`)
    expect(asked.text).toContain('A credit note of 900.00 EUR is issued.')
    expect(asked.text).toContain('The balance of the order is 0.00 EUR afterwards')
    expect(asked.html.indexOf('If you cancel:')).toBeLessThan(asked.html.indexOf('Cancel and credit 900.00 EUR'))
    expect(await statusOf('formula')).toBe('complete')
    const stale = await olga.submit(path, path, { credit: 'full', revision: '1000' })
    expect([stale.status, await statusOf('formula')]).toEqual([400, 'complete'])
    const revision = readFieldValue(asked.html, 'revision')!
    const done = await olga.submit(path, path, { credit: 'full', revision, reason: 'Ill' })
    expect(done.location).toBe(`${person('formula')}?done=cancelled`)
    const { participant, order } = await scenario.call('get_participant', { participantId: people.formula.participant.id })
    expect([participant.status, participant.cancelReason, order.balance.amount]).toEqual(['cancelled', 'Ill', '0.00'])
    expect((await olga.get(person('formula'))).html).not.toContain(`${path}"`)
  })

  it('replaces a participant only after showing the dry run', async () => {
    const path = `${person('paula')}/substitute`
    const coming = { firstName: 'Dana', lastName: 'Novak', email: 'dana@example.org' }
    expect((await olga.submit(path, path, { ...coming, email: 'x' })).text).toContain('Email: not an email address')
    const preview = await olga.submit(path, path, coming)
    expect(preview.text).toContain('Dana Novak replaces Paula Zimmermann')
    expect(preview.text).toContain(`Order ${people.paula.order.number} is transferred with 2 lines`)
    expect(preview.html.indexOf('If you continue:')).toBeLessThan(preview.html.indexOf('Replace with Dana Novak'))
    expect(await statusOf('paula')).toBe('complete')
    const done = await olga.submit(path, path, { ...coming, sure: 'yes' })
    expect([done.status, await statusOf('paula')]).toEqual([303, 'cancelled'])
    const page = await olga.get(done.location!)
    expect(page.text).toContain('Dana Novak')
    expect(page.text).toContain('Replaced')
  })
})

/** Order of the pages: list, participant, edit, cancel, substitute. Order of the forms: export, edit, cancel, substitute, resend. */
const TABLE: Record<Role, { pages: string; forms: string }> = {
  admin: { pages: '200 200 200 200 200', forms: 'yes yes yes yes yes' },
  manager: { pages: '200 200 200 200 200', forms: 'yes yes yes yes yes' },
  registrar: { pages: '200 200 200 200 200', forms: 'yes yes yes yes yes' },
  housing: { pages: '200 200 403 403 403', forms: 'no no no no no' },
  exhibits: { pages: '200 200 403 403 403', forms: 'no no no no no' },
  marketer: { pages: '200 200 403 403 403', forms: 'no no no no no' },
  program: { pages: '200 200 403 403 403', forms: 'no no no no no' },
  sourcing: { pages: '403 403 403 403 403', forms: 'no no no no no' },
  finance: { pages: '200 200 403 403 403', forms: 'no no no no no' },
  onsite: { pages: '200 200 403 403 403', forms: 'no no no no no' },
  analyst: { pages: '200 200 403 403 403', forms: 'no no no no no' },
}

describe('participant permissions', () => {
  const pagesOf = (here: string) => [`${base}/participants`, here, `${here}/edit`, `${here}/cancel`, `${here}/substitute`]
  const formsOf = (here: string): [string, Record<string, string>][] => [
    [`${base}/participants/export`, { product: 'nothing' }],
    [`${here}/edit`, { revision: '1000', '@participant.lastName': 'X' }],
    [`${here}/cancel`, { revision: '1000' }],
    [`${here}/substitute`, {}],
    [`${here}/resend`, {}],
  ]

  it('has every role in the table of expected participant permissions', () =>
    expect(Object.keys(TABLE).toSorted()).toEqual([...ROLES].toSorted()))

  it.each(ROLES)('allows %s exactly the participant pages and forms of the access table', async (role) => {
    const guest = await enter(await scenario.world.organizer({ at: scenario.event, role }))
    const pages = []
    for (const path of pagesOf(person('leila'))) pages.push((await guest.get(path)).status)
    const forms = []
    for (const [path, fields] of formsOf(person('leila')))
      forms.push((await guest.submit('/console', path, fields)).status === 403 ? 'no' : 'yes')
    expect({ pages: pages.join(' '), forms: forms.join(' ') }).toEqual(TABLE[role])
    expect(await statusOf('leila')).toBe('complete')
  })

  it('hides personal answers from users without personal.read', async () => {
    const { participant } = await scenario.register(
      {},
      { data: { '@participant.firstName': 'Nina', '@participant.mobilePhone': '+4930777', '@custom.diet': 'veg' } },
    )
    const analyst = await enter(await scenario.world.organizer({ at: scenario.event, role: 'analyst' }))
    const page = await analyst.get(`${base}/participants/${participant.id}`)
    expect([page.status, page.text.includes('+4930777'), page.text.includes('What do you eat?')]).toEqual([200, false, false])
    expect(page.text).toContain('need the personal.read permission')
    expect((await olga.get(`${base}/participants/${participant.id}`)).text).toContain('+4930777')
  })

  it('rejects participant forms without a CSRF token and for participants of other events', async () => {
    for (const [path, fields] of formsOf(person('leila')))
      expect([path, (await olga.forge(path, fields, { csrf: 'x' })).status]).toEqual([path, 400])
    const other = await scenario.world.event({ at: scenario.event, code: 'other' })
    const elsewhere = person('leila').replace(`/${scenario.event.eventCode}/`, `/${other.eventCode}/`)
    for (const path of pagesOf(elsewhere).slice(1)) expect([path, (await olga.get(path)).status]).toEqual([path, 404])
    for (const [path, fields] of formsOf(elsewhere).slice(1))
      expect([path, (await olga.submit('/console', path, fields)).status]).toEqual([path, 404])
    for (const id of ['x', '%00', 'a'.repeat(24), 'leila@example.org'])
      expect([id, (await olga.get(`${base}/participants/${id}`)).status]).toEqual([id, 404])
    expect(await statusOf('leila')).toBe('complete')
  })
})
