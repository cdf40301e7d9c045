import { sql } from 'kysely'
import { findCatalogHotels, type CatalogHotelSearch, searchExternalSources } from '../../src/domains/hotel-catalog/find.ts'
import { buildNearbyHotelsSql } from '../../src/domains/hotel-catalog/local-hotels.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { createEventContextAt } from '../../test/support/at-event.ts'
import { newWorld, type OrganizerHandle, type World } from '../../test/support/world.ts'
import { serveRequests } from '../child.ts'
import { scaleRows } from '../size.ts'

const HOTELS = scaleRows(500_000, 2000)
const HOTELS_PER_STATEMENT = 10_000

/** Inserts hotels around 2,000 cities, as in a real catalog: many near the center, few outside. Every tenth name has a rare word. */
const LOAD = `
  insert into catalog_hotels (ref, format, name, city, country, latitude, longitude, stars, rooms, brand)
  select 'import:' || n, 'csv', (array['Grand', 'Park', 'Central', 'Royal', 'Plaza', 'Garden', 'Palace'])[1 + n % 7] || ' Hotel ' ||
      case when n % 10 = 0 then 'Rare' || n else (array['Nord', 'Sud', 'Est', 'Ouest', 'am Ring', 'del Mar'])[1 + n % 6] end,
    'City ' || n % 2000, 'FR', -60 + (n % 2000) * 0.06 + power(random(), 3) * 0.2, -170 + ((n % 2000) * 37 % 2000) * 0.17 + power(random(), 3) * 0.2,
    2 + n % 4, 20 + n % 400, case when n % 5 = 0 then 'Brand ' || n % 50 end
  from generate_series($1::integer, $2::integer) n`

interface LoadedCatalog {
  world: World
  olga: OrganizerHandle
  eventCode: string
  context: EventContext
}

let loading: Promise<LoadedCatalog> | null = null
const loaded = () => (loading ??= load())

async function load(): Promise<LoadedCatalog> {
  const world = await newWorld()
  const event = await world.event({ at: await world.client({ code: 'acme' }), code: 'large' })
  const { pool } = world.database
  for (let from = 1; from <= HOTELS; from += HOTELS_PER_STATEMENT)
    await pool.query(LOAD, [from, Math.min(HOTELS, from + HOTELS_PER_STATEMENT - 1)])
  await pool.query('vacuum analyze catalog_hotels')
  const olga = await world.organizer({ at: event })
  return { world, olga, eventCode: event.eventCode, context: await createEventContextAt(world, event) }
}

/** Returns the location of the city with this number. */
const placeOf = (city: number) => ({ latitude: -60 + city * 0.06 + 0.05, longitude: -170 + ((city * 37) % 2000) * 0.17 + 0.05 })

const NOTHING = { text: null, minRooms: null, stars: null, brand: null }

const nearArguments = (n: number) => {
  const { latitude, longitude } = placeOf(n % 2000)
  return { near: `${latitude},${longitude}` }
}
const searchedWord = (n: number) => `rare${(n % (HOTELS / 10)) * 10 + 10}`

/** Reads what find_hotel reads, without the protocol and the verification of the caller. */
async function read({ context }: LoadedCatalog, search: Pick<CatalogHotelSearch, 'near' | 'search'>): Promise<unknown> {
  const wanted: CatalogHotelSearch = { ...search, radiusKm: 5, source: 'all', limit: 50 }
  const ctx = { ...context, hotels: null }
  return findCatalogHotels(ctx, wanted, await searchExternalSources(ctx, wanted))
}

const QUERIES: Record<string, (parts: LoadedCatalog, n: number) => Promise<unknown>> = {
  near: ({ olga, eventCode }, n) => olga.call('find_hotel', { eventCode, ...nearArguments(n) }),
  'near, read': (parts, n) => read(parts, nearArguments(n)),
  'near, bare': ({ world }, n) => {
    const near = { ...placeOf(n % 2000), radiusKm: 5 }
    return sql`${buildNearbyHotelsSql({ ...NOTHING, near }, near)} limit 200`.execute(world.database.read)
  },
  text: ({ olga, eventCode }, n) => olga.call('find_hotel', { eventCode, search: searchedWord(n) }),
  'text, read': (parts, n) => read(parts, { search: searchedWord(n) }),
  'text, bare': ({ world }, n) =>
    sql`select * from catalog_hotels where searched like ${`%${searchedWord(n)}%`} limit 200`.execute(world.database.read),
}

/** Returns the mean duration of one query in milliseconds of wall-clock time. */
async function time({ query, seconds }: { query: string; seconds: number }): Promise<number> {
  const parts = await loaded()
  const until = performance.now() + seconds * 1000
  let [spent, runs] = [0, 0]
  do {
    const started = performance.now()
    await QUERIES[query]!(parts, (runs * 7919) % 10_007)
    spent += performance.now() - started
    runs++
  } while (performance.now() < until)
  return spent / runs
}

serveRequests({
  time,
  found: async () => {
    await loaded()
    return HOTELS
  },
  end: async () => {
    const { world } = await loaded()
    await world.database.pool.query('truncate catalog_hotels')
    await world.end()
  },
})
