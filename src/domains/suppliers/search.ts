import { type RawBuilder, sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import type { GeoPoint } from '../../kernel/hotel-providers.ts'
import { type OrderPart, openCursor, paginateSorted, readCursorPin, readPage } from '../../kernel/page.ts'
import { matchesWords } from '../../kernel/search.ts'
import type { Setup } from '../briefs/answers.ts'
import { AREA_PER_PERSON } from '../briefs/needs.ts'
import { distanceKm } from '../housing/distance.ts'
import { distanceFrom } from '../hotel-catalog/local-hotels.ts'
import { resolvePlace } from '../hotel-catalog/places.ts'
import { rateFit } from './fit.ts'
import { foldAmenity } from './identity.ts'
import { distanceToNearest, type LocatedNeed, locateBrief, type LocatingContext } from './need.ts'
import { toSupplierSummary } from './shapes.ts'
import { type SupplierScope, suppliersOf } from './suppliers.ts'
import type { SupplierRow } from './tables.ts'

export interface SupplierSearch {
  search?: string | undefined
  kind?: string | undefined
  near?: string | undefined
  radiusKm?: number | undefined
  minSleepingRooms?: number | undefined
  minTotalSqm?: number | undefined
  largestRoomFor?: { people: number; setup: Setup } | undefined
  amenities?: readonly string[] | undefined
  status?: SupplierRow['status'] | undefined
  briefId?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** Where suppliers are searched, and what the brief asks for. */
export interface LocatedSearch {
  near: GeoPoint | null
  located: LocatedNeed | null
}

/** Looks up the place and the cities of the brief, before the search. */
export async function locateSearch(ctx: LocatingContext, wanted: SupplierSearch): Promise<LocatedSearch> {
  if (wanted.cursor !== undefined) openCursor(ctx, wanted.cursor)
  if (wanted.radiusKm !== undefined && wanted.near === undefined)
    throw invalidArguments([{ path: 'near', message: 'give the place that radiusKm is measured from' }])
  const near = wanted.near === undefined ? null : (await resolvePlace(ctx, wanted.near, ctx.hotels?.geocoder ?? null)).place
  return { near, located: wanted.briefId === undefined ? null : await locateBrief(ctx, wanted.briefId, { lenient: true }) }
}

/** Finds suppliers of the client: by fit if a brief is given, else by distance if a place is given, else by text or name. */
export async function searchSuppliers(ctx: EventContext, wanted: SupplierSearch, { near, located }: LocatedSearch) {
  const matched = await chooseTextMatch(ctx, wanted, near)
  return located ? rankByFit(ctx, matched, { near, located }) : listMatches(ctx, matched, near)
}

/** Lists suppliers for a page of the console, by text or name. */
export const listSuppliers = async (ctx: SupplierScope & Parameters<typeof readPage>[0], wanted: SupplierSearch) =>
  listMatches(ctx, await chooseTextMatch(ctx, wanted, null), null)

type Match = SupplierSearch & { similar: boolean }

/** Searches similar words only if no supplier contains the words of the search. Later pages search as the first one did. */
async function chooseTextMatch(
  ctx: SupplierScope & Parameters<typeof readPage>[0],
  wanted: SupplierSearch,
  near: GeoPoint | null,
): Promise<Match> {
  if (wanted.search === undefined) return { ...wanted, similar: false }
  const pin = readCursorPin(ctx, wanted)
  if (pin !== null) return { ...wanted, similar: pin === 'similar' }
  const exact = await selectMatches(ctx, { ...wanted, similar: false }, near)
    .select('suppliers.id')
    .limit(1)
    .executeTakeFirst()
  return { ...wanted, similar: exact === undefined }
}

const METERS_UNKNOWN = 2_000_000_000

interface Ranked extends SupplierRow {
  rank: number
}

async function listMatches(ctx: SupplierScope & Parameters<typeof readPage>[0], wanted: Match, near: GeoPoint | null) {
  const rank = near
    ? sql<number>`coalesce(round(1000 * ${distanceFrom(near, 'suppliers')}), ${METERS_UNKNOWN})::integer`
    : wanted.search === undefined
      ? sql<number>`0::integer`
      : sql<number>`round(1000 * (1 - word_similarity(lanyard_searched(${wanted.search}::text), suppliers.searched)))::integer`
  const order: OrderPart<Ranked>[] = [
    { by: rank, type: 'integer', of: (row) => row.rank },
    { by: sql.ref('suppliers.name'), type: 'text', of: (row) => row.name },
    { by: sql.ref('suppliers.id'), type: 'text', of: (row) => row.id },
  ]
  const { items, ...rest } = await readPage(ctx, wanted, {
    rows: selectMatches(ctx, wanted, near).selectAll('suppliers').select(rank.as('rank')),
    order,
    shape: (row) => toSupplierSummary(row, { distanceKm: near && distanceKm(near, row) }),
    pin: wanted.similar ? 'similar' : 'words',
  })
  return { suppliers: items, ...rest }
}

/** Rates all suppliers that match, because the fit depends on the distance to several cities, and shows a page of the best. */
async function rankByFit(ctx: EventContext, wanted: Match, { near, located }: { near: GeoPoint | null; located: LocatedNeed }) {
  const rows = await selectMatches(ctx, wanted, near)
    .select([
      'suppliers.id',
      'suppliers.latitude',
      'suppliers.longitude',
      'suppliers.sleeping_rooms as sleepingRooms',
      'suppliers.amenities',
      'suppliers.rfps',
      'suppliers.responses',
      MEETING_SQM.as('totalMeetingSqm'),
    ])
    .execute()
  const rated = rows.map((row) => {
    const km = distanceToNearest(located.centers, row)
    const { rfps, responses, amenities, sleepingRooms, totalMeetingSqm } = row
    const facts = { sleepingRooms, totalMeetingSqm, km, amenities, history: { rfps, responses } }
    return { id: row.id, km: near ? distanceKm(near, row) : km, fit: rateFit(facts, located.need).fit }
  })
  const { items, ...rest } = paginateSorted(ctx, wanted, {
    rows: rated,
    keyOf: ({ fit, id }) => [-fit, id],
    compare: ([fitA, idA], [fitB, idB]) => Number(fitA) - Number(fitB) || (idA! < idB! ? -1 : idA! > idB! ? 1 : 0),
    shape: (one) => one,
  })
  const ids = items.map(({ id }) => id)
  const shown = ids.length === 0 ? [] : await suppliersOf(ctx).selectAll().where('id', 'in', ids).execute()
  const byId = new Map(shown.map((row) => [row.id, row]))
  return { suppliers: items.map(({ id, km, fit }) => toSupplierSummary(byId.get(id)!, { fit, distanceKm: km })), ...rest }
}

/** As `totalSqmOf`: the stated meeting space, otherwise the sum of the rooms whose area is known. */
const MEETING_SQM = sql<number | null>`coalesce(suppliers.total_meeting_sqm, (
  select sum((r ->> 'areaSqm')::float8) from jsonb_array_elements(suppliers.meeting_rooms) r))`

/** One degree of latitude has at least 110 km. */
const KM_PER_DEGREE = 110

/** The suppliers that match. Blocked ones only if they are asked for. */
const selectMatches = (ctx: SupplierScope, wanted: Match, near: GeoPoint | null) =>
  suppliersOf(ctx).where(sql<boolean>`${sql.join(listConditions(wanted, near), sql` and `)}`)

function listConditions(wanted: Match, near: GeoPoint | null): RawBuilder<boolean>[] {
  const { search, kind, radiusKm, minSleepingRooms, minTotalSqm, largestRoomFor, amenities = [], status, similar } = wanted
  const band = radiusKm === undefined ? 0 : radiusKm / KM_PER_DEGREE
  return [
    status === undefined ? sql<boolean>`suppliers.status <> 'blocked'` : sql<boolean>`suppliers.status = ${status}`,
    ...(search === undefined
      ? []
      : [similar ? sql<boolean>`lanyard_searched(${search}::text) <% suppliers.searched` : matchesWords(sql`suppliers.searched`, search)]),
    ...(kind === undefined ? [] : [sql<boolean>`suppliers.kind = ${kind}`]),
    ...(near && radiusKm !== undefined
      ? [
          sql<boolean>`suppliers.latitude between ${near.latitude - band} and ${near.latitude + band}`,
          sql<boolean>`${distanceFrom(near, 'suppliers')} <= ${radiusKm}`,
        ]
      : []),
    ...(minSleepingRooms === undefined ? [] : [sql<boolean>`suppliers.sleeping_rooms >= ${minSleepingRooms}`]),
    ...(minTotalSqm === undefined ? [] : [sql<boolean>`${MEETING_SQM} >= ${minTotalSqm}`]),
    ...(largestRoomFor === undefined ? [] : [hasRoomFor(largestRoomFor)]),
    ...(amenities.length === 0 ? [] : [hasAmenities(amenities)]),
  ]
}

/** The capacity of a room is as stated for the setup, otherwise its area divided by the area per person: 300 on 510 m² in classroom. */
const hasRoomFor = ({ people, setup }: { people: number; setup: Setup }) => sql<boolean>`exists (
  select 1 from jsonb_array_elements(suppliers.meeting_rooms) r
  where coalesce((r -> 'capacity' ->> ${setup}::text)::numeric, floor((r ->> 'areaSqm')::numeric / ${String(AREA_PER_PERSON[setup])}::numeric)) >= ${people})`

const hasAmenities = (amenities: readonly string[]) => sql<boolean>`${amenities.map(foldAmenity)}::text[] <@ array(
  select regexp_replace(lanyard_searched(a), '[^[:alnum:]]+', '', 'g') from unnest(suppliers.amenities) a)`
