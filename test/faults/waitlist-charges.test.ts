import { afterEach, describe, expect, it } from 'vitest'
import type { EventContext } from '../../src/kernel/context.ts'
import { cancelRegistration } from '../../src/domains/registration/edit/cancel.ts'
import { getParticipant } from '../../src/domains/registration/participant-rows.ts'
import { promoteSelectedWaitlistEntries } from '../../src/domains/registration/promotion/promote.ts'
import { loadEventSnapshot } from '../../src/domains/registration/event-snapshot.ts'
import { runBackgroundJobStep } from '../../src/surfaces/worker/step.ts'
import { openEventLedger } from '../support/event-ledger.ts'
import { runDueExternalCalls, saveScriptedCard, ScriptedCards, type ChargeOutcome } from '../support/scripted-cards.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseForSoak, soakSeed, soakRounds } from '../support/soak.ts'

/** On the embedded database all calls share one connection, so fewer waiting list entries and promotions are sufficient. */
const [ENTRIES, PROMOTIONS] = process.env['TEST_DATABASE_URL']
  ? [chooseForSoak(soakRounds(30), 12), chooseForSoak(soakRounds(100), 40)]
  : [8, 20]

/** A seeded pseudo-random generator. */
function seededRandom(from: number) {
  let state = from || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** Returns a processor outcome: three of ten responses are lost, before or after the charge. */
const faulty = (roll: () => number) => (): ChargeOutcome => {
  const number = roll()
  return number < 0.15 ? 'lost' : number < 0.3 ? 'unreached' : number < 0.4 ? 'declined' : 'ok'
}

describe('concurrent waiting list promotions with three of ten processor responses lost', () => {
  let scenario: SalesScenario
  afterEach(() => scenario.world.end())

  const at = <T>(run: (ctx: EventContext) => Promise<T>): Promise<T> => {
    const { tenantId, clientId, eventId } = scenario.event
    const startedBy = { id: scenario.olga.userId, name: 'Olga' }
    return runBackgroundJobStep<'event', T>(scenario.world.services, { name: 'test', tenantId, clientId, eventId, startedBy }, run)
  }
  const rows = async (query: string) => (await scenario.world.database.pool.query<any>(query)).rows

  async function race(cards: ScriptedCards): Promise<void> {
    const products = [
      WORKED_EXAMPLE.products[0]!,
      { code: 'workshop', name: 'Workshop', category: 'session', prices: [{ amount: '50.00' }], capacity: 1, waitlist: true },
      WORKED_EXAMPLE.products[2]!,
    ]
    scenario = await openSalesScenario({ ...WORKED_EXAMPLE, products }, { cards })
    const full = await scenario.register({ workshop: 1 })
    const people: string[] = []
    for (let i = 0; i < ENTRIES; i++) {
      const { participant } = await scenario.register({ workshop: 1 }, { joinWaitlist: true })
      await saveScriptedCard(scenario, participant.id, 'ok')
      people.push(participant.id)
    }
    await scenario.publish({ products: [{ code: 'workshop', capacity: ENTRIES }] })
    await scenario.call('edit_participant', { participantId: full.participant.id, status: 'cancelled' })
    const entryIds = (await rows(`select id from waitlist_entries where status = 'waiting' order by position`)).map(
      ({ id }) => id as string,
    )
    cards.script = faulty(seededRandom(soakSeed(20260410)))
    const asked = { priorityTags: [], charge: 'savedCard' as const, onDecline: 'skip' as const, offerHours: 48, overrideCapacity: false }
    const promotions = Array.from({ length: PROMOTIONS }, () =>
      at((ctx) => promoteSelectedWaitlistEntries(ctx, { ...asked, chosen: { entryIds } })),
    )
    const leaving = people
      .slice(0, 2)
      .map((id) =>
        at(async (ctx) => cancelRegistration(ctx, await loadEventSnapshot(ctx), await getParticipant(ctx, id), { rule: { by: 'full' } })),
      )
    await Promise.all([...promotions, ...leaving])
    for (let hour = 11; hour < 20; hour++) {
      await scenario.world.clock.stopAt(`2026-04-10T${hour}:00:00Z`)
      await Promise.all([
        runDueExternalCalls(scenario),
        runDueExternalCalls(scenario),
        at((ctx) => promoteSelectedWaitlistEntries(ctx, { ...asked, chosen: { entryIds } })),
      ])
    }
    cards.script = () => 'ok'
    for (const day of ['2026-04-11', '2026-04-12']) {
      await scenario.world.clock.stopAt(`${day}T00:00:00Z`)
      await runDueExternalCalls(scenario)
    }
  }
  const entryOf = async () =>
    new Map((await rows(`select id, entry_id from charges`)).map(({ id, entry_id }) => [`charge:${id}`, entry_id as string]))

  it('charges no card twice, and gives every charged participant the seat or a refund', async () => {
    const cards = new ScriptedCards()
    await race(cards)
    const entries = await entryOf()
    const charged = [...cards.charged.keys()].map((key) => entries.get(key))
    expect(new Set(charged).size).toBe(charged.length)
    expect(charged.length).toBeGreaterThan(ENTRIES / 2)
    expect(cards.asked).toBeGreaterThan(charged.length)
    expect(await rows(`select status from outside_calls where status in ('waiting', 'calling')`)).toEqual([])
    const [{ promoted }] = await rows(`select count(*)::int as promoted from waitlist_entries where status = 'promoted'`)
    const [{ payments }] = await rows(`select count(*)::int as payments from payments where method = 'card'`)
    expect(payments).toBe(charged.length)
    expect(payments).toBe(promoted + cards.refunded.size)
    expect(await rows(`select sold, held from inventory where key = 'product:workshop'`)).toEqual([{ sold: promoted, held: 0 }])
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })

  it('control: charges a card twice at a processor that ignores idempotency keys', async () => {
    const cards = new ScriptedCards()
    let taken = 0
    const remembers = cards.chargeSaved
    cards.chargeSaved = (charge) => {
      const answer = remembers({ ...charge, key: `${charge.key} ${++taken}` })
      return answer
    }
    await race(cards)
    const entries = await entryOf()
    const charged = [...cards.charged.keys()].map((key) => entries.get(key.split(' ')[0]!))
    expect(new Set(charged).size).toBeLessThan(charged.length)
  })
})
