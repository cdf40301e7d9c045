import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../../../../test/support/world.ts'

let world: World
let acme: ClientHandle
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld()
  acme = await world.client({ code: 'acme' })
  olga = await world.organizer({ at: acme, email: 'olga@acme.example' })
})
afterAll(() => world.end())

const spring = { clientCode: 'acme', name: 'Spring Meeting', startsOn: '2027-05-12', endsOn: '2027-05-14' }

const configOf = async (eventCode: string, path: string) =>
  JSON.parse((await olga.call('config_explore', { eventCode, path, depth: 0 })).valueJson ?? 'null')

describe('create_event', () => {
  it('creates a draft in test mode that can be published without further calls', async () => {
    const { event, links, setupTasks } = await olga.call('create_event', spring)
    expect(setupTasks.map(({ code }: { code: string }) => code)).toEqual(expect.arrayContaining(['publish.first', 'testmode.off']))
    expect(setupTasks.map(({ code }: { code: string }) => code)).not.toContain('flow.exists')
    expect(event).toMatchObject({
      clientCode: 'acme',
      code: 'spring-meeting',
      status: 'draft',
      testMode: true,
      timezone: 'UTC',
      currency: 'EUR',
      locale: 'en',
      locales: ['en'],
      publishedVersion: null,
      startsOn: '2027-05-12',
      endsOn: '2027-05-14',
    })
    expect(links.console).toBe('http://localhost:3000/console/events/acme/spring-meeting')
    expect(await configOf('spring-meeting', '/details/contactEmail')).toBe('olga@acme.example')
    const published = await olga.call('publish_event', { eventCode: 'spring-meeting' })
    expect(published).toMatchObject({ published: true, version: 1 })
  })

  it.each(['blank', 'conference', 'tradeShow', 'meeting', 'virtual'] as const)(
    'creates a %s from its template without configuration issues',
    async (template) => {
      const { event } = await olga.call('create_event', { ...spring, name: `New ${template}`, template })
      const checked = await olga.call('validate_schema', { eventCode: event.code })
      expect(checked).toMatchObject({ valid: true, publishable: true, counts: { structure: 0, reference: 0, orphan: 0 } })
      // The templates conference and tradeShow include a payment widget, because their products have prices.
      const sells = template === 'conference' || template === 'tradeShow'
      expect(checked.issues.map(({ code }: { code: string }) => code)).toEqual(sells ? ['F20'] : [])
    },
  )

  it('creates a conference with a flow of three pages, free admission, a required policy and two emails', async () => {
    const { items } = await olga.call('list_event_config_items', { eventCode: 'new-conference', limit: 100 })
    const names = items.map(({ section, code }: { section: string; code: string }) => `${section} ${code}`)
    expect(names).toEqual([
      'details settings',
      'products admission',
      'policies terms',
      'flows attendee',
      'emails confirmation',
      'emails cancellation',
      'badge settings',
    ])
    const flow = await configOf('new-conference', '/flows/attendee')
    expect(flow.pages.map(({ code }: { code: string }) => code)).toEqual(['contact', 'choices', 'confirmation'])
    expect((await configOf('new-conference', '/products/admission')).prices).toEqual([{ amount: '0.00' }])
    expect((await configOf('new-conference', '/policies/terms/required')) ?? true).toBe(true)
    expect(await configOf('new-conference', '/emails/confirmation/trigger')).toBe('registration.completed')
    expect(await configOf('new-conference', '/emails/cancellation/trigger')).toBe('registration.cancelled')
  })

  it('creates a trade show with exhibitors, and a blank event that asks only for the name', async () => {
    const { sections } = await olga.call('list_event_config_items', { eventCode: 'new-tradeshow' })
    expect(sections).toMatchObject({ flows: 2, products: 2, customFields: 1 })
    const sizes = await configOf('new-tradeshow', '/exhibitorConfig/boothSizes')
    expect(sizes.map(({ code }: { code: string }) => code)).toEqual(['small', 'medium', 'large'])
    expect((await olga.call('list_event_config_items', { eventCode: 'new-blank' })).sections).toEqual({ details: 1 })
  })

  it.each([
    ['de', 'Anmeldung', 'Ihre Angaben', 'Eintritt', 'Ihre Anmeldung für {{event.name}}', 'Teilnahmebedingungen'],
    ['fr', 'Inscription', 'Vos coordonnées', 'Entrée', 'Votre inscription à {{event.name}}', 'Conditions de participation'],
    ['es', 'Inscripción', 'Sus datos', 'Entrada', 'Su inscripción en {{event.name}}', 'Condiciones de participación'],
    ['it', 'Iscrizione', 'I suoi dati', 'Ingresso', 'La sua iscrizione a {{event.name}}', 'Condizioni di partecipazione'],
    ['nl-BE', 'Inschrijving', 'Uw gegevens', 'Toegang', 'Uw inschrijving voor {{event.name}}', 'Deelnamevoorwaarden'],
    ['pt', 'Inscrição', 'Os seus dados', 'Entrada', 'A sua inscrição em {{event.name}}', 'Condições de participação'],
    // The templates lack Japanese.
    ['ja', 'Registration', 'Your details', 'Admission', 'You are registered for {{event.name}}', 'Terms of participation'],
  ])('writes all texts of an event template in the language %s', async (locale, ...texts) => {
    const { event } = await olga.call('create_event', { ...spring, code: `in-${locale.toLowerCase()}`, locale })
    const paths = ['flows/attendee/name', 'flows/attendee/pages/contact/title', 'products/admission/name']
    const more = ['emails/confirmation/subject', 'policies/terms/title']
    const written: unknown[] = []
    for (const path of [...paths, ...more]) written.push(await configOf(event.code, `/${path}`))
    expect(written).toEqual(texts)
    const checked = await olga.call('validate_schema', { eventCode: event.code })
    expect(checked).toMatchObject({ valid: true, publishable: true, counts: { structure: 0, reference: 0, orphan: 0 } })
  })

  it("uses the client's default settings for omitted arguments", async () => {
    await olga.call('update_client', { clientCode: 'acme', defaultCurrency: 'JPY', defaultTimezone: 'Asia/Tokyo' })
    const { event } = await olga.call('create_event', { ...spring, code: 'tokyo' })
    expect(event).toMatchObject({ currency: 'JPY', timezone: 'Asia/Tokyo' })
    expect((await configOf('tokyo', '/products/admission')).prices).toEqual([{ amount: '0' }])
    const venue = { name: 'Palais', city: 'Paris', country: 'fr' }
    const said = await olga.call('create_event', {
      ...spring,
      code: 'paris',
      timezone: 'Europe/Paris',
      currency: 'eur',
      locale: 'fr',
      venue,
    })
    expect(said.event).toMatchObject({ currency: 'EUR', timezone: 'Europe/Paris', locale: 'fr', locales: ['fr'] })
    const { events } = await olga.call('list_events', { clientCode: 'acme', search: 'paris' })
    expect(events[0]).toMatchObject({ code: 'paris', city: 'Paris', country: 'FR' })
  })

  it('rejects an event code in use and invalid days, time zones, currencies and languages, and creates no event', async () => {
    expect(await olga.refused('create_event', { ...spring })).toMatchObject({
      code: 'conflict',
      message: 'Client acme already has an event spring-meeting — pass another code',
    })
    const { total } = await olga.call('list_events', { clientCode: 'acme' })
    const wrong = async (more: object) =>
      (await olga.refused('create_event', { ...spring, code: 'wrong', ...more })).fields?.map(({ path }) => path)
    expect(await wrong({ endsOn: '2027-05-11' })).toEqual(['endsOn'])
    expect((await olga.refused('create_event', { ...spring, code: 'wrong', endsOn: '2027-05-11' })).message).toBe(
      'endsOn: must not be before startsOn',
    )
    expect(await wrong({ endsOn: '2028-05-13' })).toEqual(['endsOn'])
    expect(await wrong({ timezone: 'Mars/Base', currency: 'XXZ' })).toEqual(['timezone', 'currency'])
    expect(await wrong({ locale: 'klingonese-1-1' })).toEqual(['locale'])
    expect(await wrong({ venue: { city: 'Paris', country: 'Atlantis' } })).toEqual(['venue/country'])
    expect((await olga.call('list_events', { clientCode: 'acme' })).total).toBe(total)
    expect((await olga.call('create_event', { ...spring, code: 'year-long', endsOn: '2028-05-12' })).event.endsOn).toBe('2028-05-12')
  })

  it('accepts an event that lasts a single day', async () => {
    expect((await olga.call('create_event', { ...spring, code: 'one-day', endsOn: spring.startsOn })).event.endsOn).toBe('2027-05-12')
  })

  it.each([
    ['2027-02-30', 'no such day: February 2027 has 28 days'],
    ['2028-02-30', 'no such day: February 2028 has 29 days'],
    ['2027-04-31', 'no such day: April 2027 has 30 days'],
    ['2027-05-00', 'no such day: there is no day 00'],
    ['2027-13-01', 'no such day: there is no month 13'],
    ['2027-00-10', 'no such day: there is no month 00'],
    ['12.05.2027', 'a day is written YYYY-MM-DD'],
  ])('explains why the date %s is invalid', async (startsOn, message) => {
    const { fields } = await olga.refused('create_event', { ...spring, code: 'wrong', startsOn })
    expect(fields).toEqual([{ path: 'startsOn', message: expect.stringContaining(`${JSON.stringify(startsOn)}: ${message}`) }])
  })

  it.each([
    ['german', 'not a language tag such as de, pt-BR or zh-Hant'],
    ['zz', 'not a language tag such as de, pt-BR or zh-Hant'],
    ['qaa', 'not a language tag such as de, pt-BR or zh-Hant'],
    ['de-XX', 'not a language tag such as de, pt-BR or zh-Hant'],
    ['de-ZZ', 'not a language tag such as de, pt-BR or zh-Hant'],
    ['mul', 'not a language tag such as de, pt-BR or zh-Hant'],
    ['de_AT', 'not a language tag such as de, pt-BR or zh-Hant'],
    ['pt-br', 'the canonical spelling of this language tag is pt-BR'],
    ['iw', 'the canonical spelling of this language tag is he'],
  ])('rejects %s as a language of a new event', async (locale, message) => {
    const { fields } = await olga.refused('create_event', { ...spring, code: 'wrong', locale })
    expect(fields).toEqual([{ path: 'locale', message: expect.stringContaining(`${JSON.stringify(locale)}: ${message}`) }])
  })

  it.each(['de-AT', 'pt-BR', 'zh-Hant', 'es-419', 'haw', 'ca-valencia'])('accepts %s as a language of a new event', async (locale) => {
    expect((await olga.call('create_event', { ...spring, code: `in-${locale}`.toLowerCase(), locale })).event.locale).toBe(locale)
  })

  it('creates no second event for a repeated idempotency key', async () => {
    const first = await olga.call('create_event', { ...spring, code: 'keyed', idempotencyKey: 'k1' })
    expect(await olga.call('create_event', { ...spring, code: 'keyed', idempotencyKey: 'k1' })).toEqual(first)
  })
})
