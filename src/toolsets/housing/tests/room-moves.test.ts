import { describe, expect, it } from 'vitest'
import { listStayNights } from '../../../domains/housing/stay.ts'
import { deposits, roomsStory } from '../../../domains/housing/tests/rooms-scenario.ts'
import { createBlockAt, buildRoomAnswers } from '../../../../test/support/hotels.ts'

const { story, newHotel, king, nights, register, sound } = roomsStory()
const [FROM, UNTIL] = ['2026-09-01', '2026-09-04']
const NIGHTS = listStayNights(FROM, UNTIL)
const REASON = 'The hotel closes'

const span = (rooms: number, single: number, from = FROM, until = UNTIL) => ({ from, until, rooms, single })
const typed = (code: string, rooms: number, single: number, more: object = {}) => ({
  code,
  name: code,
  maxOccupancy: 2,
  nights: [span(rooms, single)],
  ...more,
})
/** Books rooms at a hotel, oldest first, and returns the reservations' ids. */
async function book(hotelId: string, count: number, more: object = {}): Promise<string[]> {
  const ids: string[] = []
  for (let guest = 0; guest < count; guest++) {
    const { participant } = await register(buildRoomAnswers(hotelId, FROM, UNTIL, more))
    ids.push(await reservationOf(participant.id))
  }
  return ids
}
const reservationOf = async (participantId: string) =>
  (await story.world.database.pool.query<{ id: string }>('select id from reservations where participant_id = $1', [participantId])).rows[0]!
    .id
const read = async (id: string) => (await story.world.database.pool.query<any>('select * from reservations where id = $1', [id])).rows[0]!
const move = (args: object) => story.call('move_hotel_reservations', { reason: REASON, ...args })
const shift = (args: object) => story.call('move_hotel_inventory', { reason: REASON, nights: NIGHTS, ...args })
const free = async (hotelId: string) =>
  (await nights(hotelId)).map(([contracted, ...used]) => contracted! - used.reduce((sum, n) => sum + n))
const emailsAbout = (ids: readonly string[]) =>
  story.queryNumber(
    `select count(*)::int as figure from messages where source_kind = 'reservation' and source_id in ('${ids.join("','")}')`,
  )
const newBlock = (hotelId: string, rooms: number, code: string, more: object = {}) =>
  createBlockAt(story.world, story.event, {
    code,
    name: code,
    owner: { kind: 'none' },
    rooms: [{ hotelId, roomTypeCode: 'king', nights: NIGHTS, rooms }],
    ...more,
  })

