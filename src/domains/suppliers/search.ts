import { type RawBuilder, sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import type { GeoPoint } from '../../kernel/hotel-providers.ts'
import { type SortColumn, decryptCursor, readValueStoredInCursor, readPage } from '../../kernel/page.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import type { RoomSetup } from '../briefs/answers.ts'
import { SQUARE_METRES_PER_PERSON } from '../briefs/needs.ts'
import { computeRoundedDistanceKm, KM_PER_LATITUDE_DEGREE } from '../housing/distance.ts'
import { buildDistanceSql } from '../hotel-catalog/local-hotels.ts'
import { resolvePlace } from '../hotel-catalog/places.ts'
import { normalizeAmenity } from './identity.ts'
import { computeDistanceToWantedPlace, type GeocodedRequirements, readGeocodedRequirements, type GeocodingContext } from './need.ts'
import { TOTAL_MEETING_SQM_SQL, readAmenitySpellings, buildSupplierFitScoreSql } from './rank-fit.ts'
import { toSupplierSummary } from './shapes.ts'
import { type SupplierScope, selectClientSuppliers } from './suppliers.ts'
import type { SupplierRow } from './tables.ts'

export interface SupplierSearch {
  search?: string | undefined
  kind?: string | undefined
  near?: string | undefined
  radiusKm?: number | undefined
  minSleepingRooms?: number | undefined
  minTotalSqm?: number | undefined
  largestRoomFor?: { people: number; setup: RoomSetup } | undefined
  amenities?: readonly string[] | undefined
  status?: SupplierRow['status'] | undefined
  briefId?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** The place of a supplier search, and the requirements of the brief. */
export interface GeocodedSupplierSearch {
  near: GeoPoint | null
  located: GeocodedRequirements | null
}

/** Looks up the place and the cities of the brief, before the search. */
export async function geocodeSupplierSearch(ctx: GeocodingContext, wanted: SupplierSearch): Promise<GeocodedSupplierSearch> {
  if (wanted.cursor !== undefined) decryptCursor(ctx, wanted.cursor)
  if (wanted.radiusKm !== undefined && wanted.near === undefined)
    throw invalidArguments([{ path: 'near', message: 'give the place that radiusKm is measured from' }])
  const near = wanted.near === undefined ? null : (await resolvePlace(ctx, wanted.near, ctx.hotels?.geocoder ?? null)).place
  return { near, located: wanted.briefId === undefined ? null : await readGeocodedRequirements(ctx, wanted.briefId, { lenient: true }) }
}

/** Finds suppliers of the client: by fit if a brief is given, otherwise by distance if a place is given, otherwise by text or name. */
export async function searchSuppliers(ctx: EventContext, wanted: SupplierSearch, { near, located }: GeocodedSupplierSearch) {
  const mustHaves = await readAmenitySpellings(ctx, located?.need.mustHaves ?? [])
  const order = located ? { near, located, tenths: buildSupplierFitScoreSql(located, mustHaves) } : { near }
  return searchText(ctx, wanted, (similar) => listMatches(ctx, { ...wanted, similar }, order))
}

/** Lists suppliers for a console page, by text or name. */
export const listSuppliers = (ctx: ListScope, wanted: SupplierSearch) =>
  searchText(ctx, wanted, (similar) => listMatches(ctx, { ...wanted, similar }, { near: null }))

type ListScope = SupplierScope & Parameters<typeof readPage>[0]
type Match = SupplierSearch & { similar: boolean }

/** Searches for similar words only if no supplier contains the search words. Later pages search in the same way as the first page. */
async function searchText<Found extends { suppliers: readonly unknown[] }>(
  ctx: ListScope,
  wanted: Pick<SupplierSearch, 'search' | 'limit' | 'cursor'>,
  list: (similar: boolean) => Promise<Found>,
): Promise<Found> {
  const pin = readValueStoredInCursor(ctx, wanted)
  if (pin !== null) return list(pin === 'similar')
  const exact = await list(false)
  return wanted.search === undefined || exact.suppliers.length > 0 ? exact : list(true)
}

const METERS_UNKNOWN = 2_000_000_000

interface Ranked extends SupplierRow {
  rank: number
}

interface ListOrder {
  near: GeoPoint | null
  /** The requirements of the brief, with the coordinates of the places they name. Set if suppliers are ranked by how well they fit. */
  located?: GeocodedRequirements
  tenths?: RawBuilder<number>
}

const rankByText = (text: string) =>
  sql<number>`round(1000 * (1 - word_similarity(lanyard_searched(${text}::text), suppliers.searched)))::integer`

async function listMatches(ctx: ListScope, wanted: Match, { near, located, tenths }: ListOrder) {
  const rank =
    tenths ??
    (near
      ? sql<number>`coalesce(round(1000 * ${buildDistanceSql(near, 'suppliers')}), ${METERS_UNKNOWN})::integer`
      : wanted.search === undefined
        ? sql<number>`0::integer`
        : rankByText(wanted.search))
  const order: SortColumn<Ranked>[] = [
    { by: rank, type: 'integer', descending: tenths !== undefined, of: (row) => row.rank },
    ...(tenths ? [] : [{ by: sql.ref('suppliers.name'), type: 'text' as const, of: (row: Ranked) => row.name }]),
    { by: sql.ref('suppliers.id'), type: 'text', of: (row) => row.id },
  ]
  const shape = (row: Ranked) =>
    toSupplierSummary(row, {
      ...(tenths ? { fit: row.rank / 10 } : {}),
      distanceKm: near ? computeRoundedDistanceKm(near, row) : located ? computeDistanceToWantedPlace(located.centers, row) : null,
    })
  const { items, ...rest } = await readPage(ctx, wanted, {
    rows: selectMatches(ctx, wanted, near).selectAll('suppliers').select(rank.as('rank')),
    order,
    shape,
    pin: wanted.similar ? 'similar' : 'words',
  })
  return { suppliers: items, ...rest }
}

/** Selects the suppliers that match the search. Blocked suppliers are included only if requested. */
const selectMatches = (ctx: SupplierScope, wanted: Match, near: GeoPoint | null) =>
  selectClientSuppliers(ctx).where(sql<boolean>`${sql.join(listConditions(wanted, near), sql` and `)}`)

function listConditions(wanted: Match, near: GeoPoint | null): RawBuilder<boolean>[] {
  const { search, kind, radiusKm, minSleepingRooms, minTotalSqm, largestRoomFor, amenities = [], status, similar } = wanted
  const band = radiusKm === undefined ? 0 : radiusKm / KM_PER_LATITUDE_DEGREE
  return [
    status === undefined ? sql<boolean>`suppliers.status <> 'blocked'` : sql<boolean>`suppliers.status = ${status}`,
    ...(search === undefined
      ? []
      : [
          similar
            ? sql<boolean>`lanyard_searched(${search}::text) <% suppliers.searched`
            : buildWordMatchCondition(sql`suppliers.searched`, search),
        ]),
    ...(kind === undefined ? [] : [sql<boolean>`suppliers.kind = ${kind}`]),
    ...(near && radiusKm !== undefined
      ? [
          sql<boolean>`suppliers.latitude between ${near.latitude - band} and ${near.latitude + band}`,
          sql<boolean>`${buildDistanceSql(near, 'suppliers')} <= ${radiusKm}`,
        ]
      : []),
    ...(minSleepingRooms === undefined ? [] : [sql<boolean>`suppliers.sleeping_rooms >= ${minSleepingRooms}`]),
    ...(minTotalSqm === undefined ? [] : [sql<boolean>`${TOTAL_MEETING_SQM_SQL} >= ${minTotalSqm}`]),
    ...(largestRoomFor === undefined ? [] : [hasRoomFor(largestRoomFor)]),
    ...(amenities.length === 0 ? [] : [hasAmenities(amenities)]),
  ]
}

/**
 * SQL condition that a room has enough capacity: as stated for the setup, otherwise its area divided by the area per person, such as 300
 * people on 510 m² in classroom setup.
 */
const hasRoomFor = ({ people, setup }: { people: number; setup: RoomSetup }) => sql<boolean>`exists (
  select 1 from jsonb_array_elements(suppliers.meeting_rooms) r
  where coalesce((r -> 'capacity' ->> ${setup}::text)::numeric, floor((r ->> 'areaSqm')::numeric / ${String(SQUARE_METRES_PER_PERSON[setup])}::numeric)) >= ${people})`

const hasAmenities = (amenities: readonly string[]) => sql<boolean>`${amenities.map(normalizeAmenity)}::text[] <@ array(
  select regexp_replace(lanyard_searched(a), '[^[:alnum:]]+', '', 'g') from unnest(suppliers.amenities) a)`
