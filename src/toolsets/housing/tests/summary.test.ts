import { describe, expect, it } from 'vitest'
import { nightsOf } from '../../../domains/housing/stay.ts'
import { roomsStory } from '../../../domains/housing/tests/rooms-scenario.ts'
import { createBlockAt, roomAnswer } from '../../../../test/support/hotels.ts'

const { story, newHotel, king, register, sound } = roomsStory()
const NIGHTS = nightsOf('2026-09-01', '2026-09-04')

const newBlock = async (hotelId: string, rooms: number, tag: string) =>
  createBlockAt(story.world, story.event, {
    code: `block-${tag}`,
    name: `Block of ${tag}`,
    owner: { kind: 'tag', ref: tag },
    rooms: [{ hotelId, roomTypeCode: 'king', nights: NIGHTS, rooms }],
  })

describe('housing summary', () => {
  it('has the same totals in every grouping', async () => {
    const hotelId = await newHotel({
      roomTypes: king(50, { nights: [{ from: '2026-09-01', until: '2026-09-05', rooms: 50, single: 18900 }] }),
    })
    await newBlock(hotelId, 12, 'speaker')
    for (let guest = 0; guest < 3; guest++)
      await register(roomAnswer(hotelId, '2026-09-01', '2026-09-04'), { tags: guest === 0 ? ['speaker'] : [] })
    const summaries = []
    for (const groupBy of ['hotel', 'night', 'roomType', 'block']) {
      const { totals, rows } = await story.call('get_housing_summary', { groupBy, hotelId })
      for (const figure of ['contracted', 'returned', 'allocated', 'pickup', 'held', 'freeSell'])
        expect(rows.reduce((sum: number, row: Record<string, number>) => sum + row[figure]!, 0)).toBe(totals[figure])
      summaries.push(totals)
    }
    for (const totals of summaries)
      expect(totals).toEqual({
        contracted: 200,
        returned: 0,
        allocated: 36,
        pickup: 9,
        held: 0,
        freeSell: 158,
        pickupPercent: 4.5,
        peakNight: '2026-09-01',
      })
    await sound()
  })
})
