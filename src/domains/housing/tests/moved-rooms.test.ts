import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { recordStatements } from '../../../../bench/servers/statements.ts'
import { createBlockAt, buildRoomAnswers } from '../../../../test/support/hotels.ts'
import { copyStay } from '../../../../test/support/many-stays.ts'
import { listStayNights } from '../stay.ts'
import { roomsStory } from './rooms-scenario.ts'

const { story, newHotel, king, nights, register, sound } = roomsStory()
const [FROM, UNTIL] = ['2026-09-01', '2026-09-04']
const query = async (text: string, values: unknown[] = []) => (await story.world.database.pool.query<any>(text, values)).rows
const move = (args: object) => story.call('move_hotel_reservations', { reason: 'The hotel closes', ...args })
const book = async (hotelId: string, more: object = {}): Promise<string> => {
  const { participant } = await register(buildRoomAnswers(hotelId, FROM, UNTIL, more))
  return (await query('select id from reservations where participant_id = $1', [participant.id]))[0].id
}
const each = (counts: number[]) => Array(3).fill(counts)

describe('move_hotel_reservations and the rooms that moved guests leave or take', () => {
  it('returns the room that a guest leaves to the hotel after its cut-off, but to the block if the block is kept longer', async () => {
    const [from, to, other] = [
      await newHotel({ roomTypes: king(9) }),
      await newHotel({ roomTypes: king(9) }),
      await newHotel({ roomTypes: king(9) }),
    ]
    const newBlock = (code: string, releaseOn: string | null) =>
      createBlockAt(story.world, story.event, {
        code,
        name: code,
        owner: { kind: 'none' },
        releaseOn,
        rooms: [{ hotelId: from, roomTypeCode: 'king', nights: listStayNights(FROM, UNTIL), rooms: 2 }],
      } as never)
    const [kept, released] = [await newBlock('kept', '2026-08-30'), await newBlock('gone', null)]
    const [plain, inKept, inReleased] = [await book(from), await book(from), await book(from)]
    await book(other)
    await move({ reservationIds: [inKept], to: { hotelId: from, blockId: kept }, notify: false })
    await move({ reservationIds: [inReleased], to: { hotelId: from, blockId: released }, notify: false })
    expect(await nights(from)).toEqual(each([9, 0, 4, 1, 0]))
    await query(`update housing_contracts set cutoff_on = '2026-01-02' where hotel_id = $1`, [from])
    expect((await move({ from: { hotelId: from }, to: { hotelId: to }, notify: false })).moved).toHaveLength(3)
    // The room of free sale and that of the released block went back to the hotel, the room of the kept block did not.
    expect(await nights(from)).toEqual(each([9, 2, 3, 0, 0]))
    const blockOf = (id: string) => query('select distinct rooms, booked from block_nights where block_id = $1', [id])
    expect([await blockOf(kept), await blockOf(released)]).toEqual([[{ rooms: 2, booked: 0 }], [{ rooms: 1, booked: 0 }]])
    expect([await nights(to), await nights(other)]).toEqual([each([9, 0, 0, 3, 0]), each([9, 0, 0, 1, 0])])
    const again = await move({ reservationIds: [plain], to: { hotelId: to }, notify: false })
    expect(again.notMoved).toMatchObject([{ reservationId: plain, reason: 'same_place' }])
    expect(await nights(to)).toEqual(each([9, 0, 0, 3, 0]))
    await sound()
  })

  it('gives a room that a moved guest leaves to a later reservation of the same call', async () => {
    const type = (code: string, rooms: number) => ({ ...king(rooms)[0]!, code, name: code })
    const hotelId = await newHotel({ roomTypes: [type('king', 2), type('twin', 2)] })
    const first = await book(hotelId)
    const second = await book(hotelId, { '@housing.roomTypeCode': 'twin', '@housing.bedType': 'king' })
    const third = await book(hotelId)
    const swap = { from: { hotelId }, to: { hotelId }, typeMap: { king: 'twin', twin: 'king' }, order: 'oldest', notify: false }
    const preview = await move({ ...swap, dryRun: true })
    const { moved, notMoved } = await move(swap)
    expect([moved.map((one: any) => one.reservationId), notMoved]).toEqual([[first, second, third], []])
    expect(preview.moved).toEqual(moved)
    expect((await nights(hotelId)).map((one) => one[3])).toEqual([1, 1, 1, 2, 2, 2])
    await sound()
  })

  it('takes rooms of overdue holds at the new hotel, but no rooms of current holds or of holds that are being charged', async () => {
    const [from, to] = [await newHotel({ roomTypes: king(3) }), await newHotel({ roomTypes: king(3) })]
    const held = [await book(to), await book(to), await book(to)]
    for (const [index, until] of ["- interval '1 hour'", "- interval '1 hour'", "+ interval '1 hour'"].entries())
      await query(
        `with s as (update reservations set status = 'held', charging = ${index === 1}, held_until = lanyard_now() ${until} where id = '${held[index]}'),
         n as (update reservation_nights set status = 'held' where reservation_id = '${held[index]}')
         update room_nights set booked = booked - 1, held = held + 1 where hotel_id = '${to}'`,
      )
    const ids = [await book(from), await book(from)]
    const preview = await move({ from: { hotelId: from }, to: { hotelId: to }, dryRun: true })
    const { moved, notMoved } = await move({ from: { hotelId: from }, to: { hotelId: to } })
    expect([moved.map((one: any) => one.reservationId), notMoved.map((one: any) => one.reason)]).toEqual([[ids[1]], ['no_rooms']])
    expect([preview.moved, preview.notMoved]).toEqual([moved, notMoved])
    expect(await nights(to)).toEqual(each([3, 0, 0, 1, 2]))
    expect(await query('select status from reservations where id = any($1) order by status', [held])).toEqual([
      { status: 'expired' },
      { status: 'held' },
      { status: 'held' },
    ])
    await sound()
  })

  it('moves a reservation without an email if neither the guest nor the guest’s host has an address', async () => {
    const [from, to] = [await newHotel({ roomTypes: king(2) }), await newHotel({ roomTypes: king(2) })]
    const [alone, guest] = [await book(from), await book(from)]
    const ownerOf = async (id: string) => (await query('select participant_id as id from reservations where id = $1', [id]))[0].id
    await query('update participants set email = null where id = $1', [await ownerOf(alone)])
    await query('update participants set email = null, host_id = $2 where id = $1', [await ownerOf(guest), await ownerOf(alone)])
    const emails = () => story.queryNumber('select count(*)::int as figure from messages')
    const before = await emails()
    expect((await move({ from: { hotelId: from }, to: { hotelId: to } })).moved).toHaveLength(2)
    expect(await emails()).toBe(before)
    await sound()
  })
})

// The embedded database has one session and no round trips to count.
describe.skipIf(!process.env['TEST_DATABASE_URL'])('a move of many reservations', () => {
  it('moves 25 reservations with as many database round trips as 2, and emails each guest', async () => {
    const recorder = recordStatements(pg.Client)
    const count = async (stays: number): Promise<number> => {
      const [from, to] = [await newHotel({ roomTypes: king(stays) }), await newHotel({ roomTypes: king(stays) })]
      const { participant } = await register(buildRoomAnswers(from, FROM, UNTIL))
      await copyStay(query, participant.id, stays - 1)
      const emails = () => story.queryNumber('select count(*)::int as figure from messages')
      const before = await emails()
      recorder.record()
      expect((await move({ from: { hotelId: from }, to: { hotelId: to } })).moved).toHaveLength(stays)
      const { roundTrips } = recorder.recorded()
      expect((await emails()) - before).toBe(stays)
      return roundTrips
    }
    // The first call fills the caches of the configuration and of the email design.
    await count(1)
    expect(await count(25)).toBe(await count(2))
  })
})
