import { afterEach, describe, expect, it } from 'vitest'
import { createBlockAt, buildRoomAnswers } from '../../../../test/support/hotels.ts'
import { runRecurringTask } from '../../../../test/support/room-deadlines.ts'
import { changeAllocation } from '../../housing/allocation.ts'
import { listStayNights } from '../../housing/stay.ts'
import { roomsStory } from '../../housing/tests/rooms-scenario.ts'
import { runHotelCutoffs, enforceRoomBlockDeadlines } from '../room-deadlines.ts'

const { story, newHotel, king, nights, at: inEvent, register, refused, sound } = roomsStory()
const NIGHTS = listStayNights('2026-09-01', '2026-09-04')
const START = '2026-04-10T10:00:00Z'
const at = (instant: string) => story.world.clock.stopAt(instant)
const cutOff = () => runRecurringTask(story.world, runHotelCutoffs)
const watch = () => runRecurringTask(story.world, enforceRoomBlockDeadlines)

let made = 0
const newBlock = (hotelId: string, rooms: number, more: object = {}) =>
  createBlockAt(story.world, story.event, {
    code: `block-${++made}`,
    name: `Block ${made}`,
    owner: { kind: 'none' },
    rooms: [{ hotelId, roomTypeCode: 'king', nights: NIGHTS, rooms }],
    ...more,
  })
const amend = (hotelId: string, more: object) => story.call('amend_contract', { hotelId, reason: 'Agreed by email', ...more })
const blockRooms = async (blockId: string) =>
  (
    await story.world.database.pool.query<{ rooms: number }>('select rooms from block_nights where block_id = $1 order by night', [blockId])
  ).rows.map(({ rooms }) => rooms)
const emails = async (blockId: string) =>
  (
    await story.world.database.pool.query<{ line: string }>(
      `select email_code || ' ' || to_address || ' ' || subject as line from messages where source_id = $1 order by id`,
      [blockId],
    )
  ).rows.map(({ line }) => line)

afterEach(() => at(START))

