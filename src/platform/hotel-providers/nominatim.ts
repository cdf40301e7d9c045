import { z } from 'zod'
import type { Fetcher } from '../../kernel/fetcher.ts'
import type { Geocoder } from '../../kernel/hotel-providers.ts'
import { truncateToOneLine } from '../../kernel/osm-hotels.ts'
import { requestJson } from './request-json.ts'

const MAX_RESULTS = 5
/** Nominatim ranks streets 26 and houses 30; smaller numbers are areas such as cities. */
const STREET_RANK = 26

const Places = z.array(
  z.looseObject({
    lat: z.coerce.number().min(-90).max(90),
    lon: z.coerce.number().min(-180).max(180),
    display_name: z.string(),
    importance: z.number().optional(),
    place_rank: z.number().optional(),
  }),
)

/** Finds the coordinates of places with a server that implements the Nominatim API. */
export const createNominatimGeocoder = (url: string, fetcher: Fetcher): Geocoder => ({
  name: 'geocoder',
  attribution: '© OpenStreetMap contributors, ODbL 1.0',
  find: async (text) => {
    const query = new URLSearchParams({ q: text, format: 'jsonv2', limit: String(MAX_RESULTS) }).toString()
    const places = await requestJson(fetcher, {
      service: 'The geocoder',
      url: `${url}/search?${query}`,
      shape: Places,
      headers: { accept: 'application/json' },
    })
    return (places ?? []).map(({ lat, lon, display_name, importance, place_rank }) => ({
      name: truncateToOneLine(display_name) ?? text,
      latitude: lat,
      longitude: lon,
      importance: importance ?? 0,
      precision: (place_rank ?? STREET_RANK) >= STREET_RANK ? 'address' : 'city',
    }))
  },
})
