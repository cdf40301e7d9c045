import type { FloorSpatialIndex } from './floor-index.ts'
import { findOpenBoothSides, getSideLength, type BoothSide, removeCollinearPoints } from './open-sides.ts'
import {
  fromTenthsOfMillimetres,
  type Point,
  type Polygon,
  TENTHS_OF_MM_PER_METRE,
  toAreaInPlanUnits,
  toSquareMetres,
  type PlanUnits,
} from './plan-shapes.ts'
import { computePolygonArea, edgesOf, findSmallestRectangle } from './polygons.ts'

export const BOOTH_TYPES = ['inline', 'corner', 'peninsula', 'island', 'perimeter'] as const
export type BoothType = (typeof BOOTH_TYPES)[number]

/** Figures derived from the shape and position of a booth. Lengths and `area` are in the plan's units. */
export interface BoothMeasurements {
  area: number
  areaM2: number
  width: number
  depth: number
  openSides: number
  type: BoothType
}

export function computeBoothMeasurements(floor: FloorSpatialIndex, polygon: Polygon, units: PlanUnits): BoothMeasurements {
  const { width, depth } = findSmallestRectangle(polygon)
  const sides = findOpenBoothSides(floor, polygon)
  const area = computePolygonArea(polygon)
  return {
    area: toAreaInPlanUnits(area, units),
    areaM2: toSquareMetres(area),
    width: fromTenthsOfMillimetres(width, units),
    depth: fromTenthsOfMillimetres(depth, units),
    // A round booth is a polygon with many edges, but counts as open on at most four sides.
    openSides: Math.min(4, sides.length),
    type: typeOf(floor, polygon, sides),
  }
}

const TYPES_BY_OPEN_SIDES: readonly BoothType[] = ['inline', 'inline', 'corner', 'peninsula', 'island']

function typeOf(floor: FloorSpatialIndex, polygon: Polygon, sides: readonly BoothSide[]): BoothType {
  if (sides.length === 1 && hasWallBehind(floor, polygon, sides[0]!)) return 'perimeter'
  return TYPES_BY_OPEN_SIDES[Math.min(4, sides.length)]!
}

/** Maximum distance between a wall and the back of a booth that stands against it: half a metre. */
const WALL_DISTANCE = TENTHS_OF_MM_PER_METRE / 2

/** Whether the side of the booth opposite its open side runs along a wall of the hall. */
function hasWallBehind(floor: FloorSpatialIndex, polygon: Polygon, open: BoothSide): boolean {
  const [ux, uy] = directionOf(open)
  const opposition = (side: BoothSide) => {
    const [x, y] = directionOf(side)
    return ux * x + uy * y
  }
  const back = edgesOf(removeCollinearPoints(polygon)).reduce((best, side) => (opposition(side) < opposition(best) - 1e-9 ? side : best))
  const middle: Point = [(back[0][0] + back[1][0]) / 2, (back[0][1] + back[1][1]) / 2]
  const near = {
    left: middle[0] - WALL_DISTANCE,
    right: middle[0] + WALL_DISTANCE,
    bottom: middle[1] - WALL_DISTANCE,
    top: middle[1] + WALL_DISTANCE,
  }
  return floor.walls.find(near).some((wall) => measureDistanceToSide(middle, wall) <= WALL_DISTANCE)
}

function directionOf(side: BoothSide): Point {
  const [[ax, ay], [bx, by]] = side
  return [(bx - ax) / getSideLength(side), (by - ay) / getSideLength(side)]
}

/** The distance of a point from a line segment. */
export function measureDistanceToSide([x, y]: Point, [[ax, ay], [bx, by]]: BoothSide): number {
  const squared = (bx - ax) ** 2 + (by - ay) ** 2
  const t = squared === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / squared))
  return Math.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay))
}