describe('runHotelCutoffs', () => {
  it('returns unsold and unbooked block rooms to the hotel once, at midnight in the event time zone, and keeps reservations', async () => {
    const hotelId = await newHotel({ roomTypes: king(10), contract: { cutoffOn: '2026-08-20' } })
    const released = await newBlock(hotelId, 4, { owner: { kind: 'tag', ref: 'speaker' } })
    const kept = await newBlock(hotelId, 2, { releaseOn: '2026-08-25' })
    await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04'), { tags: ['speaker'] })
    await register(buildRoomAnswers(hotelId, '2026-09-02', '2026-09-04'))
    const before = [
      [10, 0, 6, 0, 0],
      [10, 0, 6, 1, 0],
      [10, 0, 6, 1, 0],
    ]
    // At 23:59:59 in Paris the cut-off day has not ended yet.
    await at('2026-08-20T21:59:59Z')
    await cutOff()
    expect(await nights(hotelId)).toEqual(before)
    // Control: without the recurring task nothing happens at midnight.
    await at('2026-08-20T22:00:00Z')
    expect(await nights(hotelId)).toEqual(before)
    await cutOff()
    const after = [
      [10, 7, 3, 0, 0],
      [10, 6, 3, 1, 0],
      [10, 6, 3, 1, 0],
    ]
    expect(await nights(hotelId)).toEqual(after)
    expect([await blockRooms(released), await blockRooms(kept)]).toEqual([Array(3).fill(1), Array(3).fill(2)])
    await cutOff()
    expect(await nights(hotelId)).toEqual(after)
    expect(await refused(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04'))).toMatchObject({ code: 'precondition_failed' })
    // The block with the later release date returns its rooms to the hotel, not to general sale.
    await at('2026-08-25T22:00:00Z')
    await watch()
    expect(await blockRooms(kept)).toEqual([0, 0, 0])
    expect(await nights(hotelId)).toEqual([
      [10, 9, 1, 0, 0],
      [10, 8, 1, 1, 0],
      [10, 8, 1, 1, 0],
    ])
    await sound()
  })

  it('returns no rooms to the hotel from tentative contracts, or from contracts that keep rooms after the cut-off', async () => {
    const keeps = await newHotel({ roomTypes: king(5), contract: { cutoffOn: '2026-08-20', cutoffAction: 'keep' } })
    const tentative = await newHotel({ roomTypes: king(5), contract: { cutoffOn: '2026-08-20', status: 'tentative' } })
    const block = await newBlock(keeps, 2)
    await at('2026-08-21T12:00:00Z')
    await cutOff()
    expect(await nights(keeps)).toEqual(Array(3).fill([5, 0, 2, 0, 0]))
    expect(await blockRooms(block)).toEqual([2, 2, 2])
    expect(await nights(tentative)).toEqual(Array(3).fill([5, 0, 0, 0, 0]))
  })

  it('runs a postponed hotel cut-off at its new date, and sells rooms again that an earlier run returned', async () => {
    const hotelId = await newHotel({ roomTypes: king(5), contract: { cutoffOn: '2026-08-20' } })
    await amend(hotelId, { terms: { cutoffOn: '2026-08-22' } })
    await at('2026-08-21T12:00:00Z')
    await cutOff()
    expect(await nights(hotelId)).toEqual(Array(3).fill([5, 0, 0, 0, 0]))
    await at('2026-08-23T12:00:00Z')
    await cutOff()
    expect(await nights(hotelId)).toEqual(Array(3).fill([5, 5, 0, 0, 0]))
    const again = await amend(hotelId, { terms: { cutoffOn: '2026-08-25' } })
    expect(again.nights).toHaveLength(3)
    expect(again.nights[0]).toMatchObject({ before: { returned: 5, freeSell: 0 }, after: { returned: 0, freeSell: 5 } })
    await cutOff()
    await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    await at('2026-08-26T00:00:00Z')
    await cutOff()
    expect(await nights(hotelId)).toEqual([
      [5, 4, 0, 1, 0],
      [5, 4, 0, 1, 0],
      [5, 5, 0, 0, 0],
    ])
    await sound()
  })
})

describe('runCutoffs when clocks change', () => {
  const autumn = [{ from: '2026-11-01', until: '2026-11-02', rooms: 5, single: 18900 }]

  it('runs the hotel cut-off at local midnight before and after the day on which clocks are set back', async () => {
    const saturday = await newHotel({ roomTypes: king(5, { nights: autumn }), contract: { cutoffOn: '2026-10-24' } })
    const sunday = await newHotel({ roomTypes: king(5, { nights: autumn }), contract: { cutoffOn: '2026-10-25' } })
    // Summer time ends on 2026-10-25 in Paris: midnight is 22:00 UTC before that day and 23:00 UTC after it.
    for (const [instant, returned] of [
      ['2026-10-24T21:59:00Z', [0, 0]],
      ['2026-10-24T22:00:00Z', [5, 0]],
      ['2026-10-25T22:59:00Z', [5, 0]],
      ['2026-10-25T23:00:00Z', [5, 5]],
    ] as const) {
      await at(instant)
      await cutOff()
      expect([(await nights(saturday))[0]![1], (await nights(sunday))[0]![1]]).toEqual(returned)
    }
  })
})

describe('enforceRoomBlockDeadlines', () => {
  const newGroup = async () => {
    const code = `team-${made + 1}`
    await story.call('create_managed_group', {
      code,
      name: code,
      kind: 'delegation',
      payBy: 'members',
      flowSlug: 'attendee',
      admins: [{ email: `${code}@example.org`, name: 'Greta' }],
    })
    const { rows } = await story.world.database.pool.query<{ id: string }>('select id from managed_groups where code = $1', [code])
    return { owner: { kind: 'group', ref: rows[0]!.id } as const, address: `${code}@example.org` }
  }

  it("emails the room block's owner 7 days and 1 day before the release date, and releases unbooked rooms at its end", async () => {
    const hotelId = await newHotel({ roomTypes: king(10), contract: {} })
    const { owner, address } = await newGroup()
    const blockId = await newBlock(hotelId, 4, { owner, nameDeadlineOn: '2026-07-20' })
    for (const instant of [
      '2026-07-12T12:00:00Z',
      '2026-07-13T12:00:00Z',
      '2026-07-13T13:00:00Z',
      '2026-07-15T12:00:00Z',
      '2026-07-19T12:00:00Z',
    ]) {
      await at(instant)
      await watch()
    }
    expect((await emails(blockId)).map((line) => line.split(' ').slice(0, 2))).toEqual(Array(2).fill(['block.nameDeadline', address]))
    expect(await blockRooms(blockId)).toEqual([4, 4, 4])
    await at('2026-07-20T21:59:00Z')
    await watch()
    expect(await blockRooms(blockId)).toEqual([4, 4, 4])
    await at('2026-07-20T22:00:00Z')
    for (let run = 0; run < 2; run++) await watch()
    expect(await blockRooms(blockId)).toEqual([0, 0, 0])
    // Before the hotel's cut-off, released rooms are on general sale.
    expect(await nights(hotelId)).toEqual(Array(3).fill([10, 0, 0, 0, 0]))
    expect((await emails(blockId)).map((line) => line.split(' ')[0])).toEqual([
      'block.nameDeadline',
      'block.nameDeadline',
      'block.released',
    ])
    await sound()
  })

  it('releases rooms of a room block a second time only after its release date was postponed', async () => {
    const hotelId = await newHotel({ roomTypes: king(10), contract: {} })
    // A block without an owner would be closed as soon as it is empty.
    const owner = { kind: 'tag', ref: 'speaker' } as const
    const blockId = await newBlock(hotelId, 3, { owner, nameDeadlineOn: '2026-07-20', releaseOn: '2026-07-25' })
    await at('2026-07-21T12:00:00Z')
    await watch()
    expect(await blockRooms(blockId)).toEqual([0, 0, 0])
    await inEvent((ctx) =>
      changeAllocation(
        ctx,
        blockId,
        NIGHTS.map((night) => ({ hotelId, roomTypeCode: 'king', night, rooms: 2 })),
      ),
    )
    await watch()
    expect(await blockRooms(blockId)).toEqual([2, 2, 2])
    await at('2026-07-26T12:00:00Z')
    await watch()
    expect(await blockRooms(blockId)).toEqual([0, 0, 0])
  })
})
