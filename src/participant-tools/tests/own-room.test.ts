import { describe, expect, it } from 'vitest'
import { hotelAt, room, withRooms } from '../../../test/support/hotels.ts'
import { congressStory, newEmail } from './congress.ts'

const story = congressStory(withRooms({ minNights: 2, maxNights: 5 }))

describe('get_my_registration', () => {
  it('returns the room booked with the registration', async () => {
    const hotelId = await hotelAt(story.world, story.event, { code: 'grand' })
    const email = newEmail()
    await story.register({ pass: 1 }, { data: { '@participant.email': email, ...room(hotelId, '2026-09-01', '2026-09-04') } })
    expect((await (await story.signIn(email)).call('get_my_registration')).housing).toEqual([
      {
        hotel: 'Grand',
        roomType: 'King room',
        checkIn: '2026-09-01',
        checkOut: '2026-09-04',
        status: 'confirmed',
        ackNumber: expect.stringMatching(/^H-\d{6}$/),
      },
    ])
  })
})
