import { measureBoxDistance, type PolygonWithBoundingBox, measureShapeDistance } from '../floor/distance.ts'
import { TENTHS_OF_MM_PER_METRE } from '../floor/plan-shapes.ts'
import type { PlacedCompany } from './placed-companies.ts'
import { computePercentileRanks, computeSpearmanCorrelation } from './ranks.ts'

export interface RatedBooth {
  number: string
  shape: PolygonWithBoundingBox
  company: PlacedCompany | null
  quality: number
  exposure: number
}

const roundToTenth = (value: number) => Math.round(value * 10) / 10
const toMetres = (tenths: number) => roundToTenth(tenths / TENTHS_OF_MM_PER_METRE)

/** Finds competing companies whose booths are nearer than the limit (in metres), each pair once at its smallest distance. */
export function findCompetitorPairs(
  booths: readonly RatedBooth[],
  competitors: readonly { company_id: string; competitor_id: string }[],
  limit: number,
) {
  const byCompany = Map.groupBy(
    booths.filter(({ company }) => company !== null),
    ({ company }) => company!.companyId,
  )
  const pairs = competitors.flatMap(({ company_id, competitor_id }) => {
    const near = (byCompany.get(company_id) ?? [])
      .flatMap((a) => (byCompany.get(competitor_id) ?? []).map((b) => ({ a, b, distance: measureShapeDistance(a.shape, b.shape) })))
      .toSorted((one, other) => one.distance - other.distance)[0]
    return near && near.distance < limit * TENTHS_OF_MM_PER_METRE - 1 ? [near] : []
  })
  const shown = ({ number, company }: RatedBooth) => ({ number, company: company!.name })
  return pairs
    .toSorted((one, other) => one.distance - other.distance)
    .map(({ a, b, distance }) => ({ a: shown(a), b: shown(b), distance: toMetres(distance), limit }))
}

const MIN_ZONE_BOOTHS = 3
const DEAD_SHARE = 0.1

/**
 * Finds dead zones: groups of at least three neighbouring booths among the 10 % of booths that the fewest visitors pass. Booths within
 * `neighbourMetres` are neighbours.
 */
export function findDeadZones(booths: readonly RatedBooth[], neighbourMetres: number): string[][] {
  const sorted = booths.map(({ exposure }) => exposure).toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  // If the same number of visitors passes every booth, no booth is in a dead zone.
  const left = new Set(booths.filter(({ exposure }) => sorted.indexOf(exposure) < DEAD_SHARE * sorted.length && exposure < median))
  const zones: string[][] = []
  for (const first of left) {
    const zone = [first]
    left.delete(first)
    for (const one of zone) {
      for (const other of left) {
        const reach = neighbourMetres * TENTHS_OF_MM_PER_METRE + 1
        if (measureBoxDistance(one.shape.box, other.shape.box) > reach || measureShapeDistance(one.shape, other.shape) > reach) continue
        left.delete(other)
        zone.push(other)
      }
    }
    if (zone.length >= MIN_ZONE_BOOTHS) zones.push(zone.map(({ number }) => number))
  }
  return zones
}

const MIN_FAIRNESS_COMPANIES = 5
const SHOWN_COMPANIES = 5

/**
 * Compares priority points with the quality of the booths that companies have, on average. The worst are those whose rank by points is
 * furthest above their rank by quality.
 */
export function ratePlacementFairness(booths: readonly RatedBooth[], points: ReadonlyMap<string, number>) {
  const byCompany = Map.groupBy(
    booths.filter(({ company }) => company?.assigned && (points.get(company.companyId) ?? 0) > 0),
    ({ company }) => company!.companyId,
  )
  const rated = [...byCompany].map(([companyId, own]) => ({
    company: own[0]!.company!.name,
    points: points.get(companyId)!,
    quality: roundToTenth(own.reduce((sum, { quality }) => sum + quality, 0) / own.length),
    boothNumbers: own.map(({ number }) => number),
  }))
  const n = rated.length
  if (n < MIN_FAIRNESS_COMPANIES) return { spearman: null, n, worst: [] }
  const [byPoints, byQuality] = [
    computePercentileRanks(rated.map((one) => one.points)),
    computePercentileRanks(rated.map(({ quality }) => quality)),
  ]
  const correlation = computeSpearmanCorrelation(
    rated.map((one) => one.points),
    rated.map(({ quality }) => quality),
  )
  const worst = rated
    .map((one, i) => ({ one, behind: byPoints[i]! - byQuality[i]! }))
    .filter(({ behind }) => behind > 0)
    .toSorted((a, b) => b.behind - a.behind || b.one.points - a.one.points)
    .slice(0, SHOWN_COMPANIES)
    .map(({ one }) => one)
  return { spearman: correlation === null ? null : Math.round(correlation * 1000) / 1000, n, worst }
}
