import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { storeHotels } from '../../../domains/hotel-catalog/import/store.ts'
import type { ImportedHotel } from '../../../domains/hotel-catalog/import/imported-hotel.ts'
import { cacheHotels } from '../../../domains/hotel-catalog/provider-cache.ts'
import { createHotelAt, buildRoomAnswers, buildRoomSections } from '../../../../test/support/hotels.ts'
import { type HotelServers, startHotelServers } from '../../../../test/support/hotel-servers.ts'
import { openSalesScenario, type SalesScenario } from '../../../../test/support/sales-scenario.ts'

const VENUE = { name: 'Palais', city: 'Paris', country: 'FR', latitude: 48.86, longitude: 2.33 }
/** A point the given number of kilometers north of the venue. */
const north = (km: number) => ({ latitude: VENUE.latitude + km / 111.195, longitude: VENUE.longitude })

let scenario: SalesScenario
let server: HotelServers

const imported = (id: string, name: string, km: number, more: Partial<ImportedHotel> = {}): ImportedHotel => ({
  ref: `import:${id}`,
  format: 'csv',
  attribution: null,
  name,
  address: { city: 'Paris', country: 'FR' },
  ...north(km),
  stars: null,
  rooms: null,
  brand: null,
  phone: null,
  website: null,
  ...more,
})

beforeAll(async () => {
  const parts = buildRoomSections()
  scenario = await openSalesScenario({
    ...parts,
    details: { ...parts.details, startsOn: '2026-09-01', endsOn: '2026-09-03', venue: VENUE },
  })
  server = await startHotelServers()
  await storeHotels(scenario.world.database.write, [
    imported('lutetia', 'Hôtel Lutetia', 1.2, { stars: 5, rooms: 184, brand: 'Mandarin', website: 'https://lutetia.example' }),
    imported('scandic', 'Scandic Plaza', 2, { stars: 4, rooms: 250, brand: 'Scandic' }),
    imported('novotel', 'Novotel Les Halles', 0.8, { stars: 4.5, rooms: 285, brand: 'Accor' }),
    imported('small', 'Petit Moulin', 0.5, { stars: 3, rooms: 17 }),
    imported('far', 'Airport Inn', 24, { rooms: 400 }),
    { ...imported('osm', 'Rives de Seine', 1.6), ref: 'osm:node/77', format: 'osm', attribution: '© OpenStreetMap contributors, ODbL 1.0' },
  ])
})
afterAll(async () => {
  server.close()
  await scenario.world.end()
})
beforeEach(() => {
  server.answer = null
  server.asked.length = 0
  server.hotels = []
  server.places = {}
  delete scenario.world.services.hotels
})

