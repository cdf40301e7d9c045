import { beforeEach, describe, expect, it } from 'vitest'
import { saveScriptedCard } from '../../../../test/support/scripted-cards.ts'
import { WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'
import { euros, workshop, RISING_PRICE, waitlistScenario } from './waitlist-scenario.ts'

const { story: scenario, open, stock, rowsOf, entries, sweep, promote, buy, entryIdsOf, accept, decline } = waitlistScenario()

describe('waitlisted registrations', () => {
  beforeEach(() =>
    open(
      workshop(3, {
        flows: [{ ...WORKED_EXAMPLE.flows[0]!, capacity: 1, waitlist: true }],
      }),
    ),
  )

  it('submits the stored answers of a promoted participant at the current price, and charges the card', async () => {
    const { participant: seated } = await scenario.register({})
    const { participant } = await scenario.register(
      { pass: 1, workshop: 1 },
      { joinWaitlist: true, data: { '@participant.company': 'Acme' } },
    )
    expect(participant.status).toBe('waitlisted')
    await saveScriptedCard(scenario, participant.id, 'ok')
    await scenario.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
    const done = await promote({ target: 'flow:attendee', count: 1, charge: 'savedCard' })
    expect(done).toMatchObject({ promoted: 1, charged: { count: 1, amount: euros('960.00') }, remaining: { waiting: 0, available: 0 } })
    expect(
      await rowsOf(`select status, company, confirmation_number is not null as numbered from participants where id = $1`, [participant.id]),
    ).toEqual([{ status: 'complete', company: 'Acme', numbered: true }])
    expect(
      await rowsOf(`select total::int as total, balance::int as balance from orders where participant_id = $1`, [participant.id]),
    ).toEqual([{ total: 96_000, balance: 0 }])
    expect(await stock('flow:attendee')).toEqual({ sold: 1, held: 0, available: 0 })
  })

  it('keeps a whole registration on the waiting list while one of its products is sold out', async () => {
    const { participant: seated } = await scenario.register({ dinner: 1 })
    const { participant } = await scenario.register({ dinner: 1, workshop: 1 }, { joinWaitlist: true })
    await scenario.call('edit_participant', { participantId: seated.id, data: { '@product.dinner': 1 }, overrideCapacity: true })
    await scenario.publish({ flows: [{ ...WORKED_EXAMPLE.flows[0]!, capacity: 2, waitlist: true }] })
    const done = await promote({ target: 'flow:attendee', count: 1 })
    expect(done.results).toMatchObject([{ outcome: 'offered', amount: euros('60.00') }])
    expect(await stock('product:dinner')).toMatchObject({ held: 0 })
    expect(await rowsOf(`select status from participants where id = $1`, [participant.id])).toEqual([{ status: 'waitlisted' }])
    const { invoice } = await accept(done.results[0].entryId)
    expect(invoice?.total).toBe(6000)
    expect(await rowsOf(`select status from participants where id = $1`, [participant.id])).toEqual([{ status: 'complete' }])
    expect(await rowsOf(`select target from waitlist_entries where participant_id = $1 and status = 'waiting'`, [participant.id])).toEqual([
      { target: 'product:dinner' },
    ])
  })
})

describe('waiting list entries of participants whose discount code has expired', () => {
  const discounts = [{ code: 'early', name: 'Early', kind: 'percent', value: '10', until: '2026-04-15' }]
  const WITH_CODE = { joinWaitlist: true, data: { '@discount.code': 'early' } }
  const passTime = async () => {
    await scenario.world.clock.stopAt('2026-04-20T11:00:00Z')
    await scenario.world.renewTokens()
  }

  it('promotes a registration without its expired discount code, at the full price', async () => {
    await open(workshop(3, { discounts, flows: [{ ...WORKED_EXAMPLE.flows[0]!, capacity: 1, waitlist: true }] }))
    const { participant: seated } = await scenario.register({})
    const { participant } = await scenario.register({ pass: 1 }, WITH_CODE)
    await scenario.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
    await passTime()
    const { results } = await promote({ target: 'flow:attendee', count: 1 })
    expect(results).toMatchObject([{ outcome: 'offered', amount: euros('900.00') }])
    expect((await accept(results[0].entryId)).invoice?.total).toBe(90_000)
    expect(await rowsOf(`select status, discount_code from participants where id = $1`, [participant.id])).toEqual([
      { status: 'complete', discount_code: null },
    ])
  })

  it('sells a product from the waiting list to a complete participant without the expired discount code', async () => {
    await open(workshop(1, { discounts }))
    const { participant: seated } = await scenario.register({ workshop: 1 })
    const { participant } = await scenario.register({ pass: 1, workshop: 1 }, WITH_CODE)
    expect(participant.status).toBe('complete')
    await scenario.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
    await passTime()
    const { results } = await promote({ target: 'product:workshop', count: 1 })
    expect(results).toMatchObject([{ outcome: 'offered', amount: euros('60.00') }])
  })
})

describe('waitlisted registrations that leave the waiting list', () => {
  beforeEach(() => open(workshop(3, { flows: [{ ...WORKED_EXAMPLE.flows[0]!, capacity: 1, waitlist: true }] })))

  const statusOf = async (id: string) => (await rowsOf(`select status from participants where id = $1`, [id]))[0].status
  const waitingForAPlace = async () => {
    const { participant: seated } = await scenario.register({ pass: 1 })
    const { participant } = await scenario.register({ pass: 1 }, { joinWaitlist: true })
    expect(await statusOf(participant.id)).toBe('waitlisted')
    await scenario.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
    return participant.id as string
  }

  it('returns a registration to incomplete when its offer expires, after which it can be completed', async () => {
    const id = await waitingForAPlace()
    await promote({ entryIds: await entryIdsOf([id]), offerHours: 1 })
    await scenario.world.clock.stopAt('2026-04-10T12:30:00Z')
    await scenario.world.renewTokens()
    await sweep()
    expect(await entries('removed')).toMatchObject([{ participantId: id, reason: 'offer_expired' }])
    expect(await statusOf(id)).toBe('incomplete')
  })

  it('returns a registration to incomplete when its waiting list offer is declined', async () => {
    const id = await waitingForAPlace()
    const [entryId] = await entryIdsOf([id])
    await promote({ entryIds: [entryId] })
    await decline(entryId!)
    expect(await statusOf(id)).toBe('incomplete')
  })

  it('does not complete a waitlisted registration with edit_participant, and keeps an open offer', async () => {
    const id = await waitingForAPlace()
    const [entryId] = await entryIdsOf([id])
    const refused = { code: 'precondition_failed', message: expect.stringContaining('promote_waitlist_entries') }
    const tries = [{}, { overrideCapacity: true }, { data: { '@participant.company': 'Acme' } }, { dryRun: true }]
    for (const hasOffer of [false, true]) {
      if (hasOffer) await promote({ entryIds: [entryId] })
      for (const more of tries)
        expect(await scenario.refused('edit_participant', { participantId: id, status: 'complete', ...more })).toMatchObject(refused)
      expect(await statusOf(id)).toBe('waitlisted')
    }
    expect(await entries('offered')).toMatchObject([{ participantId: id }])
    // The participant accepts the offer; then an edit finds the registration complete.
    await accept(entryId!)
    expect(await scenario.call('edit_participant', { participantId: id, status: 'complete' })).toMatchObject({ changed: [] })
  })

  it('completes a waitlisted registration whose offer the organizer accepts, once and at the offered price', async () => {
    const { participant: seated } = await scenario.register({ pass: 1 })
    const { participant } = await scenario.register({ pass: 1 }, { joinWaitlist: true })
    const entryIds = await entryIdsOf([participant.id])
    const accepting = { action: 'accept', entryIds }
    expect((await promote(accepting)).results).toMatchObject([{ outcome: 'skipped', reason: 'waiting' }])
    await scenario.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
    await promote({ entryIds })
    expect(await promote({ ...accepting, dryRun: true })).toMatchObject({ promoted: 1 })
    expect(await statusOf(participant.id)).toBe('waitlisted')
    // A concurrent call is refused if its dry run is outdated, or skips the offer.
    const both = await Promise.allSettled([promote(accepting), promote(accepting)])
    const results = both.flatMap((one) => (one.status === 'fulfilled' ? one.value.results : []))
    const [done, ...others] = results.filter(({ outcome }: any) => outcome === 'promoted')
    expect([others, await statusOf(participant.id)]).toEqual([[], 'complete'])
    expect(done).toMatchObject({ amount: euros('900.00'), invoiceNumber: expect.stringMatching(/^INV-/) })
    expect(await stock('flow:attendee')).toEqual({ sold: 1, held: 0, available: 0 })
    expect((await promote(accepting)).results).toMatchObject([{ outcome: 'skipped', reason: 'promoted' }])
  })

  it('returns a registration to incomplete when its waiting list entry is removed', async () => {
    const id = await waitingForAPlace()
    await promote({ action: 'remove', entryIds: await entryIdsOf([id]) })
    expect(await statusOf(id)).toBe('incomplete')
  })
})

describe('waiting list offers', () => {
  beforeEach(() =>
    open(
      workshop(3, {
        products: [WORKED_EXAMPLE.products[0]!, { ...RISING_PRICE, capacity: 1, waitlist: true }, WORKED_EXAMPLE.products[2]!],
      }),
    ),
  )

  it('accepts a waiting list offer at its price, and only until it expires', async () => {
    const { participant: seated } = await buy()
    const people = [(await buy()).participant.id, (await buy()).participant.id]
    await scenario.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
    const [first, second] = await entryIdsOf(people)
    expect((await promote({ entryIds: [first], offerHours: 24 })).results).toMatchObject([{ outcome: 'offered', amount: euros('60.00') }])
    // The price rises at midnight; the offer lasts until ten.
    await scenario.world.clock.stopAt('2026-04-11T08:00:00Z')
    await scenario.world.renewTokens()
    const { invoice } = await accept(first!)
    expect(invoice?.total).toBe(6000)
    expect(await stock('product:workshop')).toEqual({ sold: 1, held: 0, available: 0 })
    await expect(accept(first!)).rejects.toThrow('This offer is no longer open: it is promoted')

    await scenario.call('edit_participant', { participantId: people[0], status: 'cancelled' })
    expect((await promote({ entryIds: [second], offerHours: 24 })).results).toMatchObject([{ outcome: 'offered', amount: euros('84.00') }])
    await scenario.world.clock.stopAt('2026-04-12T08:00:00Z')
    await expect(accept(second!)).rejects.toThrow('This offer expired at 2026-04-12T08:00:00.000Z')
    // The capacity is available immediately after expiry, before any sweep.
    await scenario.world.renewTokens()
    await scenario.register({ workshop: 1 })
    expect(await entries('removed')).toMatchObject([{ reason: 'offer_expired' }])
  })

  /** A participant with an offer for the only seat of the workshop. */
  const offeredSeat = async () => {
    const { participant: seated } = await buy()
    const { participant } = await buy()
    await scenario.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
    const [entryId] = await entryIdsOf([participant.id])
    await promote({ entryIds: [entryId], offerHours: 48 })
    expect(await stock('product:workshop')).toEqual({ sold: 0, held: 1, available: 0 })
    return { participantId: participant.id as string, entryId: entryId! }
  }
  const SEAT = { data: { '@product.workshop': 1 } }

  it.each([false, true])(
    'sells an offered seat to its holder by edit_participant at the offered price, with overrideCapacity %s',
    async (overrideCapacity) => {
      const { participantId } = await offeredSeat()
      await scenario.world.clock.stopAt('2026-04-11T08:00:00Z')
      await scenario.world.renewTokens()
      const other = await scenario.register({})
      expect(await scenario.refused('edit_participant', { participantId: other.participant.id, ...SEAT })).toMatchObject({
        code: 'precondition_failed',
      })
      const done = await scenario.call('edit_participant', { participantId, ...SEAT, overrideCapacity })
      expect(done).toMatchObject({ changed: ['products'], money: { invoice: { total: euros('60.00') } } })
      expect(await stock('product:workshop')).toEqual({ sold: 1, held: 0, available: 0 })
      expect(await entries('promoted')).toMatchObject([{ participantId }])
      expect(await scenario.call('edit_participant', { participantId, ...SEAT, overrideCapacity })).toMatchObject({ changed: [] })
    },
  )

  it('rejects an expired offer for a product, and accepts an open offer that is selected by its product', async () => {
    const { participant: seated } = await buy()
    const person = (await buy()).participant.id
    await scenario.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
    const [entryId] = await entryIdsOf([person])
    await promote({ entryIds: [entryId], offerHours: 24 })
    await scenario.world.clock.stopAt('2026-04-12T08:00:00Z')
    await scenario.world.renewTokens()
    const late = await promote({ action: 'accept', entryIds: [entryId] })
    expect(late.results).toMatchObject([{ outcome: 'skipped', reason: expect.stringContaining('expired') }])
    expect(await stock('product:workshop')).toMatchObject({ sold: 0 })
    await promote({ action: 'withdraw', entryIds: [entryId] })
    await promote({ entryIds: [entryId] })
    const accepted = await promote({ action: 'accept', target: 'product:workshop', count: 5 })
    expect(accepted).toMatchObject({ promoted: 1, results: [{ entryId, outcome: 'promoted' }] })
    expect(await stock('product:workshop')).toEqual({ sold: 1, held: 0, available: 0 })
  })

  it('sells an offered seat once if the holder accepts and an organizer sells it concurrently', async () => {
    const { participantId, entryId } = await offeredSeat()
    const edit = { eventCode: scenario.event.eventCode, participantId, ...SEAT }
    await Promise.all([
      accept(entryId).catch((error: Error) => expect(error.message).toContain('no longer open')),
      scenario.olga.answer('edit_participant', edit),
      scenario.olga.answer('edit_participant', edit),
    ])
    expect(await stock('product:workshop')).toEqual({ sold: 1, held: 0, available: 0 })
    expect(await rowsOf(`select sum(quantity)::int as seats from order_lines where participant_id = $1`, [participantId])).toEqual([
      { seats: 1 },
    ])
    expect(await entries('promoted')).toHaveLength(1)
  })

  it('removes a participant from the waiting list who gets the product beyond its capacity', async () => {
    await buy()
    const { participant: waiting } = await buy()
    await scenario.call('edit_participant', { participantId: waiting.id, ...SEAT, overrideCapacity: true })
    expect(await stock('product:workshop')).toEqual({ sold: 2, held: 0, available: 0 })
    expect(await entries('promoted')).toMatchObject([{ participantId: waiting.id }])
    expect(await entries('waiting')).toEqual([])
  })

  it('treats an expired offer as no offer, so that the seat is sold at the current price from the free capacity', async () => {
    const { participantId } = await offeredSeat()
    await scenario.world.clock.stopAt('2026-04-12T10:00:00Z')
    await scenario.world.renewTokens()
    const done = await scenario.call('edit_participant', { participantId, ...SEAT })
    expect(done.money).toMatchObject({ invoice: { total: euros('84.00') } })
    expect(await entries('removed')).toMatchObject([{ reason: 'offer_expired' }])
    expect(await stock('product:workshop')).toEqual({ sold: 1, held: 0, available: 0 })
  })

  it('frees the seat of a declined offer for the next in line', async () => {
    const { entryId } = await offeredSeat()
    await decline(entryId)
    expect(await stock('product:workshop')).toEqual({ sold: 0, held: 0, available: 1 })
    expect(await entries('removed')).toMatchObject([{ reason: 'declined' }])
    await expect(accept(entryId)).rejects.toThrow('This offer is no longer open: it is declined')
    await buy()
    expect(await stock('product:workshop')).toMatchObject({ sold: 1 })
  })

  it('keeps a price that was promised when the participant joined the waiting list', async () => {
    const { participant: seated } = await buy()
    const [entryId] = await entryIdsOf([(await buy()).participant.id])
    await scenario.world.database.pool.query(`update waitlist_entries set priced_at = lanyard_now()`)
    await scenario.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
    await scenario.world.clock.stopAt('2026-04-20T10:00:00Z')
    await scenario.world.renewTokens()
    expect((await promote({ entryIds: [entryId] })).results).toMatchObject([{ amount: euros('60.00') }])
  })
})
