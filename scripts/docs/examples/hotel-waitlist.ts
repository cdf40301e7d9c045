import { type Examples, registerAttendee, SUMMIT_SCOPE } from './example.ts'

/** A stay for which the hotel has too few rooms: early arrivals get only a quarter of them. */
async function joinWaitlist(stage: Parameters<Examples[string]>[0], firstName: string): Promise<void> {
  const { hotels } = await stage.call('get_housing_summary', SUMMIT_SCOPE)
  const hotelId = hotels.find(({ code }: { code: string }) => code === 'pensao-alegre').id
  const room = { '@housing.hotelId': hotelId, '@housing.roomTypeCode': 'double', '@housing.checkIn': '2027-05-09', '@housing.checkOut': '2027-05-11' }
  await stage.world.database.pool.query(`update room_nights set returned = contracted - booked - held - allocated where hotel_id = $1 and night = '2027-05-09'`, [hotelId])
  await registerAttendee(stage, firstName, 'Prado', 'Harbour Lines', { data: { ...room, '@housing.waitlist': true } })
}

export const HOTEL_WAITLIST_EXAMPLES: Examples = {
  fill_hotel_waitlist: async (stage) => {
    await joinWaitlist(stage, 'Iris')
    return { ...SUMMIT_SCOPE, hotelId: 'pensao-alegre', useReturned: true }
  },
  remove_from_hotel_waitlist: async (stage) => {
    await joinWaitlist(stage, 'Luisa')
    const { results } = await stage.call('fill_hotel_waitlist', { ...SUMMIT_SCOPE, hotelId: 'pensao-alegre', useReturned: true, dryRun: true })
    return { ...SUMMIT_SCOPE, entryIds: [results[0].entryId], reason: 'Found a room elsewhere' }
  },
}