const useProvider = (kind: 'overpass' | 'google' | null, more: { geocoder?: boolean } = {}) => {
  const { world } = scenario
  world.services.hotels = server.services(kind, (hotels) => cacheHotels(world.database.write, hotels), more)
}
const find = (args: object) => scenario.call('find_hotel', { ...args })
const names = async (args: object) => (await find(args)).hotels.map(({ name }: { name: string }) => name)
const fails = (body: string, status = 200) => {
  server.answer = (_request, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

describe('find_hotel', () => {
  it('lists hotels near the venue by distance, within the radius', async () => {
    const { hotels, near, sources, nextCursor } = await find({ near: 'venue', radiusKm: 2 })
    expect(hotels).toEqual([
      { catalogRef: 'import:small', name: 'Petit Moulin', address: 'Paris, FR', distanceKm: 0.5, stars: 3, rooms: 17, source: 'local' },
      expect.objectContaining({ catalogRef: 'import:novotel', distanceKm: 0.8, brand: 'Accor' }),
      expect.objectContaining({ catalogRef: 'import:lutetia', distanceKm: 1.2 }),
      expect.objectContaining({ catalogRef: 'osm:node/77', distanceKm: 1.6 }),
      expect.objectContaining({ catalogRef: 'import:scandic', distanceKm: 2 }),
    ])
    expect(near).toEqual({ name: 'Palais', latitude: 48.86, longitude: 2.33, precision: 'exact' })
    expect(sources).toEqual([
      { name: 'local', status: 'ok', attribution: '© OpenStreetMap contributors, ODbL 1.0' },
      { name: 'provider', status: 'notConfigured', reason: expect.stringContaining('LANYARD_HOTEL_CATALOG') },
    ])
    expect(nextCursor).toBeNull()
  })

  it('filters hotels by rooms, stars, brand and text', async () => {
    expect(await names({ near: 'venue', minRooms: 150 })).toEqual(['Novotel Les Halles', 'Hôtel Lutetia', 'Scandic Plaza'])
    expect(await names({ near: 'venue', stars: 4 })).toEqual(['Novotel Les Halles', 'Scandic Plaza'])
    expect(await names({ near: 'venue', stars: 4, brand: 'accor' })).toEqual(['Novotel Les Halles'])
    expect(await names({ near: 'venue', search: 'scandic' })).toEqual(['Scandic Plaza'])
    expect(await names({ near: 'venue', radiusKm: 0.3 })).toEqual([])
    expect(await names({ near: 'venue', radiusKm: 25, minRooms: 300 })).toEqual(['Airport Inn'])
  })

  it('finds hotels by text without a location, ignoring accents and typing mistakes', async () => {
    expect(await names({ search: 'lutetia' })).toEqual(['Hôtel Lutetia'])
    expect(await names({ search: 'hotel LUTÈTIA' })).toEqual(['Hôtel Lutetia'])
    expect(await names({ search: 'lutettia' })).toEqual(['Hôtel Lutetia'])
    expect(await names({ search: 'nothing like it' })).toEqual([])
  })

  it('accepts a city, an address or coordinates as the location of a hotel search', async () => {
    expect((await find({ near: 'Paris', radiusKm: 10 })).near).toMatchObject({ name: 'Paris, FR', precision: 'city' })
    expect((await find({ near: 'Rue de Rivoli 1, Paris, France' })).near).toMatchObject({ name: 'Paris, FR', precision: 'city' })
    expect(await names({ near: '48.8645,2.33', radiusKm: 0.2 })).toEqual(['Petit Moulin'])
    const { sources } = await find({ near: 'Paris', source: 'local' })
    expect(sources).toContainEqual({ name: 'GeoNames', status: 'ok', attribution: 'Place names: GeoNames, CC BY 4.0' })
  })

  it('refuses a hotel search without text and location, and with an unknown or ambiguous location', async () => {
    expect(await scenario.refused('find_hotel', {})).toMatchObject({ code: 'invalid_arguments', fields: [{ path: 'near' }] })
    expect(await scenario.refused('find_hotel', { near: 'Xyzzyville' })).toMatchObject({ code: 'not_found' })
    expect(await scenario.refused('find_hotel', { near: 'Springfield' })).toMatchObject({
      code: 'ambiguous',
      candidates: expect.arrayContaining([expect.objectContaining({ name: 'Springfield, MO, US' })]),
    })
    expect(await scenario.refused('find_hotel', { near: 'Paris', radiusKm: 51 })).toMatchObject({ code: 'invalid_arguments' })
  })

  it('lists a hotel that is known both locally and to the hotel provider only once, as local', async () => {
    useProvider('overpass')
    server.hotels = [
      {
        id: 1,
        name: 'Lutetia',
        lat: north(1.21).latitude,
        lon: VENUE.longitude,
        tags: { 'addr:street': 'Boulevard Raspail', 'addr:housenumber': '45' },
      },
      { id: 2, name: 'Hotel Regina', lat: north(0.3).latitude, lon: VENUE.longitude },
      { id: 77, name: 'Rives de Seine', lat: north(1.6).latitude, lon: VENUE.longitude, tags: { rooms: '90' } },
    ]
    const { hotels, sources } = await find({ near: 'venue', radiusKm: 2 })
    expect(hotels.map(({ name, source, catalogRef }: Record<string, string>) => [name, source, catalogRef])).toEqual([
      ['Hotel Regina', 'provider', 'osm:node/2'],
      ['Petit Moulin', 'local', 'import:small'],
      ['Novotel Les Halles', 'local', 'import:novotel'],
      ['Hôtel Lutetia', 'local', 'import:lutetia'],
      ['Rives de Seine', 'local', 'osm:node/77'],
      ['Scandic Plaza', 'local', 'import:scandic'],
    ])
    expect(hotels.find(({ name }: { name: string }) => name === 'Rives de Seine').rooms).toBe(90)
    expect(sources).toContainEqual({ name: 'overpass', status: 'ok', attribution: '© OpenStreetMap contributors, ODbL 1.0' })
    expect(await names({ near: 'venue', radiusKm: 2, source: 'provider' })).toEqual(['Hotel Regina', 'Lutetia', 'Rives de Seine'])
    server.asked.length = 0
    expect(await names({ near: 'venue', radiusKm: 0.4, source: 'local' })).toEqual([])
    expect(server.asked).toEqual([])
  })

  it.each([
    ['Overpass has too many requests at the moment', '{}', 429],
    ['Overpass sent a response that cannot be read', '<html>', 200],
    ['Overpass sent a response that is too large', `{"elements":[],"x":"${'x'.repeat(4_100_000)}"}`, 200],
  ])('reports a failing hotel provider and lists the local hotels: %s', async (reason, body, status) => {
    useProvider('overpass')
    fails(body, status)
    const { hotels, sources } = await find({ near: 'venue', radiusKm: 1 })
    expect(hotels.map(({ name }: { name: string }) => name)).toEqual(['Petit Moulin', 'Novotel Les Halles'])
    expect(sources).toContainEqual({ name: 'overpass', status: 'failed', reason, attribution: expect.stringContaining('ODbL') })
  })

  it('finds locations with the geocoder, and with the list of cities while the geocoder fails', async () => {
    useProvider(null, { geocoder: true })
    server.places['quai des tuileries 3, paris'] = [{ lat: '48.8623', lon: '2.3295', display_name: 'Quai des Tuileries', place_rank: 30 }]
    expect((await find({ near: 'Quai des Tuileries 3, Paris' })).near).toMatchObject({ name: 'Quai des Tuileries', precision: 'address' })
    server.places['newport'] = [
      { lat: '51.58', lon: '-2.99', display_name: 'Newport, Wales', importance: 0.55, place_rank: 16 },
      { lat: '41.49', lon: '-71.31', display_name: 'Newport, Rhode Island', importance: 0.52, place_rank: 16 },
    ]
    expect(await scenario.refused('find_hotel', { near: 'Newport' })).toMatchObject({ code: 'ambiguous' })
    fails('', 500)
    const { near, sources } = await find({ near: 'Paris' })
    expect(near.name).toBe('Paris, FR')
    expect(sources).toContainEqual(
      expect.objectContaining({ name: 'geocoder', status: 'failed', reason: 'The geocoder responded with status 500' }),
    )
  })

  it('returns many matching hotels in pages', async () => {
    const first = await find({ near: 'venue', radiusKm: 2, limit: 2 })
    const second = await find({ near: 'venue', radiusKm: 2, limit: 2, cursor: first.nextCursor })
    const third = await find({ near: 'venue', radiusKm: 2, limit: 2, cursor: second.nextCursor })
    expect([...first.hotels, ...second.hotels, ...third.hotels].map(({ name }: { name: string }) => name)).toEqual(
      await names({ near: 'venue', radiusKm: 2 }),
    )
    expect(third.nextCursor).toBeNull()
  })

  it('refuses a search near the venue if the venue has no coordinates', async () => {
    const other = await scenario.world.event({ at: scenario.event, code: 'no-venue' })
    expect(await scenario.olga.refused('find_hotel', { eventCode: other.eventCode, near: 'venue' })).toMatchObject({
      code: 'precondition_failed',
    })
  })
})

describe('get_catalog_hotel', () => {
  it("shows every fact about a catalog hotel with source and date, and only events of the caller's client that use it", async () => {
    const { world, event, olga } = scenario
    const hotelId = await createHotelAt(world, event, {
      code: 'novotel',
      name: 'Novotel Les Halles',
      ...north(0.8),
      roomTypes: [
        { code: 'king', name: 'King', maxOccupancy: 2, nights: [{ from: '2026-09-01', until: '2026-09-04', rooms: 20, single: 18900 }] },
      ],
    })
    await scenario.register({ pass: 1 }, { data: buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04') })
    // The same hotel at events of another client of the tenant, and of another tenant.
    for (const at of [await world.client({ code: 'rival' }), await world.client({ tenant: 'elsewhere', code: 'foreign' })]) {
      const rival = await world.event({ at, code: 'rival-event', name: 'Rival event' })
      await createHotelAt(world, rival, { code: 'novotel', name: 'Novotel Les Halles', ...north(0.8), catalogRef: 'import:novotel' })
    }
    const shown = await olga.call('get_catalog_hotel', { eventCode: event.eventCode, catalogRef: 'import:novotel' })
    expect(shown).toMatchObject({
      catalogRef: 'import:novotel',
      name: 'Novotel Les Halles',
      rooms: 285,
      brand: 'Accor',
      hotelId,
      pci: 'missing',
      events: [
        {
          eventCode: event.eventCode,
          contractStatus: 'definite',
          contracted: 60,
          pickup: 3,
          pickupPercent: 5,
          rate: { amount: '189.00', currency: 'EUR' },
        },
      ],
    })
    const origin = (field: string) => shown.fields.find((one: { field: string }) => one.field === field)
    expect(origin('name')).toMatchObject({ source: 'typed', date: expect.stringMatching(/^2026-/) })
    expect(origin('rooms').source).toBe('import')
    expect(JSON.stringify(shown)).not.toContain('ival')
    // The hotel of the event has the same profile.
    expect(await scenario.call('get_catalog_hotel', { catalogRef: `own:${hotelId}` })).toEqual(shown)
  })

  it('refuses an unknown hotel and a hotel of another client', async () => {
    expect(await scenario.refused('get_catalog_hotel', { catalogRef: 'import:unknown' })).toMatchObject({ code: 'not_found' })
    const { rows } = await scenario.world.database.pool.query<{ id: string }>(
      `select h.id from event_hotels h join events e on e.tenant_id = h.tenant_id and e.id = h.event_id where e.name = 'Rival event'`,
    )
    expect(rows).toHaveLength(2)
    for (const { id } of rows)
      expect(await scenario.refused('get_catalog_hotel', { catalogRef: `own:${id}` })).toMatchObject({ code: 'not_found' })
  })

  it('caches a hotel from the provider for 30 days, and marks it as stale while the provider is down', async () => {
    useProvider('overpass')
    server.hotels = [{ id: 9, name: 'Hotel Cached', lat: north(3).latitude, lon: VENUE.longitude, tags: { rooms: '40' } }]
    const get = () => scenario.call('get_catalog_hotel', { catalogRef: 'osm:node/9' })
    const first = await get()
    expect(first).toMatchObject({ name: 'Hotel Cached', rooms: 40, events: [] })
    expect(first.fields).toContainEqual(
      expect.objectContaining({ field: 'rooms', source: 'provider', attribution: expect.stringContaining('ODbL') }),
    )
    server.asked.length = 0
    await get()
    expect(server.asked).toEqual([])
    const age = (days: number) =>
      scenario.world.database.pool.query(
        `update provider_hotels set fetched_at = lanyard_now() - make_interval(days => $1) where ref = 'osm:node/9'`,
        [days],
      )
    await age(29)
    expect(await get()).not.toHaveProperty('staleSince')
    expect(server.asked).toEqual([])
    await age(31)
    fails('', 503)
    expect(await get()).toMatchObject({ name: 'Hotel Cached', staleSince: expect.stringMatching(/^2026-/) })
    server.answer = null
    server.hotels[0]!.tags = { rooms: '44' }
    expect(await get()).toMatchObject({ rooms: 44 })
    expect(await get()).not.toHaveProperty('staleSince')
  })

  it('reports that the provider is down for a hotel that is not cached', async () => {
    useProvider('overpass')
    fails('', 503)
    expect(await scenario.refused('get_catalog_hotel', { catalogRef: 'osm:node/10' })).toMatchObject({ code: 'unavailable' })
    server.answer = null
    expect(await scenario.refused('get_catalog_hotel', { catalogRef: 'osm:node/10' })).toMatchObject({ code: 'not_found' })
  })
})
