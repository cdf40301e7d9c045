import { expect } from 'vitest'
import { createHotelAccessLink } from '../../src/domains/housing/rooming/links.ts'
import { FESTIVAL } from './festival.ts'
import { fillFestivalForm } from './festival-form.ts'
import { createHotelAt, inEventTransaction } from './hotels.ts'
import { eventHomePath, verifyMailbox } from './own-pages.ts'
import type { SalesScenario } from './sales-scenario.ts'
import type { Served } from './server.ts'
import { type Visitor, visitor } from './visitor.ts'

const [flow] = FESTIVAL.flows
const CARDS_FLOW = {
  ...flow!,
  pages: flow!.pages.map((page) => ({
    ...page,
    widgets: page.widgets.map((widget) => (widget.type === 'payment' ? { ...widget, methods: ['card', 'bank'] } : widget)),
  })),
}

/** The German translations of some texts, so that German pages are partly English. */
const GERMAN = {
  '/products/full/name': 'Ganzer Kongress',
  '/products/day/name': 'Ein Tag',
  '/flows/attendee/pages/you/title': 'Zur Person',
  '/policies/terms/title': 'Teilnahmebedingungen',
}

/**
 * A festival whose cards are charged in the sandbox, with a registration form for one person (then a waiting list) and incomplete German
 * texts.
 */
const CARD_EVENT = {
  ...FESTIVAL,
  details: {
    ...FESTIVAL.details,
    name: 'Cities and Rivers 2027',
    summary: 'Three days on how growing cities keep and share their water.',
    description: '<p>Expect 64 short talks, 12 workshops in which something gets built, and long breaks by the river.</p>',
  },
  flows: [CARDS_FLOW, { ...CARDS_FLOW, slug: 'late', name: 'Late registration', capacity: 1, waitlist: true }],
  translations: { de: GERMAN },
}

export const CARD_EVENT_CODE = 'cards'

/** A page in a certain state, the visitor who sees it, and a name for that visitor. */
export interface VisitedState {
  name: string
  path: string
  label: string
  who: Visitor
}

/**
 * Creates the card event and opens pages for payments, a registration on the waiting list, a hotel after the event, and incomplete
 * translations.
 */
export async function openCardEvent({ world, event: at, olga }: SalesScenario, served: Served): Promise<VisitedState[]> {
  const event = await world.event({ at, code: CARD_EVENT_CODE, status: 'draft', timezone: 'Europe/Vienna', startsOn: '2027-10-13' })
  const call = (tool: string, args: object = {}) => olga.call(tool, { eventCode: event.eventCode, ...args })
  const query = async (text: string, values: unknown[]) => (await world.database.pool.query<{ id: string }>(text, values)).rows
  await call('update_event', { endsOn: '2027-10-15', locales: ['en', 'de'] })
  await call('configure_event', { sections: CARD_EVENT })
  await call('publish_event', { acceptWarnings: true })
  await call('update_event', { testMode: false })
  await query('update events set sandbox_cards = true where id = $1', [event.eventId])

  const home = eventHomePath(event)
  const states: VisitedState[] = []
  const add = (label: string, who: Visitor, pages: Record<string, string>) =>
    states.push(...Object.entries(pages).map(([name, path]) => ({ name, path, label, who })))
  let people = 0
  const register = async (method: 'bank' | 'card', slug = 'attendee') => {
    const names = ['Hanna', 'Berger', 'Stadtwerke Linden', 'Engineer', 'Hanna', 'Linden', 'Werkstraße 8', 'No nuts, please', 'Jonas']
    const email = `hanna.${++people}@linden.example`
    const form = await fillFestivalForm(served, event, { email, answer: (n) => names[n]!, flow: slug, method })
    return { email, who: form.who, finish: () => form.fill('summary', {}, { press: 'finish' }) }
  }
  /** Opens the payment page of the sandbox, and moves the start of the payment to an hour ago, so that its return page stops polling. */
  const openSandbox = async (location: string | null) => {
    expect(location).toMatch(/\/sandbox\/pay\/\w+$/)
    const sandbox = new URL(location!, served.baseUrl).pathname
    const charge = sandbox.split('/').at(-1)!
    await query(`update charges set created_at = created_at - interval '1 hour' where id = $1`, [charge])
    return { sandbox, charge }
  }

  const paying = await register('card')
  const opened = await openSandbox((await paying.finish()).location)
  add('paying', paying.who, {
    'cards-summary': `${home}/register/attendee/summary`,
    'cards-pay': `${home}/register/attendee/pay`,
    'cards-pay-failed': `${home}/register/attendee/pay?failed`,
    'cards-pay-return': `${home}/register/attendee/pay/return?charge=${opened.charge}`,
    sandbox: opened.sandbox,
  })

  const owing = await register('bank')
  expect((await owing.finish()).location).toMatch(/\/done$/)
  await verifyMailbox(world, owing.who, event, owing.email)
  const owed = await openSandbox((await owing.who.post(`${home}/registration/pay`, {})).location)
  add('owing', owing.who, {
    'own-pay': `${home}/registration/pay`,
    'own-pay-return': `${home}/registration/pay/return?charge=${owed.charge}`,
    'sandbox-german': `${owed.sandbox}?lang=de`,
  })

  await call('add_participant', { flowSlug: 'late', data: filler(), skipRequired: true })
  const waiting = await register('bank', 'late')
  expect((await waiting.finish()).location).toMatch(/\/done$/)
  await verifyMailbox(world, waiting.who, event, waiting.email)
  add('waiting', waiting.who, {
    'waitlist-done': `${home}/register/late/done`,
    'waitlist-own': `${home}/registration`,
    'waitlist-cancel': `${home}/registration/cancel`,
  })

  // A hotel whose last contracted night is over, so that its desk reports the final pickup.
  const nights = [{ from: '2026-04-01', until: '2026-04-04', rooms: 12, single: 9900 }]
  const hotelId = await createHotelAt(world, event, {
    code: 'river',
    name: 'River House',
    contract: { cutoffOn: '2026-03-20' },
    roomTypes: [{ code: 'king', name: 'King', beds: ['king'], maxOccupancy: 2, nights }],
  })
  const desk = { name: 'Rita', email: 'rita@river.example' }
  const token = (await inEventTransaction(world, event, (ctx) => createHotelAccessLink(ctx, hotelId, desk))).reveal()
  add('hotel', visitor(served), { 'hotel-rooms': `/hotel/${token}`, 'hotel-pickup': `/hotel/${token}/pickup` })

  const german = visitor(served)
  await german.get(`${home}?lang=de`)
  add('german', german, { 'german-home': home, 'german-register': `${home}/register/attendee` })
  return states
}

const filler = () => ({
  '@participant.firstName': 'Ida',
  '@participant.lastName': 'Early',
  '@participant.email': 'ida.early@example.org',
  '@product.full': 1,
})
