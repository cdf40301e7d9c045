import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runDueExternalCalls, saveScriptedCard } from '../../../../test/support/scripted-cards.ts'
import { chooseForSoak } from '../../../../test/support/soak.ts'
import { euros, PROMOTION, workshop, waitlistScenario } from './waitlist-scenario.ts'

/** The specification's figures in soak runs on PostgreSQL. The embedded database has one connection, so fewer are used there. */
const [CAPACITY, BUYERS] = process.env['TEST_DATABASE_URL'] ? [chooseForSoak(100, 30), chooseForSoak(500, 150)] : [12, 60]

const {
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
  line,
  entryIdsOf,
  cancelOne,
  mails,
} = waitlistScenario()

describe('waiting list of a sold-out workshop', () => {
  beforeAll(() => open(workshop(CAPACITY)))

  it(`sells ${CAPACITY} seats to ${BUYERS} concurrent buyers, puts the others on the waiting list, and promotes three of five who have cards`, async () => {
    await Promise.all(Array.from({ length: BUYERS }, () => buyPatiently()))
    expect(await stock('product:workshop')).toEqual({ sold: CAPACITY, held: 0, available: 0 })
    const waiting = await entries('waiting')
    expect(waiting).toHaveLength(BUYERS - CAPACITY)
    expect(new Set(waiting.map(({ position }) => position)).size).toBe(BUYERS - CAPACITY)
    for (let i = 0; i < 3; i++) await cancelOne()
    expect(await stock('product:workshop')).toMatchObject({ available: 3 })

    const scripts = ['ok', 'declined', 'lost', 'ok', 'ok'] as const
    for (const [index, script] of scripts.entries()) await saveScriptedCard(scenario, waiting[index].participantId, script)
    const would = await scenario.call('promote_waitlist_entries', { ...PROMOTION, count: 5, dryRun: true })
    expect(would).toMatchObject({ charged: { count: 3, amount: euros('180.00') }, effects: { charges: 3 } })
    expect(cards.asked).toBe(0)
    const done = await promote({ ...PROMOTION, count: 5 })
    expect(done.results.map(({ outcome, reason }: any) => [outcome, reason])).toEqual([
      ['promoted', undefined],
      ['offered', 'card_declined'],
      ['charge_pending', undefined],
      ['skipped', 'no_capacity'],
      ['skipped', 'no_capacity'],
    ])
    expect(done).toMatchObject({ promoted: 1, offered: 1, charged: { count: 1, amount: euros('60.00') }, remaining: { available: 0 } })
    expect(done.results[0].invoiceNumber).toMatch(/^INV-2026-\d{6}$/)
    expect(await stock('product:workshop')).toEqual({ sold: CAPACITY - 2, held: 2, available: 0 })
    expect(await scenario.queryNumber(`select count(*)::int as figure from charges where status = 'unknown'`)).toBe(1)

    // The lost response is requested again with the same idempotency key.
    cards.script = () => 'ok'
    await scenario.world.clock.stopAt('2026-04-10T11:00:00Z')
    await runDueExternalCalls(scenario)
    expect(await stock('product:workshop')).toEqual({ sold: CAPACITY - 1, held: 1, available: 0 })
    await scenario.world.clock.stopAt('2026-04-12T11:00:00Z')
    await scenario.world.renewTokens()
    await sweep()
    expect(await stock('product:workshop')).toEqual({ sold: CAPACITY - 1, held: 0, available: 1 })
    expect(await entries('removed')).toMatchObject([{ reason: 'offer_expired' }])
    expect(await entries('waiting')).toHaveLength(BUYERS - CAPACITY - 3)
    expect(cards.charged.size).toBe(2)
    expect(await rowsOf(`select count(*)::int as charges from charges`)).toEqual([{ charges: 3 }])
    expect(await rowsOf(`select count(*)::int as payments, sum(amount)::int as amount from payments`)).toEqual([
      { payments: 2, amount: 12_000 },
    ])
  }, 300_000)
})

