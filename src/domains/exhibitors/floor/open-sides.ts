import type { FloorSpatialIndex } from './floor-index.ts'
import { type Point, type Polygon, TENTHS_OF_MM_PER_METRE } from './plan-shapes.ts'
import { type BoundingBox, computeBoundingBox, edgesOf, listXIntervalsInsidePolygon, computeIntervalOverlapLength } from './polygons.ts'

export type BoothSide = [Point, Point]

const MIN_LENGTH = TENTHS_OF_MM_PER_METRE
const FREE_DEPTH = 1.5 * TENTHS_OF_MM_PER_METRE
const MIN_OPEN_SHARE = 0.8
/** Tolerance of one millimetre: shapes that only touch do not block each other. */
const TOLERANCE = 10

/**
 * Returns the sides of a booth that visitors can approach from: at least a metre long, with 1.5 metres of walkable floor in front of 80%
 * of the length.
 */
export function findOpenBoothSides(floor: FloorSpatialIndex, polygon: Polygon): BoothSide[] {
  return edgesOf(removeCollinearPoints(polygon)).filter(
    (side) => getSideLength(side) >= MIN_LENGTH - TOLERANCE && openShare(floor, side) >= MIN_OPEN_SHARE - 1e-9,
  )
}

export const getSideLength = ([[ax, ay], [bx, by]]: BoothSide) => Math.hypot(bx - ax, by - ay)

/** Removes corners on a straight line, so that a side drawn in two parts counts once. */
export function removeCollinearPoints(polygon: Polygon): Polygon {
  const kept = polygon.filter((point, i) => {
    const [before, after] = [polygon.at(i - 1)!, polygon[(i + 1) % polygon.length]!]
    const across = (point[0] - before[0]) * (after[1] - before[1]) - (point[1] - before[1]) * (after[0] - before[0])
    return Math.abs(across) > TOLERANCE * Math.hypot(after[0] - before[0], after[1] - before[1])
  })
  return kept.length < 3 ? polygon : kept
}

/** The share of the length of a booth's side that has walkable floor in front. */
function openShare(floor: FloorSpatialIndex, side: BoothSide): number {
  const length = getSideLength(side)
  const strip = boxInFront(side)
  // Rotates shapes so that the booth's side lies on the y axis and the floor in front of it has positive x.
  const turn = turnToSide(side)
  const blockers = floor.blockers
    .find(strip)
    .filter((shape) => reachesInto(strip, computeBoundingBox(shape)))
    .map((shape) => shape.map(turn))
  // If no wall of the hall crosses the strip of floor in front of the booth, the whole strip is inside the hall.
  const outer = floor.walls.find(strip).length > 0 ? floor.outline.outer.map(turn) : null
  if (!outer && blockers.length === 0) return 1
  const places = new Set([0, length])
  for (const shape of outer ? [outer, ...blockers] : blockers) for (const y of criticalPlaces(shape)) if (y > 0 && y < length) places.add(y)
  const sorted = [...places].toSorted((a, b) => a - b)
  let open = 0
  for (let i = 1; i < sorted.length; i++) {
    const y = (sorted[i - 1]! + sorted[i]!) / 2
    const front: [number, number][] = [[0, FREE_DEPTH]]
    const inside = outer ? computeIntervalOverlapLength(listXIntervalsInsidePolygon(outer, y), front) : FREE_DEPTH
    const free =
      inside >= FREE_DEPTH - TOLERANCE &&
      blockers.every((shape) => computeIntervalOverlapLength(listXIntervalsInsidePolygon(shape, y), front) <= TOLERANCE)
    if (free) open += sorted[i]! - sorted[i - 1]!
  }
  return open / length
}

/**
 * Whether a box overlaps the strip of floor in front of a booth. A box that only touches it, such as that of the booth itself, does not
 * count.
 */
const reachesInto = (strip: BoundingBox, box: BoundingBox) =>
  box.left < strip.right - TOLERANCE &&
  box.right > strip.left + TOLERANCE &&
  box.bottom < strip.top - TOLERANCE &&
  box.top > strip.bottom + TOLERANCE

/** The box around the floor in front of a side. The polygon is counter-clockwise, so outside is to the right. */
function boxInFront(side: BoothSide): BoundingBox {
  const [[ax, ay], [bx, by]] = side
  const length = getSideLength(side)
  const [outX, outY] = [((by - ay) / length) * FREE_DEPTH, ((ax - bx) / length) * FREE_DEPTH]
  return computeBoundingBox([...side, [ax + outX, ay + outY], [bx + outX, by + outY]])
}

function turnToSide(side: BoothSide): (point: Point) => Point {
  const [[ax, ay], [bx, by]] = side
  const length = getSideLength(side)
  const [ux, uy] = [(bx - ax) / length, (by - ay) / length]
  return ([x, y]) => [(x - ax) * uy - (y - ay) * ux, (x - ax) * ux + (y - ay) * uy]
}

/**
 * Lists the positions along a side where a shape begins or ends to block it: the corners of the shape, and where its edges cross the strip
 * in front of the side.
 */
function* criticalPlaces(shape: Polygon): Generator<number> {
  for (const [[ax, ay], [bx, by]] of edgesOf(shape)) {
    yield ay
    for (const x of [TOLERANCE, FREE_DEPTH - TOLERANCE]) if (ax > x !== bx > x) yield ay + ((x - ax) / (bx - ax)) * (by - ay)
  }
}
