import { afterAll, afterEach } from 'vitest'
import { acceptWaitlistOffer, declineWaitlistOffer } from '../../../domains/registration/promotion/accept-offer.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { expireCapacityHolds } from '../../../domains/registration/promotion/expire-holds.ts'
import { openEventLedger } from '../../../../test/support/event-ledger.ts'
import { createRecurringTaskContext } from '../../../surfaces/worker/run-recurring.ts'
import { runBackgroundJobStep } from '../../../surfaces/worker/step.ts'
import { saveScriptedCard, ScriptedCards, type ChargeOutcome } from '../../../../test/support/scripted-cards.ts'
import { openSalesScenario, type SalesScenario, newAttendee, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'

export const euros = (amount: string) => ({ amount, currency: 'EUR' })

export const workshop = (capacity: number, more: object = {}) => ({
  ...WORKED_EXAMPLE,
  products: [
    WORKED_EXAMPLE.products[0]!,
    {
      code: 'workshop',
      name: 'Workshop A',
      category: 'session',
      taxCode: 'vat-20',
      prices: [{ amount: '50.00' }],
      capacity,
      waitlist: true,
    },
    { code: 'dinner', name: 'Dinner', category: 'meal', prices: [{ amount: '0.00' }], capacity: 1, waitlist: true },
  ],
  ...more,
})

export const RISING_PRICE = {
  code: 'workshop',
  name: 'Workshop A',
  category: 'session',
  prices: [
    { amount: '50.00', until: '2026-04-10' },
    { amount: '70.00', from: '2026-04-11' },
  ],
}

export const PROMOTION = { target: 'product:workshop', charge: 'savedCard' }

/** An event with waiting lists and scripted cards. Call once at the top of a test file; `open` starts over. */
export function waitlistScenario() {
  const scenario = {} as SalesScenario
  const cards = new ScriptedCards()
  const open = async (sections: object) => {
    await scenario.world?.end()
    cards.charged.clear()
    cards.refunded.clear()
    Object.assign(cards, { asked: 0, refusesRefunds: false, script: new ScriptedCards().script })
    Object.assign(scenario, await openSalesScenario(sections, { cards }))
  }
  afterAll(() => scenario.world.end())
  const stock = async (key: string) => {
    const { rows } = await scenario.world.database.pool.query<{ sold: number; held: number; capacity: number; overage: number }>(
      `select sold, held, capacity, overage from inventory where key = $1`,
      [key],
    )
    const { sold, held, capacity, overage } = rows[0]!
    return { sold, held, available: capacity + overage - held - sold }
  }
  const rowsOf = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows
  const entries = (status: string) =>
    rowsOf(
      `select id, participant_id as "participantId", position::int as position, reason from waitlist_entries where status = $1 order by position`,
      [status],
    )
  const sweep = () => expireCapacityHolds.run(createRecurringTaskContext(scenario.world.services, expireCapacityHolds.name, new Date()))
  const promote = (args: object) => scenario.callConfirmed('promote_waitlist_entries', args as Record<string, unknown>)
  const buy = (more = {}) => scenario.register({ workshop: 1 }, { joinWaitlist: true, ...more })
  /** So many callers wait for a connection that some get a retryable error; they retry as the same buyer. */
  async function buyPatiently(): Promise<void> {
    const data = { ...newAttendee(), '@product.workshop': 1 }
    const wanted = {
      eventCode: scenario.event.eventCode,
      flowSlug: 'attendee',
      data,
      joinWaitlist: true,
      idempotencyKey: data['@participant.email'],
    }
    for (;;) {
      const answer = await scenario.olga.answer('add_participant', wanted)
      if (!answer.isError) return
      if (answer._meta?.['lanyard/error'].code !== 'unavailable') throw new Error(answer.content[0]!.text)
    }
  }
  /** Fills the capacity and adds one waiting list entry per script, each with a card that follows it. */
  async function fillAndQueue(scripts: readonly (ChargeOutcome | null)[], { free = scripts.length } = {}) {
    for (let i = 0; i < free; i++) await buy()
    const waiting: string[] = []
    for (const script of scripts) {
      const { participant } = await buy()
      waiting.push(participant.id)
      if (script) await saveScriptedCard(scenario, participant.id, script)
    }
    return waiting
  }
  const entryIdsOf = async (people: readonly string[]) => {
    const all = await rowsOf(`select id, participant_id from waitlist_entries where status in ('waiting', 'offered')`)
    return people.map((id) => all.find((entry) => entry.participant_id === id).id as string)
  }
  const cancelOne = async () => {
    const [{ id }] = await rowsOf(
      `select p.id from participants p join order_lines l on l.participant_id = p.id where p.status = 'complete' and l.product_code = 'workshop' limit 1`,
    )
    await scenario.call('edit_participant', { participantId: id, status: 'cancelled' })
  }
  const step = <T>(run: (ctx: EventContext) => Promise<T>) => {
    const { tenantId, clientId, eventId } = scenario.event
    const work = { name: 'test', tenantId, clientId, eventId, startedBy: { id: scenario.olga.userId, name: 'Olga' } }
    return runBackgroundJobStep<'event', T>(scenario.world.services, work, run)
  }
  const accept = (entryId: string) => step((ctx) => acceptWaitlistOffer(ctx, entryId))
  const decline = (entryId: string) => step((ctx) => declineWaitlistOffer(ctx, entryId))
  const mails = async () => (await rowsOf(`select email_code as code from messages order by id`)).map(({ code }) => code as string)
  afterEach(() => openEventLedger(scenario.world, scenario.event).assertInvariants())

  return {
    story: scenario,
    cards,
    open,
    stock,
    rowsOf,
    entries,
    sweep,
    promote,
    buy,
    buyPatiently,
    line: fillAndQueue,
    entryIdsOf,
    cancelOne,
    accept,
    decline,
    mails,
  }
}
