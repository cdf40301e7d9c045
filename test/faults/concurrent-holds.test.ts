import { describe, expect, it } from 'vitest'
import { EVENT_INVENTORY_KEY, holdUnits } from '../../src/domains/inventory/units.ts'
import { inEventTransaction } from '../support/hotels.ts'
import { useSalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { soakRounds } from '../support/soak.ts'

const ROUNDS = soakRounds(20)
const CONCURRENT_SUBMISSIONS = 6

const scenario = useSalesScenario(WORKED_EXAMPLE)

describe('concurrent submissions of one participant', () => {
  it('holds one seat for concurrent submissions of one participant, with an inventory counter that matches the held seats', async () => {
    const { world, event } = scenario
    const held = `select i.held, (select coalesce(sum(h.quantity), 0)::int from holds h
        where h.event_id = i.event_id and h.key = i.key and h.status = 'active') as there
      from inventory i where i.event_id = $1 and i.key = $2`
    for (let round = 1; round <= ROUNDS; round++) {
      const { participant } = await scenario.register({}, { status: 'incomplete' })
      const press = () =>
        inEventTransaction(world, event, (ctx) =>
          holdUnits(ctx, { participantId: participant.id }, [{ key: EVENT_INVENTORY_KEY, quantity: 1 }], {}),
        )
      await Promise.all(Array.from({ length: CONCURRENT_SUBMISSIONS }, press))
      const { rows } = await world.database.pool.query(held, [event.eventId, EVENT_INVENTORY_KEY])
      expect(rows).toEqual([{ held: round, there: round }])
    }
  })
})
