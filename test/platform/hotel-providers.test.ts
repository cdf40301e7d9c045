import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { FetchOptions } from '../../src/kernel/fetcher.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'
import { createHotelServices } from '../../src/platform/hotel-providers/create-hotel-services.ts'
import { readEnvironment } from '../../src/platform/environment.ts'
import { GOOGLE_KEY, type HotelServers, startHotelServers } from '../support/hotel-servers.ts'

let server: HotelServers
beforeAll(async () => {
  server = await startHotelServers()
})
afterAll(() => server.close())
beforeEach(() => {
  server.asked.length = 0
  server.answer = null
  server.places = {}
  server.hotels = [
    {
      id: 1,
      name: 'Mundial',
      lat: 38.7155,
      lon: -9.1363,
      tags: { stars: '4S', rooms: '350', 'addr:city': 'Lisboa', website: 'mundial.example' },
    },
  ]
})

const LISBON = { latitude: 38.7, longitude: -9.14, radiusKm: 5 }

describe('hotel search with Overpass', () => {
  const overpass = () => server.services('overpass').provider!

  it('searches hotels around a location with Overpass', async () => {
    expect(await overpass().search({ text: null, near: LISBON })).toEqual([
      {
        ref: 'osm:node/1',
        name: 'Mundial',
        address: { city: 'Lisboa' },
        latitude: 38.7155,
        longitude: -9.1363,
        stars: 4.5,
        rooms: 350,
        brand: null,
        phone: null,
        website: 'https://mundial.example',
      },
    ])
    expect(new URLSearchParams(server.asked[0]!.body).get('data')).toBe(
      '[out:json][timeout:7];nwr["tourism"="hotel"](around:5000,38.7,-9.14);out tags center 200;',
    )
    expect(server.asked[0]).toMatchObject({ method: 'POST', path: '/overpass' })
  })

  it('reads one hotel by its reference from Overpass, and sends no request for a reference of another catalog', async () => {
    expect(await overpass().get('osm:node/1')).toMatchObject({ name: 'Mundial' })
    expect(await overpass().get('osm:node/2')).toBeNull()
    server.asked.length = 0
    expect(await overpass().get('osm:node/1);out;//')).toBeNull()
    expect(await overpass().get('google:place-1')).toBeNull()
    expect(server.asked).toEqual([])
  })
})

describe('hotel search with Google Places', () => {
  const google = () => server.services('google').provider!

  it('searches hotels with Google Places nearby, or by text', async () => {
    const [hotel] = await google().search({ text: null, near: LISBON })
    expect(hotel).toMatchObject({ ref: 'google:place-1', name: 'Mundial', address: { city: 'Lisboa', country: 'PT' }, stars: null })
    expect(server.asked[0]!.path).toBe('/google/v1/places:searchNearby')
    expect(JSON.parse(server.asked[0]!.body)).toMatchObject({
      includedTypes: ['hotel'],
      locationRestriction: { circle: { center: { latitude: 38.7, longitude: -9.14 }, radius: 5000 } },
    })
    await google().search({ text: 'mundial', near: null })
    expect(server.asked[1]!.path).toBe('/google/v1/places:searchText')
    expect(JSON.parse(server.asked[1]!.body)).toEqual({ textQuery: 'mundial', includedType: 'hotel', pageSize: 20 })
  })

  it('sends the Google API key only in a header, and requests only the fields that are used', async () => {
    await google().get('google:place-1')
    const [{ path, headers }] = server.asked as [HotelServers['asked'][number]]
    expect([path, headers['x-goog-api-key']]).toEqual(['/google/v1/places/place-1', GOOGLE_KEY])
    expect(headers['x-goog-fieldmask']).toBe('id,displayName,location,addressComponents,websiteUri,internationalPhoneNumber')
    expect(await google().get('google:place-9')).toBeNull()
  })
})

describe('geocoder', () => {
  it('looks up the coordinates of a place name with the geocoder', async () => {
    server.places['rua da glória 19, lisbon'] = [
      { lat: '38.7157', lon: '-9.1437', display_name: 'Rua da Glória', importance: 0.3, place_rank: 30 },
    ]
    const { geocoder } = server.services(null, undefined, { geocoder: true })
    expect(await geocoder!.find('Rua da Glória 19, Lisbon')).toEqual([
      { name: 'Rua da Glória', latitude: 38.7157, longitude: -9.1437, importance: 0.3, precision: 'address' },
    ])
    expect(server.asked[0]!.path).toBe('/geocoder/search?q=Rua+da+Gl%C3%B3ria+19%2C+Lisbon&format=jsonv2&limit=5')
    expect(await geocoder!.find('nowhere')).toEqual([])
  })
})

