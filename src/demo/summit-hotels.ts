import type { NewHotel } from '../domains/housing/hotels.ts'

const nights = (rooms: number, single: number, double: number) => [
  { from: '2027-05-10', until: '2027-05-14', rooms, single, double },
  // Fewer rooms for early arrivals and late departures.
  ...['2027-05-09', '2027-05-14'].map((from) => ({
    from,
    until: from === '2027-05-09' ? '2027-05-10' : '2027-05-15',
    rooms: Math.ceil(rooms / 4),
    single,
    double,
  })),
]

const contract = { status: 'definite' as const, signedOn: '2026-09-30', cutoffOn: '2027-04-12' }

/** The two hotels of the demo's conference: an expensive one by the river and a cheaper one on the hill. */
export const SUMMIT_HOTELS: readonly NewHotel[] = [
  {
    code: 'ribeira',
    name: 'Hotel Ribeira',
    address: { street: 'Avenida do Rio 2', postalCode: '1200-109', city: 'Lisbon', country: 'PT' },
    latitude: 38.7071,
    longitude: -9.1497,
    stars: 4,
    loyaltyProgram: 'Ribeira Rewards',
    amenities: ['wifi', 'breakfast', 'gym'],
    description: 'Five minutes on foot along the river.',
    taxPercent: '6',
    feePerNight: 400,
    sellStatus: 'open',
    contract,
    roomTypes: [
      { code: 'king', name: 'King room', beds: ['king'], maxOccupancy: 2, nights: nights(60, 16900, 18900) },
      { code: 'twin', name: 'Twin room', beds: ['twin'], maxOccupancy: 2, accessible: true, nights: nights(20, 16900, 18900) },
    ],
  },
  {
    code: 'pensao-alegre',
    name: 'Pensão Alegre',
    address: { street: 'Rua da Glória 19', postalCode: '1250-114', city: 'Lisbon', country: 'PT' },
    latitude: 38.7176,
    longitude: -9.1438,
    stars: 3,
    amenities: ['wifi'],
    description: 'A quiet house up the hill, twenty minutes from the venue.',
    taxPercent: '6',
    feePerNight: 400,
    sellStatus: 'open',
    contract,
    roomTypes: [{ code: 'double', name: 'Double room', beds: ['double'], maxOccupancy: 2, nights: nights(25, 9800, 11500) }],
  },
]
