import { afterAll, beforeAll } from 'vitest'
import type { PaymentProvider } from '../../src/kernel/cards.ts'
import type { LanguageModel } from '../../src/kernel/ports.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from './world.ts'
import { WORKED_EXAMPLE } from './worked-example.ts'

type Arguments = Record<string, unknown>

export { WORKED_EXAMPLE }

export interface SalesScenario {
  world: World
  olga: OrganizerHandle
  event: EventHandle
  /** Puts the given configuration sections into the event's draft and publishes it. */
  publish: (sections: object) => Promise<void>
  call: (tool: string, args?: Arguments) => Promise<any>
  refused: (tool: string, args?: Arguments) => Promise<any>
  /** Registers a new participant with the given products. */
  register: (products?: Record<string, number>, more?: Arguments) => Promise<any>
  /** Calls the tool with the confirmation token of its dry run. */
  callConfirmed: (tool: string, args?: Arguments) => Promise<any>
  /** Runs a query that returns a single number. */
  queryNumber: (query: string) => Promise<number>
}

let people = 0

/** Answers of a participant with a unique name and email. */
export const newAttendee = (more: Arguments = {}) => {
  const number = ++people
  return {
    '@participant.firstName': 'Paula',
    '@participant.lastName': `Person ${number}`,
    '@participant.email': `paula.${number}@example.org`,
    ...more,
  }
}

type Where = Pick<NonNullable<Parameters<typeof newWorld>[0]>, 'baseUrl' | 'server'>

export async function openSalesScenario(
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
    model?: LanguageModel | null
    currency?: string
  } & Where = {},
): Promise<SalesScenario> {
  const world = await newWorld({ cards, model, ...more })
  const client = await world.client()
  const event = await world.event({ at: client, status: 'draft', timezone, startsOn })
  const olga = await world.organizer({ at: client })
  await world.clock.stopAt(at)
  const here = (args: Arguments = {}) => ({ eventCode: event.eventCode, ...args })
  const selling: SalesScenario = {
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
            ...newAttendee(data as Arguments),
            ...Object.fromEntries(Object.entries(products).map(([code, quantity]) => [`@product.${code}`, quantity])),
          },
          ...more,
        }),
      ),
    async callConfirmed(tool, args) {
      const { confirmToken } = await olga.call(tool, here({ ...args, dryRun: true }))
      return olga.call(tool, here({ ...args, confirmToken }))
    },
    async queryNumber(query) {
      const { rows } = await world.database.pool.query<{ figure: number }>(query)
      return rows[0]!.figure
    },
  }
  if (currency !== 'EUR') await selling.call('update_event', { currency })
  await selling.publish(sections)
  await selling.call('update_event', { testMode: false })
  return selling
}

/** Opens one sales scenario for all tests of a file. */
export function useSalesScenario(...options: Parameters<typeof openSalesScenario>): SalesScenario {
  const scenario = {} as SalesScenario
  beforeAll(async () => void Object.assign(scenario, await openSalesScenario(...options)))
  afterAll(() => scenario.world.end())
  return scenario
}
