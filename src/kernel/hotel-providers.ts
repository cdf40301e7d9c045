/** Interfaces to catalogs of hotels and to geocoders outside of this installation. `platform/hotel-providers` implements them. */

export interface HotelAddressFacts {
  street?: string
  postalCode?: string
  city?: string
  region?: string
  country?: string
}

/** The facts about a hotel that catalogs know. Null: unknown. */
export interface HotelFacts {
  name: string
  address: HotelAddressFacts
  latitude: number | null
  longitude: number | null
  stars: number | null
  rooms: number | null
  brand: string | null
  phone: string | null
  website: string | null
}

export interface ProviderHotel extends HotelFacts {
  /** The id of the hotel in all catalogs, such as `osm:node/123` or `google:ChIJ…`. */
  ref: string
}

export interface GeoPoint {
  latitude: number
  longitude: number
}

export interface ProviderSearch {
  text: string | null
  near: (GeoPoint & { radiusKm: number }) | null
}

/** A catalog of hotels that is asked over the network. Its methods throw an `AppError` if it does not respond. */
export interface HotelProvider {
  name: 'overpass' | 'google'
  /** The start of the refs that the provider knows: `osm:` or `google:`. */
  prefix: string
  attribution: string
  /** Whether the provider needs a place to search at. */
  needsPlace: boolean
  search: (wanted: ProviderSearch) => Promise<ProviderHotel[]>
  /** Returns null if the provider does not know the ref. */
  get: (ref: string) => Promise<ProviderHotel | null>
}

export interface FoundPlace extends GeoPoint {
  /** The place as a person writes it, such as `Springfield, MO, US`. */
  name: string
  /** How likely this place is meant, from 0 to 1, compared with the other places of the same name. */
  importance: number
  precision: 'address' | 'city'
}

export interface Geocoder {
  name: string
  attribution: string
  /** Lists places of this name, the most likely first. Throws an `AppError` if the geocoder does not respond. */
  find: (text: string) => Promise<FoundPlace[]>
}

/** The configured services about hotels, and where their answers are kept. */
export interface HotelServices {
  provider: HotelProvider | null
  geocoder: Geocoder | null
  /** Stores the latest answer of the provider about hotels. */
  remember: (hotels: readonly ProviderHotel[]) => Promise<void>
}