describe('promote_waitlist_entries', () => {
  beforeEach(() => open(workshop(3)))

  it('charges three cards once for two concurrent calls that promote the same three entries', async () => {
    const waiting = await entryIdsOf(await line(['ok', 'ok', 'ok']))
    for (let i = 0; i < 3; i++) await cancelOne()
    const args = { entryIds: waiting, charge: 'savedCard' }
    const tokens = [1, 2].map(() => scenario.call('promote_waitlist_entries', { ...args, dryRun: true }))
    const answers = await Promise.all(
      (await Promise.all(tokens)).map(({ confirmToken }) =>
        scenario.olga.answer('promote_waitlist_entries', { eventCode: scenario.event.eventCode, ...args, confirmToken }),
      ),
    )
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
    expect(cards.charged.size).toBe(3)
    expect(await stock('product:workshop')).toEqual({ sold: 3, held: 0, available: 0 })
    const again = await scenario.call('promote_waitlist_entries', args)
    expect(again.results.map(({ outcome, reason }: any) => `${outcome} ${reason}`)).toEqual(Array(3).fill('skipped promoted'))
  })

  it('detects that a charge whose response was lost has failed, and makes an offer instead', async () => {
    const [person] = await line(['unreached'], { free: 3 })
    await cancelOne()
    const done = await promote({ ...PROMOTION, count: 1 })
    expect(done.results).toMatchObject([{ outcome: 'charge_pending', amount: euros('60.00') }])
    // An entry whose card is being charged cannot be promoted or removed.
    const [entryId] = await entryIdsOf([person!])
    expect((await scenario.call('promote_waitlist_entries', { action: 'remove', entryIds: [entryId] })).results).toMatchObject([
      { outcome: 'skipped', reason: 'charge_pending' },
    ])
    expect((await promote({ ...PROMOTION, count: 1 })).results).toEqual([])
    // The hold does not expire while the charge is open.
    await scenario.world.clock.stopAt('2026-04-20T11:00:00Z')
    await scenario.world.renewTokens()
    await sweep()
    expect(await stock('product:workshop')).toEqual({ sold: 2, held: 1, available: 0 })
    // The processor no longer knows the idempotency key, so it is queried for the charge: there is none.
    cards.script = () => 'ok'
    await runDueExternalCalls(scenario)
    expect(cards.charged.size).toBe(0)
    expect(await entries('offered')).toHaveLength(1)
    expect(await rowsOf(`select status, failure_code from charges`)).toEqual([{ status: 'failed', failure_code: 'refused' }])
    expect(await stock('product:workshop')).toEqual({ sold: 2, held: 1, available: 0 })
  })

  it('leaves the entry on the waiting list with onDecline skip if the card is declined, and frees the capacity', async () => {
    await line(['declined'], { free: 3 })
    await cancelOne()
    const done = await promote({ ...PROMOTION, count: 1, onDecline: 'skip' })
    expect(done).toMatchObject({
      results: [{ outcome: 'declined', reason: 'card_declined' }],
      charged: { count: 0 },
      remaining: { waiting: 1, available: 1 },
    })
    expect(await stock('product:workshop')).toEqual({ sold: 2, held: 0, available: 1 })
    expect(await scenario.queryNumber(`select count(*)::int as figure from payments`)).toBe(0)
  })

  it('refunds a participant who cancelled while the card was charged, and frees the capacity immediately', async () => {
    const [person] = await line(['lost'], { free: 3 })
    await cancelOne()
    await promote({ ...PROMOTION, count: 1 })
    await scenario.call('edit_participant', { participantId: person, status: 'cancelled' })
    expect(await stock('product:workshop')).toEqual({ sold: 2, held: 0, available: 1 })
    cards.script = () => 'ok'
    await scenario.world.clock.stopAt('2026-04-10T11:00:00Z')
    await runDueExternalCalls(scenario)
    await runDueExternalCalls(scenario)
    expect([...cards.refunded.values()]).toMatchObject([{ amount: 6000 }])
    expect((await mails()).at(-1)).toBe('payment.refunded')
    expect(await rowsOf(`select amount::int as amount, returned::int as returned from payments`)).toEqual([
      { amount: 6000, returned: 6000 },
    ])
    expect(await rowsOf(`select amount::int as amount, provider_ref is not null as sent from refunds`)).toEqual([
      { amount: 6000, sent: true },
    ])
    expect(await stock('product:workshop')).toEqual({ sold: 2, held: 0, available: 1 })
  })

  it('refunds card payments to the card, newest first, and no more than was paid by card', async () => {
    const [person] = await line(['ok'], { free: 3 })
    await cancelOne()
    await promote({ ...PROMOTION, count: 1 })
    await scenario.call('edit_participant', { participantId: person, status: 'cancelled', credit: 'full' })
    const [{ number }] = await rowsOf(`select number from orders where participant_id = $1`, [person])
    const refund = (amount: string) => ({ kind: 'refund', method: 'original', orderNumber: number, amount: euros(amount) })
    expect(await scenario.refused('record_manual_payment', refund('60.01'))).toMatchObject({ code: 'precondition_failed' })
    expect(await scenario.call('record_manual_payment', refund('20.00'))).toMatchObject({
      refund: { method: 'card', amount: euros('20.00') },
    })
    expect(await scenario.refused('record_manual_payment', refund('40.01'))).toMatchObject({ code: 'precondition_failed' })
    expect(cards.refunded.size).toBe(0)
    await runDueExternalCalls(scenario)
    expect([...cards.refunded.values()]).toMatchObject([{ amount: 2000 }])
    expect(await rowsOf(`select balance::int as balance from orders where participant_id = $1`, [person])).toEqual([{ balance: -4000 }])
  })

  it('keeps an amount as credit if the card processor refuses to refund it', async () => {
    const [person] = await line(['lost'], { free: 3 })
    await cancelOne()
    await promote({ ...PROMOTION, count: 1 })
    await scenario.call('edit_participant', { participantId: person, status: 'cancelled' })
    cards.script = () => 'ok'
    cards.refusesRefunds = true
    await scenario.world.clock.stopAt('2026-04-10T11:00:00Z')
    await runDueExternalCalls(scenario)
    await runDueExternalCalls(scenario)
    expect(await rowsOf(`select balance::int as balance from orders where participant_id = $1`, [person])).toEqual([{ balance: -6000 }])
  })

  it('offers the spot to participants without a card or consent, and holds it until the offer expires', async () => {
    const people = await line([null, null], { free: 3 })
    await saveScriptedCard(scenario, people[1]!, 'ok', { consent: false })
    for (let i = 0; i < 2; i++) await cancelOne()
    const done = await promote({ ...PROMOTION, count: 2, offerHours: 1 })
    expect(done).toMatchObject({ offered: 2, charged: { count: 0 }, results: [{ outcome: 'offered', amount: euros('60.00') }, {}] })
    expect(cards.asked).toBe(0)
    const sentEmails = await rowsOf(`select text_body from messages m join participants p on p.email = m.to_address and p.id = any($1)`, [
      people,
    ])
    expect(sentEmails).toEqual(Array(2).fill({ text_body: expect.stringMatching(/Workshop A[^]*60\.00/) }))
    expect(await mails()).toEqual(['waitlist.offered', 'waitlist.offered'])
    await scenario.world.clock.stopAt('2026-04-10T10:59:59Z')
    await sweep()
    expect(await stock('product:workshop')).toMatchObject({ held: 2 })
    await scenario.world.clock.stopAt('2026-04-10T11:00:00Z')
    await sweep()
    expect(await stock('product:workshop')).toEqual({ sold: 1, held: 0, available: 2 })
    expect(await entries('removed')).toMatchObject([{ reason: 'offer_expired' }, { reason: 'offer_expired' }])
  })

  it('promotes entries with priority tags first, and keeps the position of an entry whose offer is withdrawn', async () => {
    for (let i = 0; i < 3; i++) await buy()
    const first = (await buy()).participant.id
    const vip = (await buy({ tags: ['vip'] })).participant.id
    const speaker = (await buy({ tags: ['speaker', 'vip'] })).participant.id
    await cancelOne()
    await cancelOne()
    const done = await promote({ target: 'product:workshop', count: 2, priorityTags: ['speaker', 'vip'] })
    expect(done.results.map(({ participantId }: any) => participantId)).toEqual([speaker, vip])
    const [entryId] = await entryIdsOf([vip])
    const withdrawn = await promote({ action: 'withdraw', entryIds: [entryId] })
    expect(withdrawn).toMatchObject({ results: [{ outcome: 'withdrawn' }], remaining: { waiting: 2, available: 1 } })
    expect((await entries('waiting')).map(({ participantId }) => participantId)).toEqual([first, vip])
    // Without priority tags, the first in line gets the offer.
    const next = await promote({ target: 'product:workshop', count: 1 })
    expect(next.results).toMatchObject([{ participantId: first, outcome: 'offered' }])
  })

  it('removes waiting list entries, and skips entries that were already removed or promoted', async () => {
    const people = await entryIdsOf(await line([null, null], { free: 3 }))
    await cancelOne()
    await promote({ target: 'product:workshop', count: 1 })
    expect((await promote({ action: 'remove', entryIds: people })).results).toMatchObject([{ outcome: 'removed' }, { outcome: 'removed' }])
    expect(await stock('product:workshop')).toEqual({ sold: 2, held: 0, available: 1 })
    const late = await promote({ entryIds: people })
    expect(late.results).toMatchObject([
      { outcome: 'skipped', reason: 'removed' },
      { outcome: 'skipped', reason: 'removed' },
    ])
  })

  it('promotes entries for free products immediately, and beyond capacity only with overrideCapacity', async () => {
    await scenario.register({ dinner: 1 })
    const { participant } = await scenario.register({ dinner: 1 }, { joinWaitlist: true })
    const [entryId] = await entryIdsOf([participant.id])
    expect((await promote({ entryIds: [entryId] })).results).toMatchObject([{ outcome: 'skipped', reason: 'no_capacity' }])
    const done = await promote({ entryIds: [entryId], overrideCapacity: true })
    expect(done).toMatchObject({ promoted: 1, results: [{ outcome: 'promoted' }] })
    expect(await mails()).toEqual(['waitlist.promoted'])
    expect(await rowsOf(`select sold, overage from inventory where key = 'product:dinner'`)).toEqual([{ sold: 2, overage: 1 }])
  })

  it('requires a card processor, a confirm token and existing entries to promote a waiting list with card charges', async () => {
    await line(['ok'], { free: 3 })
    await cancelOne()
    const processor = scenario.world.services.cards
    scenario.world.services.cards = { for: () => null, byName: () => null }
    expect(await scenario.refused('promote_waitlist_entries', { ...PROMOTION, count: 1 })).toMatchObject({
      code: 'unavailable',
      message: 'No card processor — set LANYARD_PAYMENTS_PROVIDER and STRIPE_SECRET_KEY',
    })
    scenario.world.services.cards = processor
    expect(await scenario.refused('promote_waitlist_entries', { ...PROMOTION, count: 1 })).toMatchObject({ code: 'precondition_failed' })
    expect(cards.asked).toBe(0)
    expect(await scenario.refused('promote_waitlist_entries', { target: 'product:workshpo', count: 1 })).toMatchObject({
      code: 'invalid_arguments',
    })
    expect(await scenario.refused('promote_waitlist_entries', { entryIds: ['0'.repeat(24)] })).toMatchObject({ code: 'not_found' })
  })

  it('returns the current result of the charges for a repeated idempotency key, and charges nothing twice', async () => {
    await line(['lost'], { free: 3 })
    await cancelOne()
    const args = { ...PROMOTION, count: 1, idempotencyKey: 'once' }
    const { confirmToken } = await scenario.call('promote_waitlist_entries', { ...PROMOTION, count: 1, dryRun: true })
    expect((await scenario.call('promote_waitlist_entries', { ...args, confirmToken })).results).toMatchObject([
      { outcome: 'charge_pending' },
    ])
    cards.script = () => 'ok'
    await scenario.world.clock.stopAt('2026-04-10T10:30:00Z')
    const again = await scenario.call('promote_waitlist_entries', { ...args, confirmToken })
    expect(again).toMatchObject({ promoted: 1, charged: { count: 1, amount: euros('60.00') }, results: [{ outcome: 'promoted' }] })
    expect(cards.charged.size).toBe(1)
  })
})
