import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type HotelWaitlist, openHotelWaitlist } from '../../../../test/support/hotel-waitlist.ts'

let list: HotelWaitlist
beforeAll(async () => void (list = await openHotelWaitlist()))
afterAll(() => list.end())
beforeEach(() => list.sales.world.clock.stopAt('2026-04-10T10:00:00Z'))
afterEach(() => list.mustAddUp())

const outcomes = ({ results }: { results: { outcome: string; reason?: string }[] }) =>
  results.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome} ${reason}`))
const charges = () => list.stripe.intents.size
const euros = (amount: string) => ({ amount, currency: 'EUR' })

/** Creates a full hotel with a waiting list of people with the given cards, and then frees the given number of rooms. */
async function fullHotel(cards: readonly Parameters<HotelWaitlist['waiting']>[1][], free: number) {
  const hotelId = await list.newHotel(free)
  const guests: string[] = []
  for (let room = 0; room < free; room++) guests.push(await list.guest(hotelId))
  const line = []
  for (const card of cards) line.push(await list.waiting(hotelId, card))
  for (const guest of guests) await list.cancel(guest)
  return { hotelId, line }
}

describe('fill_hotel_waitlist', () => {
  it('gives rooms of declined cards to the next guest, holds rooms of unconfirmed charges, and offers rooms to guests without a card', async () => {
    const { hotelId, line } = await fullHotel(['succeeded', 'declined', 'silent', null, 'succeeded'], 3)
    const [first, second, third, fourth, fifth] = line as [
      (typeof line)[0],
      (typeof line)[0],
      (typeof line)[0],
      (typeof line)[0],
      (typeof line)[0],
    ]
    const before = charges()
    const args = { hotelId, onDecline: 'skip' }
    const preview = await list.sales.call('fill_hotel_waitlist', { ...args, dryRun: true })
    expect(outcomes(preview)).toEqual(['charge_pending', 'charge_pending', 'charge_pending', 'skipped no_rooms', 'skipped no_rooms'])
    expect(preview.charged).toEqual({ count: 3, amount: euros('667.89') })
    // The fifth card is charged only if an earlier one is declined and the fourth person gets no room.
    expect(preview.effects.charges).toBe(4)
    expect(await list.sales.refused('fill_hotel_waitlist', args)).toMatchObject({ code: 'precondition_failed' })
    expect(charges()).toBe(before)

    const filled = await list.sales.call('fill_hotel_waitlist', { ...args, confirmToken: preview.confirmToken })
    expect(outcomes(filled)).toEqual(['filled', 'skipped insufficient_funds', 'charge_pending', 'offered no_card', 'skipped no_rooms'])
    expect(filled).toMatchObject({ filled: 1, offered: 1, charged: { count: 1, amount: euros('222.63') }, waiting: 2 })
    expect(filled.results[0].reservation).toMatchObject({ status: 'confirmed', hotelId, ackNumber: expect.stringMatching(/^H-/) })
    expect(await list.freeSell(hotelId)).toEqual([0, 0, 0])
    expect((await list.entry(second.entryId)).status).toBe('waiting')
    expect(await list.entry(fourth.entryId)).toMatchObject({ status: 'offered', offered_until: new Date('2026-04-12T10:00:00Z') })

    // The processor finally answers that the card of the third person was charged.
    list.stripe.settings.chargeOutcome = (card) => (card === 'declined' ? 'declined' : 'succeeded')
    await list.sales.world.clock.stopAt('2026-04-10T10:10:00Z')
    await list.runDueCalls()
    expect((await list.entry(third.entryId)).status).toBe('filled')

    await list.sales.world.clock.stopAt('2026-04-12T10:00:00Z')
    await list.sweep()
    await list.sweep()
    expect(await list.entry(fourth.entryId)).toMatchObject({ status: 'removed', reason: 'offer_expired' })
    expect(await list.freeSell(hotelId)).toEqual([1, 1, 1])
    const again = await list.fill(args)
    expect(outcomes(again)).toEqual(['skipped insufficient_funds', 'filled'])
    expect(again).toMatchObject({ waiting: 1, charged: { count: 1, amount: euros('222.63') } })
    expect((await list.entry(fifth.entryId)).status).toBe('filled')

    const people = line.map(({ id }) => id)
    const deposits = await list.rows(
      `select l.total, i.number, i.balance from order_lines l join invoices i on i.id = l.invoice_id
       where l.kind = 'deposit' and l.participant_id = any($1) order by i.number`,
      [people],
    )
    expect(deposits).toMatchObject([1, 2, 3].map(() => ({ total: 22_263, balance: 0 })))
    expect(new Set(deposits.map(({ number }) => number)).size).toBe(3)
    const paid = await list.rows(`select amount from payments p join orders o on o.id = p.order_id where o.participant_id = any($1)`, [
      people,
    ])
    expect(paid.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)).toBe(66_789)
    expect(charges() - before).toBe(3)
    expect(await list.freeSell(hotelId)).toEqual([0, 0, 0])
    expect(
      await list.rows(`select guarantee_kind, guarantee_status from reservations where participant_id = $1 and status = 'confirmed'`, [
        first.id,
      ]),
    ).toEqual([{ guarantee_kind: 'deposit', guarantee_status: 'secured' }])
    expect(await list.rows(`select charge_key, status from charges where hotel_entry_id = $1 order by attempt`, [second.entryId])).toEqual([
      { charge_key: `housing:${second.entryId}:1`, status: 'failed' },
      { charge_key: `housing:${second.entryId}:2`, status: 'failed' },
    ])

    await list.sales.world.clock.stopAt('2026-08-22T10:00:00Z')
    await list.sales.world.renewTokens()
    await list.sales.call('edit_participant', {
      participantId: first.id,
      data: { '@housing.hotelId': null, '@housing.roomTypeCode': null, '@housing.checkIn': null, '@housing.checkOut': null },
    })
    const [credit] = await list.rows(
      `select i.total from invoices i join orders o on o.id = i.order_id where o.participant_id = $1 and i.kind = 'credit_note'`,
      [first.id],
    )
    expect(credit.total).toBe(11_132)
  })
})