describe('failing hotel services', () => {
  const ask = (kind: 'overpass' | 'google') => server.services(kind).provider!.search({ text: null, near: LISBON })

  it.each([
    ['has too many requests at the moment', 429, '{}'],
    ['refused the credentials of this installation', 403, '{}'],
    ['responded with status 504', 504, '<html>'],
    ['sent a response that cannot be read', 200, '<html>'],
    ['sent a response that cannot be read', 200, '{"elements":[{"type":"moon"}],"places":3}'],
    ['sent a response that is too large', 200, `{"elements":[],"filler":"${'x'.repeat(4_100_000)}"}`],
  ])('reports a failing hotel service: %s', async (says, status, body) => {
    server.answer = (_request, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    await expect(ask('overpass')).rejects.toMatchObject({ code: 'unavailable', message: `Overpass ${says}` })
    await expect(ask('google')).rejects.toMatchObject({ code: 'unavailable', message: `Google Places ${says}` })
    await expect(server.services(null, undefined, { geocoder: true }).geocoder!.find('x')).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('reports a hotel service that takes too long', async () => {
    server.answer = () => {}
    const reaching = createFetcher({ allowedHosts: ['127.0.0.1'] })
    const impatient = { ...reaching, fetch: (url: string, options?: FetchOptions) => reaching.fetch(url, { ...options, timeoutMs: 100 }) }
    const settings = { catalog: { kind: 'overpass' as const, url: `${server.url}/overpass` }, geocoderUrl: `${server.url}/geocoder` }
    const slow = createHotelServices(settings, impatient, async () => {})
    await expect(slow.provider!.search({ text: null, near: LISBON })).rejects.toThrow('Overpass took too long to respond')
    await expect(slow.geocoder!.find('Lisbon')).rejects.toThrow('The geocoder took too long to respond')
  })

  it('reports a hotel service that disconnects, redirects or is at a private address that the operator did not allow', async () => {
    server.answer = (request) => request.socket.destroy()
    await expect(ask('overpass')).rejects.toThrow('Overpass could not be reached')
    server.answer = (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    await expect(ask('overpass')).rejects.toThrow('Overpass could not be reached')
    server.asked.length = 0
    const guarded = createHotelServices(
      { catalog: { kind: 'overpass', url: `${server.url}/overpass` }, geocoderUrl: null },
      createFetcher({}),
      async () => {},
    )
    await expect(guarded.provider!.search({ text: null, near: LISBON })).rejects.toMatchObject({ code: 'unavailable' })
    expect(server.asked).toEqual([])
  })
})

describe('settings of the hotel catalog', () => {
  const settings = (env: Record<string, string>) => readEnvironment(env, false).hotels

  it('uses no hotel provider by default', () => {
    expect(settings({})).toEqual({ catalog: null, geocoderUrl: null })
  })

  it('configures the hotel provider, its address and the geocoder from the settings', () => {
    expect(settings({ LANYARD_HOTEL_CATALOG: 'overpass' }).catalog).toEqual({
      kind: 'overpass',
      url: 'https://overpass-api.de/api/interpreter',
    })
    expect(settings({ LANYARD_HOTEL_CATALOG: 'overpass', LANYARD_OVERPASS_URL: 'http://maps.internal/api' }).catalog).toMatchObject({
      url: 'http://maps.internal/api',
    })
    expect(settings({ LANYARD_HOTEL_CATALOG: 'google', LANYARD_GOOGLE_PLACES_KEY: 'k' }).catalog).toMatchObject({
      kind: 'google',
      url: 'https://places.googleapis.com',
    })
    expect(settings({ LANYARD_GEOCODER_URL: 'https://geo.example.org/' }).geocoderUrl).toBe('https://geo.example.org')
  })

  it('refuses invalid settings of the hotel catalog', () => {
    expect(() => settings({ LANYARD_HOTEL_CATALOG: 'bing' })).toThrow('LANYARD_HOTEL_CATALOG must be one of overpass, google; it is bing')
    expect(() => settings({ LANYARD_HOTEL_CATALOG: 'google' })).toThrow('LANYARD_GOOGLE_PLACES_KEY is not set')
    expect(() => settings({ LANYARD_GEOCODER_URL: 'geo' })).toThrow('LANYARD_GEOCODER_URL must be an address')
  })
})
