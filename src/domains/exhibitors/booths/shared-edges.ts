import type { Point, Polygon } from '../floor/plan-shapes.ts'
import { edgesOf } from '../floor/polygons.ts'

/** Minimum length of a shared edge: one centimetre, so that shapes that touch only at a corner share none. */
const MIN_SHARED_LENGTH = 100
/** Maximum gap between shared edges: one millimetre, for edges drawn by hand. */
const MAX_GAP = 10

/** Whether two polygons have a part of an edge in common. */
export const sharesEdge = (a: Polygon, b: Polygon): boolean =>
  edgesOf(a).some((one) => edgesOf(b).some((other) => sharedLengthOf(one, other) > MIN_SHARED_LENGTH))

function sharedLengthOf([a, b]: [Point, Point], [c, d]: [Point, Point]): number {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1])
  const [ux, uy] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length]
  const along = ([x, y]: Point) => (x - a[0]) * ux + (y - a[1]) * uy
  const across = ([x, y]: Point) => Math.abs((x - a[0]) * uy - (y - a[1]) * ux)
  if (across(c) > MAX_GAP || across(d) > MAX_GAP) return 0
  return Math.min(length, Math.max(along(c), along(d))) - Math.max(0, Math.min(along(c), along(d)))
}

/**
 * Joins polygons into one. Each polygon must share an edge with another one, and the shared edge must be a full edge of one of the two.
 * Null if the result is not one simple polygon, for example because a polygon touches the others only at a corner, or because a hole
 * remains. All polygons are counter-clockwise, so that a shared edge runs in opposite directions.
 */
export function joinPolygons(polygons: readonly Polygon[]): Polygon | null {
  const pieces = polygons.map((polygon) => withCornersOf(polygon, polygons))
  const edges = new Map<string, [Point, Point]>()
  for (const edge of pieces.flatMap(edgesOf)) {
    const opposite = keyOf(edge[1], edge[0])
    if (!edges.delete(opposite)) edges.set(keyOf(...edge), edge)
  }
  const boundary = [...edges.values()]
  const shared = polygons.flatMap(edgesOf).filter((edge) => !bordersOutside(edge, boundary))
  const touches = (polygon: Polygon) =>
    edgesOf(polygon).some(([a, b]) => shared.some((edge) => edge.every((point) => isOnEdge(point, a, b))))
  if (!polygons.every(touches)) return null
  const next = new Map(boundary.map(([from, to]) => [String(from), to]))
  // Two edges that start at the same corner mean that boundaries touch there, so the result is not one simple polygon.
  if (next.size !== edges.size || edges.size === 0) return null
  const start = boundary[0]![0]
  const joined: Point[] = [start]
  for (let at = next.get(String(start)); at && String(at) !== String(start); at = next.get(String(at))) {
    joined.push(at)
    if (joined.length > edges.size) return null
  }
  return joined.length === edges.size ? withoutStraightCorners(joined) : null
}

const keyOf = (from: Point, to: Point) => `${String(from)} ${String(to)}`

/** Adds the corners of other polygons that lie on an edge, so that shared parts of edges are equal. */
function withCornersOf(polygon: Polygon, others: readonly Polygon[]): Polygon {
  const corners = others.filter((other) => other !== polygon).flat()
  return edgesOf(polygon).flatMap(([a, b]) => {
    const along = ([x, y]: Point) => (x - a[0]) * (b[0] - a[0]) + (y - a[1]) * (b[1] - a[1])
    const isOn = ([x, y]: Point) => (x - a[0]) * (b[1] - a[1]) === (y - a[1]) * (b[0] - a[0])
    const between = corners.filter((point) => isOn(point) && along(point) > 0 && along(point) < along(b))
    const distinct = [...new Map(between.map((point) => [String(point), point])).values()]
    return [a, ...distinct.toSorted((one, other) => along(one) - along(other))]
  })
}

/** Whether at least a part of an edge is on the outer boundary of the joined polygon. */
const bordersOutside = ([a, b]: [Point, Point], boundary: readonly [Point, Point][]): boolean =>
  boundary.some(
    ([from, to]) => isOnEdge(from, a, b) && isOnEdge(to, a, b) && (to[0] - from[0]) * (b[0] - a[0]) + (to[1] - from[1]) * (b[1] - a[1]) > 0,
  )

const isOnEdge = ([x, y]: Point, a: Point, b: Point) =>
  (x - a[0]) * (b[1] - a[1]) === (y - a[1]) * (b[0] - a[0]) &&
  Math.min(a[0], b[0]) <= x &&
  x <= Math.max(a[0], b[0]) &&
  Math.min(a[1], b[1]) <= y &&
  y <= Math.max(a[1], b[1])

const withoutStraightCorners = (polygon: Polygon): Polygon =>
  polygon.filter((point, i) => {
    const [before, after] = [polygon.at(i - 1)!, polygon[(i + 1) % polygon.length]!]
    return (point[0] - before[0]) * (after[1] - point[1]) !== (point[1] - before[1]) * (after[0] - point[0])
  })
