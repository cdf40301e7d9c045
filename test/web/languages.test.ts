import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LANGUAGES, chooseTranslator } from '../../src/kernel/language/translator.ts'
import { findEnglish, readVisibleText } from '../support/english-texts.ts'
import { GERMAN_EVENT } from '../support/german-event.ts'
import { eventHomePath, verifyMailbox } from '../support/own-pages.ts'
import { createSessionAt } from '../support/programs.ts'
import { openFormAs } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type VisitedPage, visitor } from '../support/visitor.ts'

/**
 * Registers with a guest, sessions, a discount and a product on the waiting list in every language, and cancels on the own page. The event's
 * texts are German, so any English text comes from the product. Layout in every language is tested in the browser.
 */

const [flow] = GERMAN_EVENT.flows
const [person, tickets, ...rest] = flow!.pages
const EVENT = {
  ...GERMAN_EVENT,
  sessions: {
    tracks: [{ code: 'build', name: 'Bauen' }],
    formats: [{ code: 'talk', name: 'Vortrag', minutes: 40 }],
    rooms: [{ code: 'saal', name: 'Saal' }],
  },
  products: [
    ...GERMAN_EVENT.products,
    { code: 'fahrt', name: 'Nachtfahrt', category: 'tour', capacity: 0, waitlist: true, prices: [{ amount: '20.00' }] },
  ],
  flows: [
    {
      ...flow!,
      pages: [
        person!,
        {
          ...tickets!,
          widgets: tickets!.widgets.map((widget) => (widget.id === 'extras' ? { ...widget, products: ['gala', 'boot', 'fahrt'] } : widget)),
        },
        { code: 'programm', title: 'Programm', widgets: [{ id: 'vortraege', type: 'sessions' }] },
        ...rest,
      ],
    },
  ],
}

let selling: SalesScenario
let served: Served
let home: string
let sessions: string[]

beforeAll(async () => {
  selling = await openSalesScenario(EVENT, { baseUrl: await chooseFreeBaseUrl(), timezone: 'Europe/Vienna', startsOn: '2026-09-16' })
  await selling.call('update_event', { locales: [...LANGUAGES] })
  const create = (title: string, from: string, more: object = {}) =>
    createSessionAt(selling.world, selling.event, { title, from: `2026-09-16T${from}`, ...more })
  sessions = [await create('Auftakt', '09:00'), await create('Werkstatt', '11:00', { capacity: 0 })]
  served = await serve(selling.world)
  home = eventHomePath(selling.event)
})
afterAll(() => selling.world.end())

describe.each(LANGUAGES)('registration from start to end in %s', (language) => {
  it('shows no English text and no missing translation on any page or in any email', async () => {
    const texts: string[] = []
    const add = (page: VisitedPage, status = 200) => {
      expect([page.status, /<html lang="(\w+)/.exec(page.html)?.[1]]).toEqual([status, language])
      texts.push(readVisibleText(page))
      return page
    }
    const email = `hanna.${language}@linden.example`
    const form = openFormAs(visitor(served), selling.event, 'anmeldung')
    const { who, fill } = form
    add(await who.get(`${home}?lang=${language}`))
    await form.begin(email)
    await verifyMailbox(selling.world, who, selling.event, email)
    const names = { '@participant.firstName': 'Hanna', '@participant.lastName': `Berger ${language}` }
    await fill('person', { ...names, '@custom.essen': 'alles', '@participant.country': 'AT' })
    const chosen = { 'one.karte': 'voll', '@product.gala': '1', '@product.fahrt': '1', _full: 'product:fahrt' }
    add(await fill('karten', { ...chosen, '@discount.code': 'falsch' }), 400)
    const guest = { 'guest.number': '1', '@guest.1.firstName': 'Jonas', '@guest.1.lastName': 'Berger', '@guest.1.type': 'partner' }
    await fill('karten', { ...chosen, '@discount.code': 'treue', ...guest }, { press: 'guest-save' })
    add(await form.open('karten'))
    expect((await fill('karten', { ...chosen, '@discount.code': 'treue' })).location).toMatch(/programm$/)
    add(await form.open('programm'))
    const enrolled = Object.fromEntries(sessions.map((id) => [`@session.${id}`, 'true']))
    expect((await fill('programm', enrolled)).location).toMatch(/zusagen$/)
    add(await form.open('zusagen'))
    await fill('zusagen', { '@policy.agb': 'Hanna Berger', _method: 'bank' })
    const review = add(await form.open('summary'))
    for (const own of ['Jonas Berger', 'Auftakt', 'Werkstatt', 'Nachtfahrt']) expect(review.text).toContain(own)
    expect((await fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    add(await form.open('done'))
    const mine = `${home}/registration`
    for (const path of ['', '/edit', '/pay', '/cancel']) add(await who.get(`${mine}${path}`))
    expect((await who.post(`${mine}/cancel`, { agree: 'on' })).status).toBe(303)
    add(await who.get(mine))

    const { rows: emails } = await selling.world.database.pool.query<{ subject: string; text_body: string }>(
      'select subject, text_body from messages where to_address = $1 order by id',
      [email],
    )
    const { say } = chooseTranslator(language)
    expect(emails.map(({ subject }) => subject)).toContain(say('mail.completed.subject', { event: GERMAN_EVENT.details.name }))
    for (const text of [...texts, ...emails.flatMap((one) => [one.subject, one.text_body])]) {
      // Control: English text is found on the English pages.
      if (language === 'en') expect(findEnglish('de', text)).not.toEqual([])
      else expect(findEnglish(language, text)).toEqual([])
      expect(/\b(?:register|myRegistration|cancel|mail|event|room|offer)\.[a-z]\w+/.exec(text)?.[0] ?? null).toBeNull()
    }
  })
})
