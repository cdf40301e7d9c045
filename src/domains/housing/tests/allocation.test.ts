import { describe, expect, it } from 'vitest'
import { listStayNights } from '../stay.ts'
import { changeAllocation } from '../allocation.ts'
import { createBlockAt, buildRoomAnswers } from '../../../../test/support/hotels.ts'
import { roomsStory } from './rooms-scenario.ts'

const { story, newHotel, king, nights, at, register, sound } = roomsStory()
const NIGHTS = listStayNights('2026-09-01', '2026-09-04')

const newBlock = async (hotelId: string, rooms: number, tag: string) =>
  createBlockAt(story.world, story.event, {
    code: `block-${tag}`,
    name: `Block of ${tag}`,
    owner: { kind: 'tag', ref: tag },
    rooms: [{ hotelId, roomTypeCode: 'king', nights: NIGHTS, rooms }],
  })

describe('changeAllocation', () => {
  it('changes the rooms of a block on all nights or none, never below the booked rooms, and partially only on request', async () => {
    const hotelId = await newHotel({ roomTypes: king(10) })
    const blockId = await newBlock(hotelId, 4, 'speaker')
    await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'), { tags: ['speaker'] })
    const change = (rooms: number, more: object = {}) =>
      at((ctx) =>
        changeAllocation(
          ctx,
          blockId,
          NIGHTS.map((night) => ({ hotelId, roomTypeCode: 'king', night, rooms })),
          more,
        ),
      )
    await expect(change(0)).rejects.toMatchObject({ code: 'precondition_failed' })
    await expect(change(11)).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: 'Only 6 of 7 rooms free at Grand, king, 2026-09-01 (also short: 2026-09-02, 2026-09-03)',
    })
    expect(await nights(hotelId)).toEqual(Array(3).fill([10, 0, 4, 0, 0]))
    expect((await change(11, { partial: true })).map(({ before, wanted, after }) => [before, wanted, after])).toEqual(
      Array(3).fill([4, 11, 10]),
    )
    expect(await nights(hotelId)).toEqual(Array(3).fill([10, 0, 10, 0, 0]))
    await change(1, { to: 'hotel' })
    expect(await nights(hotelId)).toEqual(Array(3).fill([10, 9, 1, 0, 0]))
    await sound()
  })
})
