import { sql } from 'kysely'
import type { ExhibitorQueryContext } from '../context.ts'
import { measureShapeDistance, toPolygonWithBoundingBox } from '../floor/distance.ts'
import { fromTenthsOfMillimetres, TENTHS_OF_MM_PER_METRE } from '../floor/plan-shapes.ts'
import type { ListedBooth } from './read-booths.ts'

export interface NearbyCompetitor {
  number: string
  otherNumber: string
  company: string
  /** Distance from the competitor's booth, in the plan's units. */
  distance: number
  units: 'm' | 'ft'
}

/** Finds booths of competitors whose edges are at most the given distance in metres from the booths with these ids. */
export async function findCompetitorsNearby(
  ctx: ExhibitorQueryContext,
  booths: readonly ListedBooth[],
  ids: readonly string[],
  metres: number,
): Promise<NearbyCompetitor[]> {
  const placed = booths.filter(({ company }) => company !== null)
  const pairs = await readCompetitors(
    ctx,
    placed.filter(({ row }) => ids.includes(row.id)).map(({ company }) => company!.id),
  )
  const found: NearbyCompetitor[] = []
  for (const one of placed.filter(({ row }) => ids.includes(row.id))) {
    for (const other of placed) {
      if (other.plan !== one.plan || !pairs.has(`${one.company!.id} ${other.company!.id}`)) continue
      const distance = measureShapeDistance(toPolygonWithBoundingBox(one.row.polygon), toPolygonWithBoundingBox(other.row.polygon))
      if (distance < metres * TENTHS_OF_MM_PER_METRE)
        found.push({
          number: one.row.number,
          otherNumber: other.row.number,
          company: other.company!.name,
          distance: fromTenthsOfMillimetres(distance, one.plan.units),
          units: one.plan.units,
        })
    }
  }
  return found
}

/** Reads the pairs of competing companies, in both directions. */
async function readCompetitors({ db, tenantId, event }: ExhibitorQueryContext, companyIds: readonly string[]): Promise<Set<string>> {
  if (companyIds.length === 0) return new Set()
  const { rows } = await sql<{ a: string; b: string }>`
    select company_id as a, competitor_id as b from company_competitors
    where tenant_id = ${tenantId} and event_id = ${event.id} and (company_id = any(${companyIds}) or competitor_id = any(${companyIds}))`.execute(
    db,
  )
  return new Set(rows.flatMap(({ a, b }) => [`${a} ${b}`, `${b} ${a}`]))
}
