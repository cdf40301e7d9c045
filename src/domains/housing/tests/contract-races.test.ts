import { describe, expect, it } from 'vitest'
import { runHotelCutoffs } from '../../checkout/room-deadlines.ts'
import { watchRoomNightCounts } from '../../orders/integrity/watch-rooms.ts'
import { createBlockAt, buildRoomAnswers } from '../../../../test/support/hotels.ts'
import { runRecurringTask } from '../../../../test/support/room-deadlines.ts'
import { listStayNights } from '../stay.ts'
import { roomsStory } from './rooms-scenario.ts'

const { story, newHotel, king, nights, register, sound } = roomsStory()
const NIGHTS = listStayNights('2026-09-01', '2026-09-04')
const book = (hotelId: string) =>
  register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04')).then(
    () => 'booked' as const,
    (error: Error) =>
      error.message.includes('rooms free') || error.message.includes('takes no bookings') ? ('full' as const) : Promise.reject(error),
  )
const amend = (hotelId: string, more: object) => story.call('amend_contract', { hotelId, reason: 'Agreed by email', ...more })

describe('contract changes with concurrent bookings', () => {
  it('never reduces a contract below the rooms in use, and never oversells rooms', async () => {
    const hotelId = await newHotel({ roomTypes: king(12) })
    const shrink = () =>
      amend(hotelId, { nights: [{ roomTypeCode: 'king', from: '2026-09-01', until: '2026-09-04', delta: -1 }] }).then(
        () => 'shrunk' as const,
        (error: Error) => (error.message.includes('in use, cannot set') ? ('refused' as const) : Promise.reject(error)),
      )
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? book(hotelId) : shrink())))
    const [booked, shrunk] = ['booked', 'shrunk'].map((wanted) => outcomes.filter((outcome) => outcome === wanted).length)
    expect(await nights(hotelId)).toEqual(Array(3).fill([12 - shrunk!, 0, 0, booked, 0]))
    expect(booked! + shrunk!).toBe(12)
    await sound()
  })

  it('runs the cut-off of a contract once when several workers process it concurrently', async () => {
    const hotelId = await newHotel({ roomTypes: king(12), contract: { cutoffOn: '2026-08-20' } })
    await createBlockAt(story.world, story.event, {
      code: 'race',
      name: 'Race',
      owner: { kind: 'none' },
      rooms: [{ hotelId, roomTypeCode: 'king', nights: NIGHTS, rooms: 5 }],
    })
    for (let guest = 0; guest < 2; guest++) await book(hotelId)
    await story.world.clock.stopAt('2026-08-21T10:00:00Z')
    await Promise.all(Array.from({ length: 4 }, () => runRecurringTask(story.world, runHotelCutoffs)))
    await story.world.clock.stopAt('2026-04-10T10:00:00Z')
    expect(await nights(hotelId)).toEqual(Array(3).fill([12, 10, 0, 2, 0]))
    await sound()
  })
})

describe('sweep of room counters', () => {
  it('logs room counters that differ from the reservations, even if no change of rooms was recorded', async () => {
    const hotelId = await newHotel({ roomTypes: king(3) })
    const alerts = async () => {
      const before = story.world.logged.length
      await runRecurringTask(story.world, watchRoomNightCounts)
      return story.world.logged.slice(before).filter((line) => line.includes('room counters differ'))
    }
    expect(await alerts()).toEqual([])
    const alter = (change: string) =>
      story.world.database.pool.query(
        `begin; set local session_replication_role = replica; update room_nights set ${change} where hotel_id = '${hotelId}' and night = '2026-09-01'; commit`,
      )
    await alter('booked = 1')
    const [alert, ...others] = await alerts()
    expect(alert).toContain(`night ${hotelId} king 2026-09-01`)
    expect(others).toEqual([])
    await alter('booked = 0')
    expect(await alerts()).toEqual([])
  })
})
