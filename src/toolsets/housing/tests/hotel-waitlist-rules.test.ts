import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DEPOSIT, type HotelWaitlist, openHotelWaitlist } from '../../../../test/support/hotel-waitlist.ts'
import { checkIntegrity } from '../../../domains/orders/integrity/check.ts'
import { ROOM_INTEGRITY_CHECKS } from '../../../domains/orders/integrity/rooms.ts'
import { buildRoomAnswers } from '../../../../test/support/hotels.ts'
import { runGuaranteeTask } from '../../../../test/support/guarantees.ts'

let list: HotelWaitlist
beforeAll(async () => void (list = await openHotelWaitlist()))
afterAll(() => list.end())
beforeEach(async () => {
  await list.sales.world.clock.stopAt('2026-04-10T10:00:00Z')
  await list.sales.publish({ housing: { ...DEPOSIT, depositTaxCode: null } })
})
afterEach(() => list.mustAddUp())

const outcomes = ({ results }: { results: { outcome: string; reason?: string }[] }) =>
  results.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome} ${reason}`))
const euros = (amount: string) => ({ amount, currency: 'EUR' })
const chargesOf = (entryId: string) => list.rows(`select amount, currency, status from charges where hotel_entry_id = $1`, [entryId])

/** Creates a hotel with free rooms and people who joined its waiting list before. */
async function freedHotel(cards: readonly Parameters<HotelWaitlist['waiting']>[1][], free = cards.length, hotel: object = {}) {
  const hotelId = await list.newHotel(free, hotel)
  const guests: string[] = []
  for (let room = 0; room < free; room++) guests.push(await list.guest(hotelId))
  const line = []
  for (const card of cards) line.push(await list.waiting(hotelId, card))
  for (const guest of guests) await list.cancel(guest)
  return { hotelId, line }
}

describe('deposits of the waiting list', () => {
  it.each([
    ['percent', { deposit: { kind: 'percent', value: '20' } }, '138.08'],
    ['amount', { deposit: { kind: 'amount', value: '150.00' } }, '150.00'],
    ['at most the price of the stay', { deposit: { kind: 'amount', value: '5000.00' } }, '690.39'],
    ['with tax', { depositTaxCode: 'vat-20' }, '267.16'],
  ])('charges a hotel deposit by %s', async (_kind, housing, amount) => {
    await list.sales.publish({ housing: { ...DEPOSIT, ...housing } })
    const { hotelId, line } = await freedHotel(['succeeded'])
    expect(await list.fill({ hotelId })).toMatchObject({ filled: 1, charged: { count: 1, amount: euros(amount) } })
    const [line1] = await list.rows(
      `select l.total, i.balance from order_lines l join invoices i on i.id = l.invoice_id where l.kind = 'deposit' and l.participant_id = $1`,
      [line[0]!.id],
    )
    expect(line1).toEqual({ total: Number(amount.replace('.', '')), balance: 0 })
  })

  it('requires neither a charge nor a confirmToken to fill the waiting list if rooms need no guarantee', async () => {
    await list.sales.publish({ housing: { guarantee: 'none' } })
    const { hotelId, line } = await freedHotel([null, 'succeeded'])
    const filled = await list.sales.call('fill_hotel_waitlist', { hotelId })
    expect(outcomes(filled)).toEqual(['filled', 'filled'])
    expect(filled.charged).toEqual({ count: 0, amount: euros('0.00') })
    expect(await list.mails(line[0]!.id)).toContain('housing.filled')
  })

  it('checks the saved card and charges nothing if rooms are guaranteed by card', async () => {
    await list.sales.publish({ housing: { guarantee: 'card' } })
    const { hotelId, line } = await freedHotel(['succeeded', null, null, null])
    await list.saveCard(line[2]!.id, 'succeeded', { expires: '03/2026' })
    await list.saveCard(line[3]!.id, 'succeeded', { consent: false })
    const before = list.stripe.intents.size
    expect(outcomes(await list.sales.call('fill_hotel_waitlist', { hotelId }))).toEqual([
      'filled',
      'offered no_card',
      'offered card_expired',
      'offered no_card',
    ])
    expect(list.stripe.intents.size).toBe(before)
  })

  it('offers the room by default to a guest whose card is declined', async () => {
    const { hotelId, line } = await freedHotel(['declined', 'succeeded'], 1)
    expect(outcomes(await list.fill({ hotelId }))).toEqual(['offered insufficient_funds', 'skipped no_rooms'])
    expect(await list.freeSell(hotelId)).toEqual([0, 0, 0])
    expect(await list.entry(line[0]!.entryId)).toMatchObject({ status: 'offered', offered_until: new Date('2026-04-12T10:00:00Z') })
    expect((await list.mails(line[0]!.id)).filter((code) => code === 'housing.offered')).toHaveLength(1)
  })
})

describe('sequence in which the hotel waiting list is served', () => {
  it('serves the hotel waiting list by priority tags, then priority, then position, up to the given number of rooms', async () => {
    const hotelId = await list.newHotel(3)
    const guests = [await list.guest(hotelId), await list.guest(hotelId), await list.guest(hotelId)]
    const [first, high, speaker, sponsor] = [
      await list.waiting(hotelId, null),
      await list.waiting(hotelId, null),
      await list.waiting(hotelId, null, { tags: ['speaker'] }),
      await list.waiting(hotelId, null, { tags: ['vip'] }),
    ]
    await list.rows(`update hotel_waitlist_entries set priority = 5 where id = $1`, [high.entryId])
    for (const guest of guests) await list.cancel(guest)
    const ids = ({ results }: { results: { entryId: string }[] }) => results.map(({ entryId }) => entryId)
    const args = { hotelId, priorityTags: ['vip', 'speaker'] }
    expect(ids(await list.sales.call('fill_hotel_waitlist', { ...args, dryRun: true }))).toEqual(
      [sponsor, speaker, high, first].map(({ entryId }) => entryId),
    )
    expect(ids(await list.fill({ ...args, count: 2 }))).toEqual([sponsor.entryId, speaker.entryId])
    expect(outcomes(await list.fill({ entryIds: [first.entryId, sponsor.entryId] }))).toEqual(['offered no_card', 'skipped offered'])
  })

  it('offers an alternative if the first choice is full, but only rooms of the named hotel if one is named', async () => {
    const [full, other] = [await list.newHotel(1), await list.newHotel(1)]
    await list.guest(full)
    const ana = await list.waiting(full, null)
    await list.rows(`update hotel_waitlist_entries set alternatives = $2 where id = $1`, [
      ana.entryId,
      JSON.stringify([{ hotelId: other, roomTypeCode: 'king' }]),
    ])
    expect(outcomes(await list.fill({ hotelId: full }))).toEqual(['skipped no_rooms'])
    const filled = await list.fill({ entryIds: [ana.entryId] })
    expect(filled.results[0]).toMatchObject({ outcome: 'offered', reservation: { hotelId: other } })
  })
})

describe('refusals of fill_hotel_waitlist', () => {
  it('refuses unknown waiting list entries, a jobId with other arguments, and a room type without a hotel', async () => {
    const { hotelId, line } = await freedHotel([null])
    expect(await list.sales.refused('fill_hotel_waitlist', { entryIds: [hotelId] })).toMatchObject({ code: 'not_found' })
    expect(await list.sales.refused('fill_hotel_waitlist', { jobId: hotelId, count: 1 })).toMatchObject({ code: 'invalid_arguments' })
    expect(await list.sales.refused('fill_hotel_waitlist', { roomTypeCode: 'king' })).toMatchObject({ code: 'invalid_arguments' })
    expect(await list.sales.refused('fill_hotel_waitlist', { jobId: hotelId })).toMatchObject({ code: 'not_found' })
    expect(await list.entry(line[0]!.entryId)).toMatchObject({ status: 'waiting' })
  })

  it('fills the hotel waiting list after the cut-off only with useReturned, and returns released rooms to the hotel', async () => {
    const { hotelId, line } = await freedHotel([null, null], 2, { contract: { cutoffOn: '2026-04-20' } })
    await list.rows(`update room_nights set returned = contracted - allocated - booked - held where hotel_id = $1`, [hotelId])
    await list.sales.world.clock.stopAt('2026-04-21T10:00:00Z')
    await list.sales.world.renewTokens()
    expect(await list.sales.refused('fill_hotel_waitlist', { hotelId })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('useReturned'),
    })
    expect(await list.sales.refused('fill_hotel_waitlist', { entryIds: [line[0]!.entryId] })).toMatchObject({ code: 'precondition_failed' })
    expect(outcomes(await list.fill({ hotelId, useReturned: true, count: 1 }))).toEqual(['offered no_card'])
    const counts = () => list.rows(`select returned, held from room_nights where hotel_id = $1 order by night`, [hotelId])
    expect(await counts()).toEqual([1, 2, 3].map(() => ({ returned: 1, held: 1 })))
    await list.sales.callConfirmed('remove_from_hotel_waitlist', { entryIds: [line[0]!.entryId], reason: 'Found a room elsewhere' })
    expect(await counts()).toEqual([1, 2, 3].map(() => ({ returned: 2, held: 0 })))
  })

  it('requires a card processor to charge deposits of the waiting list', async () => {
    const { hotelId } = await freedHotel([null])
    const { services } = list.sales.world
    const { cards } = services
    Object.assign(services, { cards: { ...cards, for: () => null } })
    try {
      expect(await list.sales.refused('fill_hotel_waitlist', { hotelId })).toMatchObject({ code: 'unavailable' })
    } finally {
      Object.assign(services, { cards })
    }
  })
})

describe('integrity rule H9: at most one successful charge per waiting list entry', () => {
  it('refuses to charge a hotel waiting list entry twice, and reports a double charge in the integrity check', async () => {
    const { hotelId, line } = await freedHotel(['declined'], 1)
    const { entryId } = line[0]!
    expect(outcomes(await list.fill({ hotelId, onDecline: 'skip' }))).toEqual(['skipped insufficient_funds'])
    await list.rows(`update saved_cards set method_ref = 'succeeded' where participant_id = $1`, [line[0]!.id])
    expect(outcomes(await list.fill({ hotelId }))).toEqual(['filled'])
    expect(new Set((await chargesOf(entryId)).map(({ status }) => status))).toEqual(new Set(['failed', 'succeeded']))
    const succeed = `update charges set status = 'succeeded' where hotel_entry_id = '${entryId}'`
    await expect(list.rows(succeed)).rejects.toThrow('charges_once_per_hotel_entry')
    const { database } = list.sales.world
    const { tenantId, eventId } = list.sales.event
    const rollBack = new Error('rolled back')
    const work = database.transact(async (db) => {
      for (const statement of ['drop index charges_once_per_hotel_entry', succeed]) await sql.raw(statement).execute(db)
      const broken = (await checkIntegrity(db, tenantId, eventId, ROOM_INTEGRITY_CHECKS)).filter(({ ok }) => !ok)
      expect(broken).toMatchObject([{ id: 'H9', samples: [`waitlist entry ${entryId}`] }])
      throw rollBack
    })
    await expect(work).rejects.toBe(rollBack)
  })
})

describe('replacing a room from the waiting list', () => {
  it('cancels the old room without a fee in the transaction that confirms the room from the waiting list', async () => {
    await list.sales.world.clock.stopAt('2026-08-22T10:00:00Z')
    await list.sales.world.renewTokens()
    const [old, wanted] = [await list.newHotel(1), await list.newHotel(1)]
    const blocking = await list.guest(wanted)
    const ana = await list.guest(old)
    await list.sales.call('edit_participant', {
      participantId: ana,
      data: { ...buildRoomAnswers(wanted, '2026-09-01', '2026-09-04'), '@housing.waitlist': true },
    })
    await list.saveCard(ana, 'succeeded')
    await list.cancel(blocking)
    expect(outcomes(await list.fill({ hotelId: wanted }))).toEqual(['filled'])
    expect(await list.freeSell(old)).toEqual([1, 1, 1])
    const deposits = await list.rows(
      `select i.total from invoices i join orders o on o.id = i.order_id where o.participant_id = $1 and i.kind = 'credit_note'`,
      [ana],
    )
    expect(deposits).toEqual([{ total: 22_263 }])
  })
})

describe('changed wishes of guests on the hotel waiting list', () => {
  const ask = (participantId: string, hotelId: string, until: string, more: object = {}) =>
    list.sales.call('edit_participant', { participantId, data: buildRoomAnswers(hotelId, '2026-09-01', until, more) })
  const waits = { '@housing.waitlist': true }
  const entriesOf = (participantId: string) =>
    list.rows(`select check_out, occupants, status, replaces_reservation_id from hotel_waitlist_entries where participant_id = $1`, [
      participantId,
    ])
  const staysOf = (participantId: string) =>
    list.rows(`select hotel_id, check_out, occupants, status from reservations where participant_id = $1 order by created_at, id`, [
      participantId,
    ])

  it('fills the latest wish of a guest, who keeps the position on the waiting list', async () => {
    await list.sales.publish({ housing: { guarantee: 'none' } })
    const hotelId = await list.newHotel(1)
    const blocking = await list.guest(hotelId)
    const data = buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03', waits)
    const { id } = (await list.sales.register({ pass: 1 }, { data })).participant
    await list.waiting(hotelId, null)
    await ask(id, hotelId, '2026-09-04', { ...waits, '@housing.occupants': 2 })
    expect(await entriesOf(id)).toMatchObject([{ check_out: '2026-09-04', occupants: 2, status: 'waiting' }])
    await list.cancel(blocking)
    expect(outcomes(await list.fill({ hotelId }))).toEqual(['filled', 'skipped no_rooms'])
    expect(await staysOf(id)).toMatchObject([{ hotel_id: hotelId, check_out: '2026-09-04', occupants: 2, status: 'confirmed' }])
  })

  it('replaces a room that the guest booked elsewhere before asking for the waiting list again', async () => {
    await list.sales.publish({ housing: { guarantee: 'none' } })
    const [wanted, other] = [await list.newHotel(1), await list.newHotel(1)]
    const blocking = await list.guest(wanted)
    const { id } = await list.waiting(wanted, null)
    await ask(id, other, '2026-09-04', { '@housing.waitlist': false })
    await ask(id, wanted, '2026-09-04', waits)
    await list.cancel(blocking)
    expect(outcomes(await list.fill({ hotelId: wanted }))).toEqual(['filled'])
    expect(await staysOf(id)).toMatchObject([
      { hotel_id: other, status: 'cancelled' },
      { hotel_id: wanted, status: 'confirmed' },
    ])
    expect(await list.freeSell(other)).toEqual([1, 1, 1])
  })

  it('extends the stay of a guest who waits for more nights, with the missing nights only and no second deposit', async () => {
    const hotelId = await list.newHotel(1)
    const night = (from: string, until: string) => ({ '@housing.checkIn': from, '@housing.checkOut': until })
    const blocking = await list.guest(hotelId, night('2026-09-02', '2026-09-04'))
    const id = await list.guest(hotelId, night('2026-09-01', '2026-09-02'))
    await ask(id, hotelId, '2026-09-04', waits)
    expect(outcomes(await list.fill({ hotelId }))).toEqual(['skipped no_rooms'])
    await list.cancel(blocking)
    const { results, charged } = await list.fill({ hotelId })
    expect([outcomes({ results }), charged.count]).toEqual([['filled'], 0])
    expect(await staysOf(id)).toMatchObject([{ hotel_id: hotelId, check_out: '2026-09-04', status: 'confirmed' }])
    expect(await list.freeSell(hotelId)).toEqual([0, 0, 0])
    const [{ balance }] = await list.rows(`select balance from orders where participant_id = $1`, [id])
    expect(balance).toBe(112_263)
    expect(await list.mails(id)).toContain('housing.filled')
  })

  it('leaves an offered room as it is, because it is already held', async () => {
    const { hotelId, line } = await freedHotel([null])
    expect(outcomes(await list.fill({ hotelId }))).toEqual(['offered no_card'])
    await ask(line[0]!.id, hotelId, '2026-09-03', waits)
    expect(await entriesOf(line[0]!.id)).toMatchObject([{ check_out: '2026-09-04', status: 'offered' }])
  })
})

describe('remove_from_hotel_waitlist', () => {
  it('removes waiting and offered hotel waiting list entries, and skips filled entries and those being charged', async () => {
    const { hotelId, line } = await freedHotel(['succeeded', 'silent', null, null], 3)
    const [filled, pending, offered, waits] = line.map(({ entryId }) => entryId) as [string, string, string, string]
    expect(outcomes(await list.fill({ hotelId }))).toEqual(['filled', 'charge_pending', 'offered no_card', 'skipped no_rooms'])
    const removal = { entryIds: [filled, pending, offered, waits], reason: 'Event closed', notify: true }
    const preview = await list.sales.call('remove_from_hotel_waitlist', { ...removal, dryRun: true })
    expect(preview.effects).toMatchObject({ deletes: 2, recipients: 2 })
    const removed = await list.sales.callConfirmed('remove_from_hotel_waitlist', removal)
    expect(removed).toEqual({
      removed: 2,
      skipped: [
        { entryId: filled, reason: 'filled' },
        { entryId: pending, reason: 'charge_pending' },
      ],
    })
    expect(await list.freeSell(hotelId)).toEqual([1, 1, 1])
    expect(await list.mails(line[3]!.id)).toContain('hotel-waitlist-removed')
    const again = await list.sales.callConfirmed('remove_from_hotel_waitlist', { entryIds: [waits, hotelId], reason: 'x' })
    expect(again).toEqual({
      removed: 0,
      skipped: [
        { entryId: waits, reason: 'removed' },
        { entryId: hotelId, reason: 'not_found' },
      ],
    })
    expect(await list.sales.refused('remove_from_hotel_waitlist', { entryIds: [hotelId], reason: 'x' })).toMatchObject({
      code: 'not_found',
    })
    expect((await chargesOf(pending))[0].status).toBe('unknown')
  })
})

describe('remove_from_hotel_waitlist with a filled entry', () => {
  it('removes the given waiting list entries, skips one that got a room, and keeps the positions of later entries', async () => {
    await list.sales.publish({ housing: { guarantee: 'none' } })
    const { hotelId, line } = await freedHotel([null, null, null, null], 1)
    const ids = line.map(({ entryId }) => entryId)
    expect(outcomes(await list.sales.call('fill_hotel_waitlist', { hotelId, count: 1 }))).toEqual(['filled'])
    const last = await list.entry(ids[3]!)
    const removed = await list.sales.callConfirmed('remove_from_hotel_waitlist', { entryIds: ids.slice(0, 3), reason: 'Rooms elsewhere' })
    expect(removed).toEqual({ removed: 2, skipped: [{ entryId: ids[0], reason: 'filled' }] })
    expect(await list.entry(ids[3]!)).toMatchObject({ status: 'waiting', position: last.position })
  })
})

describe('rooms that become free', () => {
  it('keeps a room free after a cancellation or an expired offer, but offers it to the waiting list after an overdue guarantee', async () => {
    const { hotelId, line } = await freedHotel([null, null], 1)
    expect((await list.entry(line[0]!.entryId)).status).toBe('waiting')
    await list.fill({ hotelId })
    await list.sales.world.clock.stopAt('2026-04-12T10:00:00Z')
    await list.sweep()
    expect(await list.freeSell(hotelId)).toEqual([1, 1, 1])
    expect((await list.entry(line[1]!.entryId)).status).toBe('waiting')
    await list.guest(hotelId)
    await list.sales.world.clock.stopAt('2026-04-15T10:00:00Z')
    await list.sales.world.renewTokens()
    await runGuaranteeTask(list.sales.world)
    expect((await list.entry(line[1]!.entryId)).status).toBe('offered')
  })
})