describe('move_hotel_reservations', () => {
  it('moves each hotel reservation with all its nights or not at all, newest first', async () => {
    const from = await newHotel({ roomTypes: king(12) })
    const to = await newHotel({
      name: 'Other',
      roomTypes: king(12, {
        nights: [span(12, 20000, FROM, '2026-09-02'), span(10, 15000, '2026-09-02', '2026-09-03'), span(12, 20000, '2026-09-03', UNTIL)],
      }),
    })
    const ids = await book(from, 12)
    await story.world.database.pool.query(`update reservations set hotel_confirmation_number = 'HC' || ack_number where hotel_id = $1`, [
      from,
    ])
    const before = (await story.call('get_housing_summary', {})).totals.pickup
    const mails = await emailsAbout(ids)
    const preview = await move({ from: { hotelId: from }, to: { hotelId: to }, dryRun: true })
    const { moved, notMoved } = await move({ from: { hotelId: from }, to: { hotelId: to } })
    expect([preview.moved.length, preview.notMoved.length, preview.effects.recipients]).toEqual([10, 2, 10])
    expect(moved.map((one: any) => one.reservationId)).toEqual(ids.toReversed().slice(0, 10))
    expect(notMoved.map((one: any) => [one.reservationId, one.reason, one.detail])).toEqual(
      ids
        .slice(0, 2)
        .toReversed()
        .map((id) => [id, 'no_rooms', 'Only 0 of 1 rooms free at Other, king, 2026-09-02']),
    )
    expect((await story.call('get_housing_summary', {})).totals.pickup).toBe(before)
    expect(await nights(to)).toEqual([
      [12, 0, 0, 10, 0],
      [10, 0, 0, 10, 0],
      [12, 0, 0, 10, 0],
    ])
    expect((await nights(from)).map((one) => one[3])).toEqual([2, 2, 2])
    expect(await emailsAbout(ids)).toBe(mails + 10)
    // The lower of both rates each night: 189.00, 150.00, 189.00.
    expect(await read(ids[11]!)).toMatchObject({
      hotel_id: to,
      hotel_confirmation_number: null,
      stay_rooms: 18900 + 15000 + 18900,
      moves: 1,
    })
    expect((await read(ids[0]!)).hotel_confirmation_number).toMatch(/^HC/)
    expect(moved[0]).toMatchObject({
      before: { hotelId: from, roomTypeCode: 'king', total: { amount: '667.89' } },
      after: { hotelId: to, roomTypeCode: 'king' },
      // Each lowered night costs 39.00 less, and 12.5% tax of it: 21.2625 + 16.875 + 21.2625, rounded per night.
      stayDifference: { amount: '-43.88', currency: 'EUR' },
      cardWithheld: false,
    })
    await sound()
  })

  it("moves the participant's answers with the reservation, so that the guest can change the stay at the new hotel", async () => {
    const [from, to] = [await newHotel({ roomTypes: king(2) }), await newHotel({ roomTypes: king(2) })]
    const { participant } = await register(buildRoomAnswers(from, FROM, UNTIL))
    await move({ from: { hotelId: from }, to: { hotelId: to }, notify: false })
    await story.call('edit_participant', { participantId: participant.id, data: { '@housing.checkOut': '2026-09-03' } })
    expect(await nights(to)).toEqual([
      [2, 0, 0, 1, 0],
      [2, 0, 0, 1, 0],
      [2, 0, 0, 0, 0],
    ])
    expect(await free(from)).toEqual([2, 2, 2])
    await sound()
  })

  it('checks room size and accessibility when a stay moves, maps room types, and applies the new rate on request', async () => {
    const from = await newHotel({
      roomTypes: [typed('king', 3, 10000), typed('wide', 3, 12000, { accessible: true }), typed('loft', 3, 9000)],
    })
    const to = await newHotel({ name: 'Small', roomTypes: [typed('king', 9, 11000), typed('single', 9, 8000, { maxOccupancy: 1 })] })
    const [pair] = await book(from, 1, { '@housing.occupants': 2 })
    const [wide] = await book(from, 1, { '@housing.roomTypeCode': 'wide' })
    const [loft] = await book(from, 1, { '@housing.roomTypeCode': 'loft' })
    const moves = { from: { hotelId: from }, to: { hotelId: to }, order: 'oldest', notify: false }
    const first = await move({ ...moves, typeMap: { king: 'single', wide: 'king' }, dryRun: true })
    expect(first.notMoved.map((one: any) => [one.reservationId, one.reason])).toEqual([
      [pair, 'too_small'],
      [wide, 'not_accessible'],
      [loft, 'no_room_type'],
    ])
    expect(await story.refused('move_hotel_reservations', { ...moves, reason: REASON, typeMap: { king: 'palace' } })).toMatchObject({
      code: 'not_found',
    })
    const second = await move({ ...moves, to: { hotelId: to, roomTypeCode: 'king' }, rate: 'new', count: 1 })
    expect(second.moved).toMatchObject([
      { reservationId: pair, before: { total: { amount: '367.50' } }, after: { total: { amount: '401.25' } } },
    ])
    expect(second.moved[0].stayDifference.amount).toBe('33.75')
    const third = await move({ reservationIds: [loft, pair, '0'.repeat(24)], to: { hotelId: to, roomTypeCode: 'king' } })
    expect(third.moved.map((one: any) => one.reservationId)).toEqual([loft])
    expect((await read(loft!)).stay_rooms).toBe(3 * 9000)
    expect(third.notMoved.map((one: any) => [one.reservationId, one.reason])).toEqual([
      ['0'.repeat(24), 'not_found'],
      [pair, 'same_place'],
    ])
    await sound()
  })

  it("moves guests between free sale and a room block, and covers their guarantees if the block's owner pays", async () => {
    const hotelId = await newHotel({ roomTypes: king(6) })
    const blockId = await newBlock(hotelId, 2, 'from-sale', { paymentBy: 'master' })
    const ids = await book(hotelId, 3)
    await story.world.database.pool.query(
      `update reservations set guarantee_kind = 'card', guarantee_status = 'pending', guarantee_due_at = '2026-08-01' where id = $1`,
      [ids[0]],
    )
    const places = { from: { hotelId, roomTypeCode: 'king' }, to: { hotelId, roomTypeCode: 'king', blockId } }
    const { moved, notMoved } = await move({ ...places, order: 'oldest' })
    expect([moved.length, notMoved.length]).toEqual([2, 1])
    expect(await read(ids[0]!)).toMatchObject({ guarantee_kind: 'master', guarantee_status: 'notNeeded', stay_rooms: 3 * 18900 })
    expect(await nights(hotelId)).toEqual(Array(3).fill([6, 0, 2, 1, 0]))
    const back = await move({ from: { hotelId, blockId }, to: { hotelId } })
    expect(back.moved).toHaveLength(2)
    expect(await nights(hotelId)).toEqual(Array(3).fill([6, 0, 2, 3, 0]))
    await sound()
  })

  it('asks guests for a deposit whose rooms leave a block that its owner pays for, until they are moved back', async () => {
    const rules = { enabled: true, seeAvailability: 'exact', minNights: 2, maxNights: 5 }
    await story.publish({ housing: { ...rules, ...deposits } })
    const hotelId = await newHotel({ roomTypes: king(6) })
    const blockId = await newBlock(hotelId, 2, 'owner-pays', { paymentBy: 'master' })
    const ids = await book(hotelId, 2)
    const states = async () => {
      const { rows } = await story.world.database.pool.query(
        `select s.guarantee_kind || ' ' || s.guarantee_status || ' ' || o.balance as state from reservations s
         join orders o on o.participant_id = s.participant_id where s.id = any($1) order by s.created_at, s.id`,
        [ids],
      )
      return rows.map(({ state }) => state)
    }
    const [unpaid, covered] = ['deposit pending 112263', 'master notNeeded 90000']
    await move({ reservationIds: ids, to: { hotelId, blockId }, notify: false })
    expect(await states()).toEqual([covered, covered])
    await move({ reservationIds: [ids[0]], to: { hotelId }, notify: false })
    expect(await states()).toEqual([unpaid, covered])
    expect((await read(ids[0]!)).guarantee_due_at).toEqual(new Date('2026-04-13T10:00:00Z'))
    await move({ reservationIds: [ids[0]], to: { hotelId, blockId }, notify: false })
    expect(await states()).toEqual([covered, covered])
    await story.publish({ housing: { ...rules, guarantee: 'none', deposit: null, depositRefund: [] } })
    await sound()
  })

  it('refuses to move reservations to the same hotel, to a hotel without a signed contract, or without naming reservations', async () => {
    const from = await newHotel({ roomTypes: king(2) })
    const tentative = await newHotel({ contract: { status: 'tentative' }, roomTypes: king(2) })
    const refused = (args: object) => story.refused('move_hotel_reservations', { reason: REASON, ...args })
    expect(await refused({ from: { hotelId: from }, to: { hotelId: from } })).toMatchObject({
      code: 'invalid_arguments',
      message: 'to: is the same place as from',
    })
    expect(await refused({ from: { hotelId: from, roomTypeCode: 'king' }, to: { hotelId: from, roomTypeCode: 'king' } })).toMatchObject({
      code: 'invalid_arguments',
    })
    expect(await refused({ from: { hotelId: from }, to: { hotelId: tentative } })).toMatchObject({ code: 'precondition_failed' })
    expect(await refused({ to: { hotelId: from } })).toMatchObject({ code: 'invalid_arguments' })
    expect(await refused({ from: { hotelId: 'nowhere' }, to: { hotelId: from } })).toMatchObject({ code: 'not_found' })
    expect(await refused({ from: { hotelId: from }, to: { hotelId: from, blockId: 'nothing' } })).toMatchObject({ code: 'not_found' })
  })
})

