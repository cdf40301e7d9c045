import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import type { GeoPoint } from '../../kernel/hotel-providers.ts'
import { buildWordMatchWithoutIndex, buildWordMatchCondition } from '../../kernel/search.ts'
import { buildPermittedEventSql } from '../tenancy/scope.ts'
import { listMapCellRanges } from './cells.ts'
import type { HotelSourceRecord } from './known-hotel.ts'

/** Criteria of a hotel search. At least one of `text` and `near` is given. */
export interface LocalHotelSearch {
  text: string | null
  near: (GeoPoint & { radiusKm: number }) | null
  minRooms: number | null
  stars: number | null
  brand: string | null
}

/** Maximum number of hotels that a search lists. If there are more, the caller is asked to narrow the search. */
export const MAX_LISTED_HOTELS = 200
/**
 * Maximum number of hotels that are compared if a search asks for properties such as stars. It is higher than the number of listed hotels,
 * because another source of the same hotel may know a missing property.
 */
const MAX_COMPARED = 1000
/**
 * Maximum number of text matches that are ranked by similarity. A word such as "hotel" matches most of the catalog, so only this many of
 * its matches are compared.
 */
const MAX_RANKED = 2000

const EARTH_KM = 6371

/** SQL for the haversine distance in kilometers from a point to the hotel in a table row. */
export function buildDistanceSql({ latitude, longitude }: GeoPoint, row = 'h'): RawBuilder<number> {
  const [rowLatitude, rowLongitude] = [sql.ref(`${row}.latitude`), sql.ref(`${row}.longitude`)]
  return sql<number>`(2 * ${EARTH_KM}::float8 * asin(least(1, sqrt(
    sin(radians(${rowLatitude} - ${latitude}::float8) / 2) ^ 2
    + cos(radians(${latitude}::float8)) * cos(radians(${rowLatitude})) * sin(radians(${rowLongitude} - ${longitude}::float8) / 2) ^ 2))))`
}

