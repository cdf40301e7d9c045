import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { hotelIdOf, openRooms } from './housing.ts'
import { storeSheetFile } from './imports.ts'
import { event } from './registration.ts'

const euro = (amount: string) => ({ amount, currency: 'EUR' })

/** A hotel of the stage's own, in no catalog. */
const typedHotel = (stage: Stage) => ({
  ...event(stage),
  name: `Pension ${stage.text()}`,
  address: { street: 'Rue Piaf 3', postalCode: '75020', city: 'Paris', country: 'FR' },
})

export const HOTEL_CATALOG_EXAMPLES: Examples = {
  find_hotel: [
    async (stage) => {
      await openRooms(stage)
      return { ...event(stage), near: 'venue', radiusKm: 10 }
    },
    async (stage) => {
      await openRooms(stage)
      return { ...event(stage), search: 'house', source: 'local' }
    },
  ],
  get_catalog_hotel: [
    async (stage) => {
      await openRooms(stage)
      return { ...event(stage), catalogRef: `own:${await hotelIdOf(stage, 'house-0')}` }
    },
  ],
  add_hotel_from_catalog: [
    async (stage) => ({
      ...typedHotel(stage),
      latitude: 48.9,
      longitude: 2.4,
      roomTypes: [{ code: 'king', name: 'King room', beds: ['king'], maxOccupancy: 2 }],
      contract: {
        nights: [{ roomTypeCode: 'king', from: '2027-05-10', until: '2027-05-13', contracted: 20, rates: { single: euro('189.00') } }],
        terms: { cutoffOn: '2027-04-12' },
        status: 'definite',
        fileId: await storeSheetFile(stage, 'name\nContract\n'),
      },
      contacts: [{ name: 'Heidi', email: 'heidi@hotel.example' }],
      taxPercent: 12.5,
      feePerNight: euro('10.00'),
    }),
    typedHotel,
  ],
}
