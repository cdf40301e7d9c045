import { type Examples, euros, SUMMIT_SCOPE } from './example.ts'

export const HOTEL_CATALOG_EXAMPLES: Examples = {
  find_hotel: () => ({ ...SUMMIT_SCOPE, near: 'venue', radiusKm: 3 }),
  get_catalog_hotel: async (stage) => {
    const { hotels } = await stage.call('find_hotel', { ...SUMMIT_SCOPE, search: 'ribeira' })
    return { ...SUMMIT_SCOPE, catalogRef: hotels[0].catalogRef }
  },
  add_hotel_from_catalog: () => ({
    ...SUMMIT_SCOPE,
    name: 'Casa do Largo',
    address: { street: 'Largo do Carmo 7', postalCode: '1200-092', city: 'Lisbon', country: 'PT' },
    latitude: 38.7121,
    longitude: -9.1404,
    roomTypes: [{ code: 'king', name: 'King room', beds: ['king'], maxOccupancy: 2 }],
    contract: {
      nights: [
        {
          roomTypeCode: 'king',
          from: '2027-05-11',
          until: '2027-05-14',
          contracted: 20,
          rates: { single: euros('149.00'), double: euros('169.00') },
        },
      ],
      terms: { cutoffOn: '2027-04-12' },
    },
    dryRun: true,
  }),
}