/** SQL condition that a record does not contradict the requested facts. Unknown facts match, because another record may provide them. */
const matchesFacts = ({ minRooms, stars }: LocalHotelSearch) => {
  const conditions = [
    ...(minRooms === null ? [] : [sql<boolean>`(h.rooms is null or h.rooms >= ${minRooms}::integer)`]),
    ...(stars === null ? [] : [sql<boolean>`(h.stars is null or floor(h.stars) = ${stars}::float8)`]),
  ]
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

const matchesText = ({ text, brand }: LocalHotelSearch) => buildWordMatchCondition(sql`h.searched`, [text, brand].filter(Boolean).join(' '))

interface CatalogRow {
  ref: string
  name: string
  street: string | null
  postal_code: string | null
  city: string | null
  region: string | null
  country: string | null
  latitude: number | null
  longitude: number | null
  stars: number | null
  rooms: number | null
  brand: string | null
  phone: string | null
  website: string | null
  attribution: string | null
  imported_at: Date
}

const CATALOG_COLUMNS = sql.raw(
  'h.ref, h.name, h.street, h.postal_code, h.city, h.region, h.country, h.latitude, h.longitude, h.stars, h.rooms, h.brand, h.phone, h.website, h.attribution, h.imported_at',
)

/** Searches the imported catalog: the nearest hotels if a place is given, otherwise the best matches of the text. */
export async function searchImportedHotels(db: Db, search: LocalHotelSearch): Promise<HotelSourceRecord[]> {
  const limit = search.minRooms === null && search.stars === null ? MAX_LISTED_HOTELS : MAX_COMPARED
  if (search.near)
    return (await sql<CatalogRow>`${buildNearbyHotelsSql(search, search.near)} limit ${limit}`.execute(db)).rows.map(toImported)
  const found = await searchByText(db, search, limit)
  return found.length > 0 ? found : searchSimilar(db, search, limit)
}

/** Selects the catalog hotels within the search radius of a place, nearest first, by the map cells around the place. */
export function buildNearbyHotelsSql(search: LocalHotelSearch, near: NonNullable<LocalHotelSearch['near']>): RawBuilder<CatalogRow> {
  const ranges = listMapCellRanges(near, near.radiusKm)
  return sql<CatalogRow>`
    select ${CATALOG_COLUMNS} from unnest(${ranges.map(({ first }) => first)}::integer[], ${ranges.map(({ last }) => last)}::integer[]) as c(first, last)
    join catalog_hotels h on h.cell between c.first and c.last
    where ${buildDistanceSql(near)} <= ${near.radiusKm} and ${matchesFacts(search)} and ${matchesText(search)}
    order by ${buildDistanceSql(near)}, h.ref`
}

/** Searches the catalog by text. If too many hotels match, the ones with the most similar names are returned; the caller sorts them. */
async function searchByText(db: Db, search: LocalHotelSearch, limit: number): Promise<HotelSourceRecord[]> {
  const { rows: matches } = await sql<CatalogRow>`
    select ${CATALOG_COLUMNS} from catalog_hotels h where ${matchesFacts(search)} and ${matchesText(search)} limit ${limit + 1}`.execute(db)
  if (matches.length <= limit) return matches.map(toImported).toSorted((a, b) => (a.ref < b.ref ? -1 : 1))
  const { rows } = await sql<CatalogRow>`
    select ${CATALOG_COLUMNS} from (
      select h.* from catalog_hotels h where ${matchesFacts(search)} and ${matchesText(search)} limit ${MAX_RANKED}) h
    order by similarity(lanyard_searched(h.name), lanyard_searched(${search.text}::text)) desc, h.name, h.ref limit ${limit}`.execute(db)
  return rows.map(toImported)
}

/** Finds hotels whose name is misspelt in the search text, by the similarity of words. */
async function searchSimilar(db: Db, search: LocalHotelSearch, limit: number): Promise<HotelSourceRecord[]> {
  const { rows } = await sql<CatalogRow>`
    select ${CATALOG_COLUMNS} from (
      select h.* from catalog_hotels h where lanyard_searched(${search.text}::text) <% h.searched and ${matchesFacts(search)} limit ${MAX_RANKED}) h
    order by word_similarity(lanyard_searched(${search.text}::text), h.searched) desc, h.name, h.ref limit ${limit}`.execute(db)
  return rows.map(toImported)
}

export async function findImportedHotel(db: Db, ref: string): Promise<HotelSourceRecord | null> {
  const { rows } = await sql<CatalogRow>`select ${CATALOG_COLUMNS} from catalog_hotels h where h.ref = ${ref}`.execute(db)
  return rows[0] ? toImported(rows[0]) : null
}

function toImported(row: CatalogRow): HotelSourceRecord {
  const { ref, name, street, postal_code, city, region, country, latitude, longitude, stars, rooms, brand, phone, website } = row
  return {
    ref,
    name,
    address: dropUnknown({ street, postalCode: postal_code, city, region, country }),
    latitude,
    longitude,
    stars,
    rooms,
    brand,
    phone,
    website,
    source: 'import',
    at: row.imported_at,
    attribution: row.attribution,
    atEvent: null,
  }
}

const dropUnknown = (address: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(address).filter((entry): entry is [string, string] => entry[1] !== null))

interface OwnRow extends Omit<
  CatalogRow,
  'ref' | 'street' | 'postal_code' | 'city' | 'region' | 'country' | 'rooms' | 'phone' | 'website' | 'attribution' | 'imported_at'
> {
  id: string
  event_id: string
  catalog_ref: string | null
  supplier_id: string | null
  address: HotelSourceRecord['address']
  updated_at: Date
}

const OWN_COLUMNS = sql.raw(
  'h.id, h.event_id, h.catalog_ref, h.supplier_id, h.name, h.address, h.latitude, h.longitude, h.stars, h.brand, h.updated_at',
)

/** The context that a hotel search needs: the client whose hotels are searched, and the caller's access to the client's events. */
export type HotelSearchScope = Pick<EventContext, 'db' | 'tenantId' | 'client' | 'access' | 'event'>

/** Searches the hotels of the client's events. */
export async function searchClientHotels(ctx: HotelSearchScope, search: LocalHotelSearch): Promise<HotelSourceRecord[]> {
  const near = search.near
  const band = near && near.radiusKm / 110
  const { rows } = await sql<OwnRow>`
    select ${OWN_COLUMNS}
    from event_hotels h join events e on e.tenant_id = h.tenant_id and e.id = h.event_id
    where h.tenant_id = ${ctx.tenantId} and not h.retired and ${buildPermittedEventSql(ctx, 'housing.read')}
      and ${near ? sql`h.latitude between ${near.latitude - band!} and ${near.latitude + band!} and ${buildDistanceSql(near)} <= ${near.radiusKm}` : sql`true`}
      and ${buildWordMatchWithoutIndex(sql`(h.searched || lanyard_searched(h.address ->> 'city', h.address ->> 'street'))`, [search.text, search.brand].filter(Boolean).join(' '))}
    order by ${near ? sql`${buildDistanceSql(near)},` : sql``} h.updated_at desc, h.id limit ${MAX_LISTED_HOTELS}`.execute(ctx.db)
  return rows.map(toOwn)
}

/** Lists all hotels of the client's events, for the comparison with one hotel of the catalog. */
export async function listClientHotelsForMatching(
  ctx: HotelSearchScope,
  hotel: Pick<HotelSourceRecord, 'ref' | 'name' | 'latitude' | 'longitude'>,
): Promise<HotelSourceRecord[]> {
  const place = hotel.latitude === null || hotel.longitude === null ? null : { latitude: hotel.latitude, longitude: hotel.longitude }
  const { rows } = await sql<OwnRow>`
    select ${OWN_COLUMNS}
    from event_hotels h join events e on e.tenant_id = h.tenant_id and e.id = h.event_id
    where h.tenant_id = ${ctx.tenantId} and not h.retired and ${buildPermittedEventSql(ctx, 'housing.read')}
      and (h.catalog_ref = ${hotel.ref} or 'own:' || h.id = ${hotel.ref} or lower(h.name) = lower(${hotel.name})
        ${place ? sql`or h.latitude between ${place.latitude - 0.0025} and ${place.latitude + 0.0025} and ${buildDistanceSql(place)} <= 0.25` : sql``})
    order by h.updated_at desc, h.id limit ${MAX_COMPARED}`.execute(ctx.db)
  return rows.map(toOwn)
}

export async function findClientHotel(ctx: HotelSearchScope, hotelId: string): Promise<HotelSourceRecord | null> {
  const { rows } = await sql<OwnRow>`
    select ${OWN_COLUMNS}
    from event_hotels h join events e on e.tenant_id = h.tenant_id and e.id = h.event_id
    where h.tenant_id = ${ctx.tenantId} and h.id = ${hotelId} and ${buildPermittedEventSql(ctx, 'housing.read')}`.execute(ctx.db)
  return rows[0] ? toOwn(rows[0]) : null
}

const toOwn = ({
  id,
  event_id,
  catalog_ref,
  supplier_id,
  name,
  address,
  latitude,
  longitude,
  stars,
  brand,
  updated_at,
}: OwnRow): HotelSourceRecord => ({
  ref: `own:${id}`,
  name,
  address,
  latitude,
  longitude,
  stars,
  brand,
  rooms: null,
  phone: null,
  website: null,
  source: 'typed',
  at: updated_at,
  attribution: null,
  atEvent: { hotelId: id, eventId: event_id, catalogRef: catalog_ref, supplierId: supplier_id },
})
