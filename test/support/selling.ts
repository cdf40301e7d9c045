import { afterAll, beforeAll } from 'vitest'
import type { PaymentProvider } from '../../src/kernel/cards.ts'
import type { TextModel } from '../../src/kernel/ports.ts'
import { type EventPlace, newWorld, type OrganizerHandle, type World } from './world.ts'

type Arguments = Record<string, unknown>

/** The products, taxes and code of the specification's worked example, for an event in Paris. */
export const WORKED_EXAMPLE = {
  details: { contactEmail: 'olga@example.org', venue: { name: 'Palais', city: 'Paris', country: 'FR' } },
  tags: [
    { code: 'member', name: 'Member' },
    { code: 'speaker', name: 'Speaker' },
    { code: 'vip', name: 'VIP' },
    { code: 'acme', name: 'Acme' },
  ],
  taxes: [
    { code: 'vat-20', name: 'VAT', rate: '20' },
    { code: 'vat-10', name: 'VAT meals', rate: '10', inclusive: true },
  ],
  products: [
    {
      code: 'pass',
      name: 'Pass',
      category: 'admission',
      taxCode: 'vat-20',
      prices: [
        { amount: '600.00', until: '2026-03-31' },
        { amount: '750.00', from: '2026-04-01' },
        { amount: '450.00', tags: ['member'] },
        { amount: '520.00', from: '2026-04-01', tags: ['member'] },
        { amount: '0.00', tags: ['speaker'] },
      ],
    },
    { code: 'workshop', name: 'Workshop A', category: 'session', taxCode: 'vat-20', prices: [{ amount: '149.99' }] },
    { code: 'dinner', name: 'Dinner', category: 'meal', taxCode: 'vat-10', perPerson: 4, prices: [{ amount: '89.00' }] },
  ],
  discounts: [
    { code: 'save15', name: 'Spring', kind: 'percent', value: '15', products: ['pass', 'workshop'] },
    { code: 'less100', name: 'Less', kind: 'amount', value: '100.00' },
  ],
  flows: [
    {
      slug: 'attendee',
      name: 'Registration',
      pages: [
        {
          code: 'contact',
          title: 'You',
          widgets: [
            { id: 'name', type: 'name' },
            { id: 'email', type: 'field', binding: '@participant.email', required: true },
            { id: 'company', type: 'field', binding: '@participant.company' },
          ],
        },
        {
          code: 'choices',
          title: 'Choices',
          widgets: [
            { id: 'sale', type: 'products', products: ['pass', 'workshop', 'dinner'] },
            { id: 'code', type: 'discountCode' },
            { id: 'pay', type: 'payment', methods: ['bank'] },
          ],
        },
        { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] },
      ],
    },
  ],
}

export interface Selling {
  world: World
  olga: OrganizerHandle
  event: EventPlace
  /** Puts these parts into the event's draft and publishes it. */
  publish: (sections: object) => Promise<void>
  call: (tool: string, args?: Arguments) => Promise<any>
  refused: (tool: string, args?: Arguments) => Promise<any>
  /** Registers somebody new, who wants these products. */
  register: (products?: Record<string, number>, more?: Arguments) => Promise<any>
  /** The same after its dry run, with the token of that. */
  confirmed: (tool: string, args?: Arguments) => Promise<any>
  /** One figure of the database. */
  figure: (query: string) => Promise<number>
}

let people = 0

/** Somebody whom nobody is like. */
export const somebody = (more: Arguments = {}) => {
  const number = ++people
  return {
    '@participant.firstName': 'Paula',
    '@participant.lastName': `Person ${number}`,
    '@participant.email': `paula.${number}@example.org`,
    ...more,
  }
}

type Where = Pick<NonNullable<Parameters<typeof newWorld>[0]>, 'baseUrl' | 'server'>

export async function openSelling(
  sections: object = WORKED_EXAMPLE,
  {
    at = '2026-04-10T10:00:00Z',
    timezone = 'Europe/Paris',
    startsOn = '2026-09-01',
    cards = null,
    model = null,
    currency = 'EUR',
    ...more
  }: {
    at?: string
    timezone?: string
    startsOn?: string
    cards?: PaymentProvider | null
    model?: TextModel | null
    currency?: string
  } & Where = {},
): Promise<Selling> {
  const world = await newWorld({ cards, model, ...more })
  const client = await world.client()
  const event = await world.event({ at: client, status: 'draft', timezone, startsOn })
  const olga = await world.organizer({ at: client })
  await world.clock.stopAt(at)
  const here = (args: Arguments = {}) => ({ eventCode: event.eventCode, ...args })
  const selling: Selling = {
    world,
    olga,
    event,
    async publish(parts) {
      await olga.call('configure_event', here({ sections: parts }))
      await olga.call('publish_event', here({ acceptWarnings: true }))
    },
    call: (tool, args) => olga.call(tool, here(args)),
    refused: (tool, args) => olga.refused(tool, here(args)),
    register: (products = {}, { data = {}, ...more } = {}) =>
      olga.call(
        'add_participant',
        here({
          flowSlug: 'attendee',
          data: {
            ...somebody(data as Arguments),
            ...Object.fromEntries(Object.entries(products).map(([code, quantity]) => [`@product.${code}`, quantity])),
          },
          ...more,
        }),
      ),
    async confirmed(tool, args) {
      const { confirmToken } = await olga.call(tool, here({ ...args, dryRun: true }))
      return olga.call(tool, here({ ...args, confirmToken }))
    },
    async figure(query) {
      const { rows } = await world.database.pool.query<{ figure: number }>(query)
      return rows[0]!.figure
    },
  }
  if (currency !== 'EUR') await selling.call('update_event', { currency })
  await selling.publish(sections)
  await selling.call('update_event', { testMode: false })
  return selling
}

/** One such event for all stories of a file. */
export function sellingStory(...options: Parameters<typeof openSelling>): Selling {
  const story = {} as Selling
  beforeAll(async () => void Object.assign(story, await openSelling(...options)))
  afterAll(() => story.world.end())
  return story
}
