import { beforeAll, describe, expect, it } from 'vitest'
import { buildRoomAnswers, buildRoomSections } from '../../../../test/support/hotels.ts'
import { listStayNights } from '../stay.ts'
import { roomsStory } from './rooms-scenario.ts'

const { story, newHotel, king, nights, register, sound } = roomsStory()
const [FROM, UNTIL] = ['2026-09-01', '2026-09-04']
const GUESTS = 30
const GUESTS_WITH_CARD = 9

/** Story 5 of the specification: a hotel closes, and its guests are moved. */
describe('move_hotel_reservations and move_hotel_inventory', () => {
  let [a, b] = ['', '']
  const summary = async () => (await story.call('get_housing_summary', {})).totals
  const emails = () =>
    story.queryNumber(`select count(*)::int as figure from messages where source_kind = 'reservation' and email_code = 'housing.confirmed'`)

  beforeAll(async () => {
    a = await newHotel({ name: 'A', roomTypes: king(28) })
    b = await newHotel({ name: 'B', roomTypes: king(40) })
    for (let guest = 0; guest < GUESTS; guest++) await register(buildRoomAnswers(b, FROM, UNTIL))
    // As if nine guests had saved a card: cards reach a hotel only through the processor.
    await story.world.database.pool.query(
      `update reservations set guarantee_kind = 'card', guarantee_status = 'secured'
       where id in (select id from reservations where hotel_id = $1 order by created_at desc limit ${GUESTS_WITH_CARD})`,
      [b],
    )
    await story.publish({ housing: { ...buildRoomSections().housing, guarantee: 'card' } })
  })

  it('moves 28 of 30 guests to another hotel, then ten unbooked rooms, then the remaining two guests', async () => {
    const before = await summary()
    const mailed = await emails()
    await story.world.database.pool.query(`update event_hotels set sell_status = 'closed' where id = $1`, [b])
    const places = { from: { hotelId: b }, to: { hotelId: a }, reason: 'Hotel B closes' }
    const first = await story.call('move_hotel_reservations', places)
    expect([first.moved.length, first.notMoved.map((one: any) => one.reason)]).toEqual([28, ['no_rooms', 'no_rooms']])
    const inventory = await story.call('move_hotel_inventory', {
      fromHotel: { hotelId: b, roomTypeCode: 'king' },
      toHotel: { hotelId: a, roomTypeCode: 'king' },
      nights: listStayNights(FROM, UNTIL),
      rooms: 10,
      reason: 'Hotel B closes',
    })
    expect(inventory.nights.map((one: any) => [one.fromBefore, one.fromAfter, one.toBefore, one.toAfter])).toEqual(
      Array(3).fill([38, 28, 0, 10]),
    )
    expect(inventory.addenda.map((one: any) => one.roomNights)).toEqual([-30, 30])
    const second = await story.call('move_hotel_reservations', places)
    expect([second.moved.length, second.notMoved.length]).toEqual([2, 0])
    expect((await story.call('move_hotel_reservations', places)).moved).toEqual([])
    const after = await summary()
    expect([after.contracted, after.pickup]).toEqual([before.contracted, before.pickup])
    expect(inventory.totalContracted).toEqual({ before: 204, after: 204 })
    expect(await nights(a)).toEqual(Array(3).fill([38, 0, 0, 30, 0]))
    expect(await nights(b)).toEqual(Array(3).fill([30, 0, 0, 0, 0]))
    expect((await emails()) - mailed).toBe(GUESTS)
    expect(first.cardsWithheld + second.cardsWithheld).toBe(GUESTS_WITH_CARD)
    await sound()
  })

  it('withholds nine guest payment cards from the new hotel until two people override the PCI requirement', async () => {
    const waiting = async () =>
      (await story.call('list_hotel_pci_records', { hotelId: a })).records.map((one: any) => [one.status, one.cardsWaiting])
    expect(await waiting()).toEqual([['missing', GUESTS_WITH_CARD]])
    const grant = { hotelId: a, action: 'grant', reason: 'The attestation is on its way by courier', until: '2026-06-01' }
    expect((await story.call('override_hotel_pci_aoc', grant)).cardsReleased).toBe(0)
    expect(await waiting()).toEqual([['missing', GUESTS_WITH_CARD]])
    const second = await story.world.organizer({ at: story.event })
    const granted = await second.call('override_hotel_pci_aoc', { eventCode: story.event.eventCode, ...grant })
    expect(granted.cardsReleased).toBe(GUESTS_WITH_CARD)
    expect(await waiting()).toEqual([['missing', 0]])
    expect(
      await story.queryNumber(
        `select count(*)::int as figure from audit_entries where tool = 'override_hotel_pci_aoc' and targets::text like '%courier%'`,
      ),
    ).toBe(2)
  })
})

describe('stays at a closed hotel', () => {
  it('lets guests of a closed hotel shorten their stay, but not extend it', async () => {
    const hotelId = await newHotel({ name: 'Closing', roomTypes: king(5, { code: 'king' }) })
    const { participant } = await register(buildRoomAnswers(hotelId, FROM, '2026-09-03'))
    const edit = { participantId: participant.id }
    const to = (checkIn: string, checkOut: string) => ({ data: { '@housing.checkIn': checkIn, '@housing.checkOut': checkOut } })
    await story.call('edit_participant', { ...edit, ...to(FROM, UNTIL) })
    await story.world.database.pool.query(`update event_hotels set sell_status = 'closed' where id = $1`, [hotelId])
    await story.call('edit_participant', { ...edit, ...to(FROM, '2026-09-03') })
    expect((await nights(hotelId)).map((one) => one[3])).toEqual([1, 1, 0])
    for (const [checkIn, checkOut] of [
      [FROM, UNTIL],
      ['2026-09-02', UNTIL],
    ] as const)
      expect(await story.refused('edit_participant', { ...edit, ...to(checkIn, checkOut) })).toMatchObject({
        code: 'precondition_failed',
        message: 'Closing is not open for this change',
      })
    expect((await nights(hotelId)).map((one) => one[3])).toEqual([1, 1, 0])
    await story.call('edit_participant', { ...edit, data: { '@housing.requests': 'A quiet room' } })
    await sound()
  })
})
