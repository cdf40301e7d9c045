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

export interface ProviderHotelSearch {
  text: string | null
  near: (GeoPoint & { radiusKm: number }) | null
}

/** A catalog of hotels that is queried over the network. Its methods throw an `AppError` if it does not respond. */
export interface HotelProvider {
  name: 'overpass' | 'google'
  /** The prefix of the provider's hotel refs: `osm:` or `google:`. */
  prefix: string
  attribution: string
  /** Whether a search needs a location, because the provider cannot search by the hotel's name alone. */
  needsPlace: boolean
  search: (wanted: ProviderHotelSearch) => Promise<ProviderHotel[]>
  /** Returns a hotel by its ref (its id in all catalogs); null if the provider does not know the ref. */
  get: (ref: string) => Promise<ProviderHotel | null>
}

export interface GeocodedPlace extends GeoPoint {
  /** Name of the location as people write it, such as `Springfield, MO, US`. */
  name: string
  /** The likelihood that the searched name means this location and not another one of the same name, from 0 to 1. */
  importance: number
  precision: 'address' | 'city'
}

export interface Geocoder {
  name: string
  attribution: string
  /** Lists places of this name, the most likely first. Throws an `AppError` if the geocoder does not respond. */
  find: (text: string) => Promise<GeocodedPlace[]>
}

/** The configured catalog of hotels and geocoder, and the storage for their answers. */
export interface HotelServices {
  provider: HotelProvider | null
  geocoder: Geocoder | null
  /** Stores the provider's latest data about hotels. */
  remember: (hotels: readonly ProviderHotel[]) => Promise<void>
}
