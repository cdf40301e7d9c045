import { describe, expect, it } from 'vitest'
import { createHotelAt, buildRoomAnswers, buildRoomSections } from '../../../test/support/hotels.ts'
import { congressStory, newEmail } from './congress.ts'

const scenario = congressStory(buildRoomSections({ minNights: 2, maxNights: 5 }))

describe('get_my_registration', () => {
  it('returns the hotel room booked with the registration', async () => {
    const hotelId = await createHotelAt(scenario.world, scenario.event, { code: 'grand' })
    const email = newEmail()
    await scenario.register(
      { pass: 1 },
      { data: { '@participant.email': email, ...buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04') } },
    )
    expect((await (await scenario.signIn(email)).call('get_my_registration')).housing).toEqual([
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
