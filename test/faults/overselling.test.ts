import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkIntegrity } from '../../src/domains/orders/integrity/check.ts'
import { buildLimitedProduct, limitedProductSections } from '../support/limited-product.ts'
import { openSalesScenario, type SalesScenario, newAttendee } from '../support/sales-scenario.ts'
import { chooseForSoak, soakSeed, soakRounds } from '../support/soak.ts'
import { openTwoServers } from '../support/two-servers.ts'
import type { OrganizerHandle } from '../support/world.ts'

const postgres = process.env['TEST_DATABASE_URL'] !== undefined
const [BUYERS, SEATS, ROUNDS] = postgres
  ? [chooseForSoak(200, 80), chooseForSoak(50, 20), chooseForSoak(soakRounds(3), 2)]
  : [40, 10, soakRounds(1)]

interface Outcome {
  sold: string[]
  refused: string[]
}

/** A seeded pseudo-random generator. */
function seededRandom(from: number): () => number {
  let state = from >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

describe('concurrent ticket sales', () => {
  let scenario: SalesScenario
  /** Two servers over one database, each with its own connections. */
  const servers: OrganizerHandle[] = []

  beforeAll(async () => {
    scenario = await openSalesScenario(limitedProductSections(buildLimitedProduct(SEATS)))
    for (const { database } of await openTwoServers(scenario.world)) servers.push(scenario.world.throughDatabase(scenario.olga, database))
  })
  afterAll(() => scenario.world.end())

  let turns = 0
  const server = () => servers[turns++ % servers.length]!
  const here = (args: object) => ({ eventCode: scenario.event.eventCode, ...args })

  async function buyers(count: number): Promise<Outcome> {
    const outcome: Outcome = { sold: [], refused: [] }
    await Promise.all(
      Array.from({ length: count }, async () => {
        const answer = await server().answer(
          'add_participant',
          here({ flowSlug: 'attendee', data: { ...newAttendee(), '@product.seat': 1 } }),
        )
        if (answer.isError) outcome.refused.push(String(answer.content[0]!.text))
        else outcome.sold.push(answer.structuredContent.participant.id)
      }),
    )
    return outcome
  }

  const stock = async () => {
    const { rows } = await scenario.world.database.pool.query<{ capacity: number; overage: number; held: number; sold: number }>(
      `select capacity, overage, held, sold from inventory where key = 'product:seat'`,
    )
    return rows[0]!
  }

  const holds = async () => {
    const found = await checkIntegrity(scenario.world.database.read, scenario.event.tenantId, scenario.event.eventId)
    expect(found.filter(({ ok }) => !ok)).toEqual([])
  }

  it(`sells exactly ${SEATS} seats to ${BUYERS} buyers while registrations are cancelled and edited and the capacity changes`, async () => {
    const roll = seededRandom(soakSeed(7))
    const holders: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const limit = SEATS + (round % 2 === 0 ? 0 : 5)
      const cancelled = holders.splice(0, Math.floor(roll() * holders.length))
      const [outcome] = await Promise.all([
        buyers(BUYERS),
        ...cancelled.map((id) => server().call('edit_participant', here({ participantId: id, status: 'cancelled' }))),
        ...holders
          .slice(0, 5)
          .map((id) => server().call('edit_participant', here({ participantId: id, data: { '@participant.company': `Acme ${round}` } }))),
        change(limit),
      ])
      holders.push(...outcome.sold)
      for (const text of outcome.refused) expect(text).toMatch(/Seat is full/)
      const { capacity, overage, held, sold } = await stock()
      expect({ sold, held, overage, kept: holders.length }).toEqual({ sold: holders.length, held: 0, overage: 0, kept: holders.length })
      expect(sold).toBeLessThanOrEqual(capacity)
      // New buyers find exactly the remaining seats.
      const last = await buyers(capacity - sold + 3)
      holders.push(...last.sold)
      expect(last.sold).toHaveLength(capacity - sold)
      expect((await stock()).sold).toBe(capacity)
      await holds()
    }
  })

  const CHANGING = (capacity: number) =>
    [
      ['configure_event', { sections: { products: [buildLimitedProduct(capacity)] } }],
      ['publish_event', { acceptWarnings: true }],
    ] as const

  const raise = async (capacity: number) => {
    for (const [tool, args] of CHANGING(capacity)) await scenario.call(tool, args)
  }

  /** A lower limit is rejected only if more seats than that are sold at that moment. */
  const change = async (capacity: number) => {
    for (const [tool, args] of CHANGING(capacity)) {
      const answer = await scenario.olga.answer(tool, here(args))
      if (answer.isError)
        return expect(answer.content[0]!.text).toMatch(/is below the \d+ held and sold|is limited to \d+, but \d+ are sold/)
    }
  }

  it('creates one participant for fifty identical registration submissions', async () => {
    const data = { ...newAttendee(), '@product.pass': 1 }
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => server().call('add_participant', here({ flowSlug: 'attendee', data }))),
    )
    expect(answers.filter(({ status }) => status === 'new')).toHaveLength(1)
    expect(new Set(answers.map(({ participant }) => participant.id)).size).toBe(1)
    await holds()
  })

  it.runIf(postgres)('control: oversells tickets without the availability check', async () => {
    await scenario.world.database.pool.query(`
      alter table inventory drop constraint inventory_not_oversold;
      create or replace function inventory_take(
        tenant integer, event text, participant text, entry text, wanted jsonb, sells boolean, beyond_capacity boolean, until timestamptz
      ) returns text language plpgsql as $$
      declare
        w record;
        seen record;
      begin
        for w in select t.key, t.quantity from jsonb_to_recordset(wanted) as t(key text, quantity integer) loop
          select * into seen from inventory i where i.tenant_id = tenant and i.event_id = event and i.key = w.key;
          if seen.capacity is not null and seen.held + seen.sold + w.quantity > seen.capacity then return w.key; end if;
        end loop;
        for w in select t.key, t.quantity from jsonb_to_recordset(wanted) as t(key text, quantity integer) order by t.key loop
          update inventory i set sold = i.sold + w.quantity where i.tenant_id = tenant and i.event_id = event and i.key = w.key;
        end loop;
        return null;
      end $$`)
    await raise((await stock()).sold + 5)
    await buyers(60)
    const { capacity, sold } = await stock()
    expect(sold).toBeGreaterThan(capacity)
  })
})
