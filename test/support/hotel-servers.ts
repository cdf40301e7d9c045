import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { HotelServices } from '../../src/kernel/hotel-providers.ts'
import { Secret } from '../../src/kernel/secrets.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'
import { createHotelServices } from '../../src/platform/hotel-providers/create-hotel-services.ts'

/** A hotel that the Overpass and Google stubs return. */
export interface ServedHotel {
  id: number
  name: string
  lat: number
  lon: number
  tags?: Record<string, string>
}

export interface HotelServers {
  url: string
  /** Hotels that the Overpass and Google stubs return for every place. */
  hotels: ServedHotel[]
  /** Places that the geocoder stub finds, by the text in lower case. */
  places: Record<string, { lat: string; lon: string; display_name: string; importance?: number; place_rank?: number }[]>
  asked: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[]
  /** Replaces the normal response of the stubs. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | null
  /** The services of an installation that uses the stub servers. */
  services: (kind: 'overpass' | 'google' | null, remember?: HotelServices['remember'], more?: { geocoder?: boolean }) => HotelServices
  close: () => void
}

export const GOOGLE_KEY = 'google-key-of-the-test'

/** Stubs of Overpass (`/overpass`), the Places API of Google (`/google`) and Nominatim (`/geocoder`). */
export async function startHotelServers(): Promise<HotelServers> {
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fetcher = createFetcher({ allowedHosts: ['127.0.0.1'] })
  const stub: HotelServers = {
    url,
    hotels: [],
    places: {},
    asked: [],
    answer: null,
    services: (kind, remember = async () => {}, { geocoder = false } = {}) =>
      createHotelServices(
        {
          catalog:
            kind === null
              ? null
              : kind === 'overpass'
                ? { kind, url: `${url}/overpass` }
                : { kind, url: `${url}/google`, key: new Secret(GOOGLE_KEY) },
          geocoderUrl: geocoder ? `${url}/geocoder` : null,
        },
        fetcher,
        remember,
      ),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const path = request.url ?? ''
    stub.asked.push({ method: request.method ?? '', path, headers: request.headers, body })
    if (stub.answer) return stub.answer(request, response)
    const respond = (status: number, value: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (path === '/overpass') return respond(200, answerOverpass(stub, new URLSearchParams(body).get('data') ?? ''))
    if (path.startsWith('/google')) {
      if (request.headers['x-goog-api-key'] !== GOOGLE_KEY) return respond(403, { error: { status: 'PERMISSION_DENIED' } })
      const places = stub.hotels.map(toGooglePlace)
      const [, placeId] = /^\/google\/v1\/places\/([\w-]+)$/.exec(path) ?? []
      if (placeId === undefined) return respond(200, places.length > 0 ? { places } : {})
      const place = places.find(({ id }) => id === placeId)
      return place ? respond(200, place) : respond(404, { error: { status: 'NOT_FOUND' } })
    }
    const query = new URL(path, url).searchParams.get('q') ?? ''
    return respond(200, stub.places[query.toLowerCase()] ?? [])
  }
  return stub
}

function answerOverpass({ hotels }: HotelServers, query: string) {
  const [, one] = /;node\((\d+)\);/.exec(query) ?? []
  const elements = hotels
    .filter(({ id }) => one === undefined || String(id) === one)
    .map(({ id, name, lat, lon, tags = {} }) => ({ type: 'node', id, lat, lon, tags: { tourism: 'hotel', name, ...tags } }))
  return { version: 0.6, generator: 'Overpass API', osm3s: { copyright: 'ODbL' }, elements }
}

const toGooglePlace = ({ id, name, lat, lon, tags = {} }: ServedHotel) => ({
  id: `place-${id}`,
  displayName: { text: name, languageCode: 'en' },
  location: { latitude: lat, longitude: lon },
  addressComponents: [
    { longText: tags['addr:city'] ?? 'Lisbon', shortText: 'Lisbon', types: ['locality', 'political'] },
    { longText: 'Portugal', shortText: 'PT', types: ['country', 'political'] },
  ],
  websiteUri: tags['website'],
})
