import type { HotelAddressFacts, HotelFacts } from '../../kernel/hotel-providers.ts'
import type { HotelMatchFacts } from './same-hotel.ts'

/** Where a record comes from, the most trusted source first: typed in by an organizer, imported by the operator, or from the provider. */
export const HOTEL_RECORD_SOURCES = ['typed', 'import', 'provider'] as const
export type HotelRecordSource = (typeof HOTEL_RECORD_SOURCES)[number]

/** Record of a hotel from one source. */
export interface HotelSourceRecord extends HotelFacts {
  ref: string
  source: HotelRecordSource
  /** The time when the record was last imported from its source. */
  at: Date
  attribution: string | null
  /** For a record that an organizer typed in: the hotel of the client's event that it describes. Otherwise null. */
  atEvent: { hotelId: string; eventId: string; catalogRef: string | null; supplierId: string | null } | null
}

export interface MergedHotel extends HotelFacts {
  ref: string
  records: readonly HotelSourceRecord[]
  /** For each fact of the merged hotel, the record that the fact comes from. */
  origins: ReadonlyMap<keyof HotelFacts, HotelSourceRecord>
}

export const toHotelMatchFacts = (hotel: HotelSourceRecord): HotelMatchFacts & { hotel: HotelSourceRecord } => ({
  hotel,
  refs: hotel.atEvent?.catalogRef == null ? [hotel.ref] : [hotel.ref, hotel.atEvent.catalogRef],
  name: hotel.name,
  city: hotel.address.city ?? null,
  country: hotel.address.country ?? null,
  postalCode: hotel.address.postalCode ?? null,
  latitude: hotel.latitude,
  longitude: hotel.longitude,
  website: hotel.website,
})

const FACTS = [
  'name',
  'address',
  'latitude',
  'longitude',
  'stars',
  'rooms',
  'brand',
  'phone',
  'website',
] as const satisfies readonly (keyof HotelFacts)[]

const isKnown = (value: HotelFacts[keyof HotelFacts]) => value !== null && (typeof value !== 'object' || Object.keys(value).length > 0)

/** Merges the records of one hotel: each fact comes from the newest record of the most trusted source that knows it. */
export function mergeHotelRecords(records: readonly HotelSourceRecord[]): MergedHotel {
  const ranked = records.toSorted(
    (a, b) =>
      HOTEL_RECORD_SOURCES.indexOf(a.source) - HOTEL_RECORD_SOURCES.indexOf(b.source) ||
      b.at.getTime() - a.at.getTime() ||
      (a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : 0),
  )
  const origins = new Map<keyof HotelFacts, HotelSourceRecord>()
  for (const fact of FACTS) {
    const origin = ranked.find((record) => isKnown(record[fact]))
    if (origin) origins.set(fact, origin)
  }
  // Latitude and longitude are one fact: never mix the coordinates of two sources.
  const place = ranked.find(({ latitude, longitude }) => latitude !== null && longitude !== null)
  if (place) origins.set('latitude', place).set('longitude', place)
  const valueOf = <F extends keyof HotelFacts>(fact: F): HotelFacts[F] => (origins.get(fact) ?? ranked[0]!)[fact]
  return {
    ref: chooseRef(ranked),
    records: ranked,
    origins,
    name: valueOf('name'),
    address: valueOf('address'),
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    stars: valueOf('stars'),
    rooms: valueOf('rooms'),
    brand: valueOf('brand'),
    phone: valueOf('phone'),
    website: valueOf('website'),
  }
}

/**
 * Chooses the ref of a merged hotel, preferably that of the catalog: it remains valid after the event at which an organizer typed the hotel
 * in.
 */
function chooseRef(ranked: readonly HotelSourceRecord[]): string {
  const inCatalog = ranked.find(({ source }) => source !== 'typed')
  return inCatalog?.ref ?? ranked.find(({ atEvent }) => atEvent?.catalogRef != null)?.atEvent!.catalogRef ?? ranked[0]!.ref
}

export const formatAddress = ({ street, postalCode, city, region, country }: HotelAddressFacts): string =>
  [street, [postalCode, city].filter(Boolean).join(' '), region, country].filter(Boolean).join(', ')
