import type { NewBlock } from '../domains/housing/blocks.ts'
import type { NewHotel } from '../domains/housing/hotels.ts'
import { listStayNights } from '../domains/housing/stay.ts'

const nights = (rooms: number, single: number, double: number) => [
  { from: '2027-05-10', until: '2027-05-14', rooms, single, double },
  // Fewer rooms are held for early arrivals and late departures.
  ...['2027-05-09', '2027-05-14'].map((from) => ({
    from,
    until: from === '2027-05-09' ? '2027-05-10' : '2027-05-15',
    rooms: Math.ceil(rooms / 4),
    single,
    double,
  })),
]

const contract = { status: 'definite' as const, signedOn: '2026-09-30', cutoffOn: '2027-04-12' }

/** The code of the hotel beside the venue. */
export const SPEAKER_HOTEL_CODE = 'miradouro'

/** The four hotels of the demo's conference: two by the river, a small one on the hill, and the speakers' hotel beside the venue. */
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
    roomTypes: [
      { code: 'double', name: 'Double room', beds: ['double'], maxOccupancy: 2, nights: nights(25, 9800, 11500) },
      // One room with the best view of the hill. It is booked immediately and has a waiting list.
      { code: 'attic', name: 'Attic room with terrace', beds: ['double'], maxOccupancy: 2, nights: nights(1, 12500, 13900) },
    ],
  },
  {
    code: SPEAKER_HOTEL_CODE,
    name: 'Hotel Miradouro do Rio',
    address: { street: 'Avenida do Rio 14', postalCode: '1200-110', city: 'Lisbon', country: 'PT' },
    latitude: 38.7062,
    longitude: -9.1449,
    stars: 5,
    brand: 'Miradouro',
    amenities: ['wifi', 'breakfast', 'gym', 'pool'],
    description: 'Next door to the venue, with a terrace over the river. The speakers stay here.',
    taxPercent: '6',
    feePerNight: 400,
    sellStatus: 'open',
    contract: {
      ...contract,
      attrition: { method: 'cumulative', commitPercent: 80, profitPercent: 75, creditResold: true },
      compPer: 50,
      rebatePerRoomNight: 500,
    },
    roomTypes: [{ code: 'king', name: 'King room, river view', beds: ['king'], maxOccupancy: 2, nights: nights(40, 22900, 24900) }],
  },
  {
    code: 'estacao',
    name: 'Estação Central Inn',
    address: { street: 'Praça da Estação 3', postalCode: '1100-105', city: 'Lisbon', country: 'PT' },
    latitude: 38.7142,
    longitude: -9.1228,
    stars: 3,
    brand: 'Central Inn',
    amenities: ['wifi', 'parking'],
    description: 'By the railway station, two stops on the metro from the venue.',
    taxPercent: '6',
    feePerNight: 400,
    sellStatus: 'open',
    contract: { ...contract, attrition: { method: 'nightly', commitPercent: 70, profitPercent: 100, creditResold: true } },
    roomTypes: [
      { code: 'double', name: 'Double room', beds: ['double'], maxOccupancy: 2, nights: nights(30, 11900, 13500) },
      { code: 'family', name: 'Family room', beds: ['double', 'twin'], maxOccupancy: 4, nights: nights(8, 14900, 16900) },
    ],
  },
]

/** Rooms of the hotel beside the venue that are set aside for speakers. */
export const buildSpeakerRoomBlock = (hotelId: string): NewBlock => ({
  code: 'speakers',
  name: 'Speakers',
  owner: { kind: 'tag', ref: 'speaker' },
  nameDeadlineOn: '2027-04-05',
  rooms: [{ hotelId, roomTypeCode: 'king', nights: listStayNights('2027-05-10', '2027-05-14'), rooms: 12 }],
})
