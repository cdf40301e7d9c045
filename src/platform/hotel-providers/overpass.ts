import { z } from 'zod'
import type { Fetcher } from '../../kernel/fetcher.ts'
import type { HotelProvider, ProviderHotel, ProviderHotelSearch } from '../../kernel/hotel-providers.ts'
import { isOsmHotel, type OsmElement, toOsmHotel } from '../../kernel/osm-hotels.ts'
import { requestJson } from './request-json.ts'

const MAX_RESULTS = 200
/** Overpass stops a query after this time and reports that in `remark`. */
const QUERY_SECONDS = 7

const coordinate = z.number()
const Answer = z.looseObject({
  remark: z.string().optional(),
  elements: z.array(
    z.looseObject({
      type: z.enum(['node', 'way', 'relation']),
      id: z.int(),
      lat: coordinate.min(-90).max(90).optional(),
      lon: coordinate.min(-180).max(180).optional(),
      center: z.looseObject({ lat: coordinate, lon: coordinate }).optional(),
      tags: z.record(z.string(), z.string()).optional(),
    }),
  ),
})

/** Searches hotels (`tourism=hotel`) of OpenStreetMap with an Overpass server. Overpass searches around a place, not by name alone. */
export function createOverpassHotelProvider(url: string, fetcher: Fetcher): HotelProvider {
  const ask = async (query: string): Promise<ProviderHotel[]> => {
    const answer = await requestJson(fetcher, {
      service: 'Overpass',
      url,
      shape: Answer,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({ data: `[out:json][timeout:${QUERY_SECONDS}];${query}` }).toString(),
    })
    return (answer?.elements ?? []).filter(isOsmHotel).flatMap((element) => toOsmHotel(element as OsmElement) ?? [])
  }
  return {
    name: 'overpass',
    prefix: 'osm:',
    attribution: '© OpenStreetMap contributors, ODbL 1.0',
    needsPlace: true,
    search: async ({ near }: ProviderHotelSearch) => {
      if (!near) return []
      const { latitude, longitude, radiusKm } = near
      return ask(`nwr["tourism"="hotel"](around:${Math.round(radiusKm * 1000)},${latitude},${longitude});out tags center ${MAX_RESULTS};`)
    },
    get: async (ref) => {
      const [, type, id] = /^osm:(node|way|relation)\/(\d{1,15})$/.exec(ref) ?? []
      return id === undefined ? null : ((await ask(`${type}(${id});out tags center;`))[0] ?? null)
    },
  }
}
