import type { Fetcher } from '../../kernel/fetcher.ts'
import type { HotelServices } from '../../kernel/hotel-providers.ts'
import type { Secret } from '../../kernel/secrets.ts'
import { createGooglePlaces } from './google-places.ts'
import { createNominatim } from './nominatim.ts'
import { createOverpass } from './overpass.ts'

/** The catalog of hotels and the geocoder that the operator configured. */
export interface HotelSettings {
  /** The catalog of hotels that is searched over the network. Null: only local hotels are searched. */
  catalog: { kind: 'overpass'; url: string } | { kind: 'google'; url: string; key: Secret } | null
  /** The URL of the geocoder. Null: places are looked up in the embedded list of cities. */
  geocoderUrl: string | null
}

export const createHotelServices = (
  { catalog, geocoderUrl }: HotelSettings,
  fetcher: Fetcher,
  remember: HotelServices['remember'],
): HotelServices => ({
  provider: catalog && (catalog.kind === 'overpass' ? createOverpass(catalog.url, fetcher) : createGooglePlaces(catalog, fetcher)),
  geocoder: geocoderUrl === null ? null : createNominatim(geocoderUrl, fetcher),
  remember,
})
