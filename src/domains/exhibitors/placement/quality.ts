import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import type { FloorPlanRow } from '../floor/floor-plans.ts'
import { buildWalkableGrid, CELL_SIZE, findNearestCells, findOpenSides, type Grid } from '../floor/grid.ts'
import { getSideLength, type BoothSide } from '../floor/open-sides.ts'
import { convertCellsToMetres } from '../floor/paths.ts'
import { TENTHS_OF_MM_PER_METRE, type Point, type PointOfInterest, type Polygon } from '../floor/plan-shapes.ts'
import { edgesOf } from '../floor/polygons.ts'
import { createVisitorFlow, findCellsNearBoothSides } from './visitor-flow.ts'
import { computePercentileRanks } from './ranks.ts'

/** How easily visitors find a booth (section 4.4 of the specification). */
export interface BoothQuality {
  /** Rating of the booth's position, from 0 to 100. */
  quality: number
  /** Share of all visitor flow that passes within three metres of an open side, 0 to 1. */
  exposure: number
  /** Metres on foot from the nearest entrance; null if no entrance reaches the booth. */
  distanceToEntrance: number | null
  openSides: number
}

export interface BoothQualityWeights {
  exposure: number
  proximity: number
  openSides: number
}

export const BOOTH_QUALITY_WEIGHTS: BoothQualityWeights = { exposure: 0.5, proximity: 0.3, openSides: 0.2 }

interface PlacedBooth {
  id: string
  polygon: Polygon
}

/** Visitors who pass a booth within three metres notice it. */
const NOTICED_WITHIN = 3 * TENTHS_OF_MM_PER_METRE
const MAX_SIDES = 4
const ISLAND_WEIGHT = 2
const BOOTH_WEIGHT = 1
const POI_WEIGHTS: Partial<Record<PointOfInterest['kind'], number>> = { food: 3, stage: 3, restroom: 2 }
/** Kinds of points of interest that are not destinations of visitors. */
const NO_DESTINATIONS: readonly PointOfInterest['kind'][] = ['entrance', 'exit', 'fireExit', 'loadingDock']

/** Measures how easily visitors find each booth, by booth id; null without an entrance. Mirrored plans have mirrored results. */
export function* measureQuality(
  { outline, obstacles, pois }: Pick<FloorPlanRow, 'outline' | 'obstacles' | 'pois'>,
  booths: readonly PlacedBooth[],
  weights: BoothQualityWeights = BOOTH_QUALITY_WEIGHTS,
): CooperativeTask<Map<string, BoothQuality> | null> {
  const entrances = pois.filter(({ kind }) => kind === 'entrance')
  if (entrances.length === 0) return null
  const grid = yield* buildWalkableGrid({ outline, obstacles, booths })
  const measured = booths.map(({ polygon }) => measureBooth(grid, polygon))
  yield
  const destinations = [
    ...measured.map(({ cells, openSides }) => ({ cells, weight: openSides === MAX_SIDES ? ISLAND_WEIGHT : BOOTH_WEIGHT })),
    ...pois
      .filter(({ kind }) => !NO_DESTINATIONS.includes(kind))
      .map(({ kind, point }) => ({ cells: findNearestCells(grid, point), weight: POI_WEIGHTS[kind] ?? 1 })),
  ]
  const passing = measured.map(() => 0)
  const nearest = measured.map(() => Infinity)
  let total = 0
  for (const { point, doorWidth } of entrances) {
    const weight = doorWidth === undefined ? 1 : doorWidth / TENTHS_OF_MM_PER_METRE
    const flow = yield* createVisitorFlow(grid, findNearestCells(grid, point), destinations)
    total += weight * flow.total
    for (const [i, { cells, noticed }] of measured.entries()) {
      passing[i]! += weight * flow.through(noticed)
      nearest[i] = Math.min(nearest[i]!, ...cells.map((cell) => flow.distance[cell]!))
      if (i % 50 === 49) yield
    }
  }
  const exposures = passing.map((amount) => (total === 0 ? 0 : roundShare(amount / total)))
  return rate(booths, weights, { exposures, nearest, openSides: measured.map(({ openSides }) => openSides) })
}

function measureBooth(grid: Grid, polygon: Polygon) {
  const sides = findOpenSides(grid, polygon)
  const cells = [
    ...new Set(findAccessPoints(sides.length > 0 ? sides : edgesOf(polygon)).flatMap((point) => findNearestCells(grid, point))),
  ]
  return { cells, openSides: Math.min(sides.length, MAX_SIDES), noticed: findCellsNearBoothSides(grid, sides, NOTICED_WITHIN) }
}

/**
 * Returns a point in front of the middle of the longest side. If several sides are equally long, returns one point for each, because a
 * choice by position would rate the two ends of a symmetric row differently.
 */
function findAccessPoints(sides: readonly BoothSide[]): Point[] {
  const longest = Math.max(...sides.map(getSideLength))
  return sides
    .filter((side) => getSideLength(side) > longest - 1e-6)
    .map(([[ax, ay], [bx, by]]): Point => {
      const [outX, outY] = [((by - ay) / longest) * (CELL_SIZE / 2), ((ax - bx) / longest) * (CELL_SIZE / 2)]
      return [(ax + bx) / 2 + outX, (ay + by) / 2 + outY]
    })
}

/** Rounds a share of visitors, so that sums added in another order are equal. */
const roundShare = (share: number) => Math.round(share * 1e6) / 1e6

function rate(
  booths: readonly PlacedBooth[],
  weights: BoothQualityWeights,
  { exposures, nearest, openSides }: { exposures: number[]; nearest: number[]; openSides: number[] },
): Map<string, BoothQuality> {
  const percentiles = computePercentileRanks(exposures)
  const furthest = Math.max(0, ...nearest.filter((distance) => distance < Infinity))
  const sum = weights.exposure + weights.proximity + weights.openSides
  return new Map(
    booths.map(({ id }, i) => {
      const reached = nearest[i]! < Infinity
      const proximity = !reached ? 0 : furthest === 0 ? 1 : 1 - nearest[i]! / furthest
      const score = weights.exposure * percentiles[i]! + weights.proximity * proximity + weights.openSides * (openSides[i]! / MAX_SIDES)
      return [
        id,
        {
          quality: Math.round((1000 * score) / sum) / 10,
          exposure: exposures[i]!,
          distanceToEntrance: reached ? Math.round(convertCellsToMetres(nearest[i]!) * 10) / 10 : null,
          openSides: openSides[i]!,
        },
      ]
    }),
  )
}
