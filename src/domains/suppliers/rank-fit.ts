import { type RawBuilder, sql } from 'kysely'
import { buildDistanceSql } from '../hotel-catalog/local-hotels.ts'
import { MAX_ROOM_SHARE_PER_EVENT, FIT_CRITERIA, type FitCriterion, FIT_CRITERION_WEIGHTS, ASSUMED_FULFILMENT_IF_UNKNOWN } from './fit.ts'
import { normalizeAmenity } from './identity.ts'
import type { GeocodedRequirements } from './need.ts'
import { type SupplierScope, selectClientSuppliers } from './suppliers.ts'

/** For each required amenity, the spellings that the client's suppliers use, so that the database can compare texts unchanged. */
type AmenitySpellings = readonly (readonly string[])[]

/** Reads the spellings of amenities. The list is empty for an amenity that no supplier has. */
export async function readAmenitySpellings(ctx: SupplierScope, amenities: readonly string[]): Promise<AmenitySpellings> {
  const wanted = [...new Set(amenities.map(normalizeAmenity))]
  if (wanted.length === 0) return []
  const rows = await selectClientSuppliers(ctx)
    .select(sql<string>`unnest(suppliers.amenities)`.as('amenity'))
    .distinct()
    .execute()
  const spellings = Map.groupBy(rows, ({ amenity }) => normalizeAmenity(amenity))
  return wanted.map((folded) => spellings.get(folded)?.map(({ amenity }) => amenity) ?? [])
}

const hasOneOf = (spellings: readonly string[]) => sql<boolean>`suppliers.amenities && ${[...spellings]}::text[]`

/** SQL version of `computeTotalMeetingSqm`: the stated meeting space, otherwise the sum of the rooms whose area is known. */
export const TOTAL_MEETING_SQM_SQL = sql<number | null>`coalesce(suppliers.total_meeting_sqm, (
  select sum((r ->> 'areaSqm')::float8) from jsonb_array_elements(suppliers.meeting_rooms) r))`

type Share = RawBuilder<number | null>

/** SQL expressions for the fulfilled share of each requirement, which may be negative or above 1; null if it is unknown. */
function listShares({ need, centers }: GeocodedRequirements, spellings: AmenitySpellings): Partial<Record<FitCriterion, Share>> {
  const { peak, area, radiusKm } = need
  // Distances are rounded to 10 metres, as they are displayed.
  const distances = centers.map((center) => sql`round(${buildDistanceSql(center, 'suppliers')} * 100) / 100`)
  const km =
    distances.length === 0 ? sql`null::float8` : sql`case when suppliers.latitude is not null then least(${sql.join(distances)}) end`
  const met = spellings.map((one) => sql`(${hasOneOf(one)})::integer`)
  return {
    ...(peak > 0 ? { rooms: sql`suppliers.sleeping_rooms * ${MAX_ROOM_SHARE_PER_EVENT}::float8 / ${peak}::float8` } : {}),
    ...(area > 0 ? { space: sql`${TOTAL_MEETING_SQM_SQL} / ${area}::float8` } : {}),
    ...(radiusKm === null ? {} : { place: sql`1 - ${km} / ${radiusKm}::float8` }),
    ...(met.length === 0
      ? {}
      : {
          amenities: sql`case when suppliers.amenities <> '{}' then (${sql.join(met, sql` + `)})::float8 / ${met.length}::float8 end`,
        }),
    history: sql`suppliers.responses::float8 / nullif(suppliers.rfps, 0)`,
  }
}

/** SQL expression for ten times the result of `rateSupplierFit`. The database rates all suppliers of a client faster than it could send them. */
export function buildSupplierFitScoreSql(located: GeocodedRequirements, spellings: AmenitySpellings): RawBuilder<number> {
  const shares = listShares(located, spellings)
  const parts = FIT_CRITERIA.filter((part) => shares[part] !== undefined)
  const points = parts.map(
    (part) =>
      sql`${FIT_CRITERION_WEIGHTS[part]}::float8 * least(1, greatest(0, coalesce(${shares[part]!}, ${ASSUMED_FULFILMENT_IF_UNKNOWN}::float8)))`,
  )
  const weights = parts.reduce((sum, part) => sum + FIT_CRITERION_WEIGHTS[part], 0)
  return sql<number>`floor(1000 * (${sql.join(points, sql` + `)}) / ${weights}::float8 + 0.5)::integer`
}
