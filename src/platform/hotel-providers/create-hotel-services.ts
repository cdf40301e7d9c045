import type { Fetcher } from '../../kernel/fetcher.ts'
import type { HotelServices } from '../../kernel/hotel-providers.ts'
import type { Secret } from '../../kernel/secrets.ts'
import { createGooglePlacesProvider } from './google-places.ts'
import { createNominatimGeocoder } from './nominatim.ts'
import { createOverpassHotelProvider } from './overpass.ts'

/** The catalog of hotels and the geocoder that the operator configured. */
export interface HotelServiceSettings {
  /** The catalog of hotels that is searched over the network. Null: only local hotels are searched. */
  catalog: { kind: 'overpass'; url: string } | { kind: 'google'; url: string; key: Secret } | null
  /** The URL of the geocoder. Null: places are looked up in the embedded list of cities. */
  geocoderUrl: string | null
}

export const createHotelServices = (
  { catalog, geocoderUrl }: HotelServiceSettings,
  fetcher: Fetcher,
  remember: HotelServices['remember'],
): HotelServices => ({
  provider:
    catalog &&
    (catalog.kind === 'overpass' ? createOverpassHotelProvider(catalog.url, fetcher) : createGooglePlacesProvider(catalog, fetcher)),
  geocoder: geocoderUrl === null ? null : createNominatimGeocoder(geocoderUrl, fetcher),
  remember,
})