describe('move_hotel_inventory', () => {
  const place = (hotelId: string, more: object = {}) => ({ hotelId, roomTypeCode: 'king', ...more })

  it('moves contracted rooms and their attrition base between hotels, and writes an addendum to both contracts', async () => {
    const [from, to] = [await newHotel({ roomTypes: king(10) }), await newHotel({ roomTypes: king(4) })]
    await book(from, 3)
    const { nights: changed, addenda, totalContracted } = await shift({ fromHotel: place(from), toHotel: place(to), rooms: 7 })
    expect(changed).toEqual(NIGHTS.map((night) => ({ night, fromBefore: 7, fromAfter: 0, toBefore: 4, toAfter: 11 })))
    expect(addenda).toEqual([
      { hotelId: from, number: 1, roomNights: -21 },
      { hotelId: to, number: 1, roomNights: 21 },
    ])
    expect(totalContracted.after).toBe(totalContracted.before)
    const rows = async (hotelId: string) =>
      (
        await story.world.database.pool.query('select original, base, contracted from room_nights where hotel_id = $1 order by night', [
          hotelId,
        ])
      ).rows
    expect(await rows(from)).toEqual(Array(3).fill({ original: 10, base: 3, contracted: 3 }))
    expect(await rows(to)).toEqual(Array(3).fill({ original: 4, base: 11, contracted: 11 }))
    await sound()
  })

  it('uses the rate of the nearest night for a night that the target hotel does not have', async () => {
    const from = await newHotel({ roomTypes: king(5) })
    const to = await newHotel({ roomTypes: king(1, { nights: [span(1, 11100, FROM, '2026-09-02'), span(1, 33300, '2026-09-03', UNTIL)] }) })
    await shift({ fromHotel: place(from), toHotel: place(to), rooms: 2 })
    const { rows } = await story.world.database.pool.query(
      'select contracted, rate_single::int as rate, original from room_nights where hotel_id = $1 order by night',
      [to],
    )
    // Both neighbouring nights are one night away, so the rate of the earlier one is used.
    expect(rows).toEqual([
      { contracted: 3, rate: 11100, original: 1 },
      { contracted: 2, rate: 11100, original: 0 },
      { contracted: 3, rate: 33300, original: 1 },
    ])
    const bare = await newHotel({ name: 'Bare', roomTypes: [{ code: 'king', name: 'King', maxOccupancy: 2 }] })
    expect(
      await story.refused('move_hotel_inventory', {
        reason: REASON,
        nights: NIGHTS,
        rooms: 1,
        fromHotel: place(from),
        toHotel: place(bare),
      }),
    ).toMatchObject({
      code: 'precondition_failed',
    })
    await sound()
  })

  it('moves contracted rooms between room types with an addendum, and between room pools without an addendum', async () => {
    const hotelId = await newHotel({ roomTypes: [typed('king', 8, 10000), typed('twin', 2, 9000)] })
    const [left, right] = [await newBlock(hotelId, 4, 'left'), await newBlock(hotelId, 1, 'right')]
    const pools = await shift({ fromHotel: place(hotelId, { blockId: left }), toHotel: place(hotelId, { blockId: right }), rooms: 3 })
    expect(pools).toMatchObject({ addenda: [], nights: [{ fromBefore: 4, fromAfter: 1, toBefore: 1, toAfter: 4 }, {}, {}] })
    const toSale = await shift({ fromHotel: place(hotelId, { blockId: right }), toHotel: place(hotelId), rooms: 1 })
    expect(toSale).toMatchObject({ addenda: [], nights: [{ fromBefore: 4, fromAfter: 3, toBefore: 3, toAfter: 4 }, {}, {}] })
    const types = await shift({ fromHotel: place(hotelId, { blockId: right }), toHotel: { hotelId, roomTypeCode: 'twin' }, rooms: 3 })
    expect(types.addenda).toEqual([{ hotelId, number: 1, roomNights: 0 }])
    expect(types.nights[0]).toEqual({ night: FROM, fromBefore: 3, fromAfter: 0, toBefore: 2, toAfter: 5 })
    expect(await nights(hotelId)).toEqual([...Array(3).fill([5, 0, 1, 0, 0]), ...Array(3).fill([5, 0, 0, 0, 0])])
    // A block without owner and rooms is closed.
    expect(await story.queryNumber(`select count(*)::int as figure from room_blocks where id = '${right}' and status = 'closed'`)).toBe(1)
    await sound()
  })

  it('moves rooms of all given nights or none, and never booked or held rooms', async () => {
    const [from, to] = [await newHotel({ roomTypes: king(5) }), await newHotel({ roomTypes: king(5) })]
    await book(from, 2)
    const { participant } = await register(buildRoomAnswers(from, FROM, '2026-09-03'))
    expect(participant.id).toBeDefined()
    const asked = { reason: REASON, nights: NIGHTS, rooms: 3, fromHotel: place(from), toHotel: place(to) }
    expect(await story.refused('move_hotel_inventory', asked)).toMatchObject({
      code: 'limit_exceeded',
      message: 'Only 2 of 3 rooms free at Grand, king, 2026-09-01 (also short: 2026-09-02)',
      fields: [{ path: 'rooms' }, { path: 'rooms' }],
    })
    expect(await nights(to)).toEqual(Array(3).fill([5, 0, 0, 0, 0]))
    expect(await story.call('move_hotel_inventory', { ...asked, rooms: 2, dryRun: true })).toMatchObject({ dryRun: true })
    expect(await nights(to)).toEqual(Array(3).fill([5, 0, 0, 0, 0]))
    await sound()
  })

  it('refuses to move rooms within one hotel, to tentative rooms, without a contract or past the cut-off', async () => {
    const from = await newHotel({ roomTypes: king(5) })
    const tentative = await newHotel({ contract: { status: 'tentative' }, roomTypes: king(5) })
    const gone = await newHotel({ contract: { cutoffOn: '2026-04-01' }, roomTypes: king(5) })
    const refused = (args: object) =>
      story.refused('move_hotel_inventory', { reason: REASON, nights: NIGHTS, rooms: 1, fromHotel: place(from), ...args })
    expect(await refused({ toHotel: place(from) })).toMatchObject({ code: 'invalid_arguments' })
    expect(await refused({ toHotel: place(tentative) })).toMatchObject({ code: 'precondition_failed' })
    expect(await refused({ fromHotel: place(gone), toHotel: place(from) })).toMatchObject({ code: 'precondition_failed' })
    expect(await refused({ toHotel: place(gone), fileId: '0'.repeat(24) })).toMatchObject({ code: 'not_found' })
    expect(await refused({ toHotel: place(gone), nights: [] })).toMatchObject({ code: 'invalid_arguments' })
    // Tentative rooms may become definite ones.
    expect(
      await story.call('move_hotel_inventory', {
        reason: REASON,
        nights: NIGHTS,
        rooms: 1,
        fromHotel: place(tentative),
        toHotel: place(from),
      }),
    ).toMatchObject({
      addenda: [{ roomNights: -3 }, { roomNights: 3 }],
    })
    await sound()
  })
})
