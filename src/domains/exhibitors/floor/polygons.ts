import { fromTenthsOfMillimetres, type Point, type Polygon, type PlanUnits } from './plan-shapes.ts'

const MIN_VERTICES = 3
const MAX_VERTICES = 500

/** Twice the signed area, positive for counter-clockwise vertices. */
const signedDoubleArea = (polygon: Polygon) =>
  polygon.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = polygon[(i + 1) % polygon.length]!
    return sum + x * nextY - nextX * y
  }, 0)

export const computePolygonArea = (polygon: Polygon) => Math.abs(signedDoubleArea(polygon)) / 2

export const edgesOf = (polygon: Polygon): [Point, Point][] => polygon.map((point, i) => [point, polygon[(i + 1) % polygon.length]!])

export interface BoundingBox {
  left: number
  bottom: number
  right: number
  top: number
}

/** The bounding box of some points. Without points, such as on a plan whose outline is not known yet, it is an empty box at the origin. */
export function computeBoundingBox(points: readonly Point[]): BoundingBox {
  if (points.length === 0) return { left: 0, bottom: 0, right: 0, top: 0 }
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x, y] of points) {
    if (x < left) left = x
    if (x > right) right = x
    if (y < bottom) bottom = y
    if (y > top) top = y
  }
  return { left, bottom, right, top }
}

export const boxesIntersect = (a: BoundingBox, b: BoundingBox) =>
  a.left <= b.right && b.left <= a.right && a.bottom <= b.top && b.bottom <= a.top

export function computeCentroid(polygon: Polygon): Point {
  const twice = signedDoubleArea(polygon)
  const [x, y] = edgesOf(polygon).reduce<[number, number]>(
    ([sumX, sumY], [[ax, ay], [bx, by]]) => {
      const weight = ax * by - bx * ay
      return [sumX + (ax + bx) * weight, sumY + (ay + by) * weight]
    },
    [0, 0],
  )
  return [x / (3 * twice), y / (3 * twice)]
}

const orientation = ([ax, ay]: Point, [bx, by]: Point, [px, py]: Point) => Math.sign((bx - ax) * (py - ay) - (by - ay) * (px - ax))

const within = ([ax, ay]: Point, [bx, by]: Point, [px, py]: Point) =>
  Math.min(ax, bx) <= px && px <= Math.max(ax, bx) && Math.min(ay, by) <= py && py <= Math.max(ay, by)

/** A point that two edges have in common; null if they do not meet. */
function findMeetingPoint([a, b]: [Point, Point], [c, d]: [Point, Point]): Point | null {
  const [s1, s2, s3, s4] = [orientation(a, b, c), orientation(a, b, d), orientation(c, d, a), orientation(c, d, b)]
  if (s1 === 0 && within(a, b, c)) return c
  if (s2 === 0 && within(a, b, d)) return d
  if (s3 === 0 && within(c, d, a)) return a
  if (s4 === 0 && within(c, d, b)) return b
  if (s1 === s2 || s3 === s4) return null
  const across = (b[0] - a[0]) * (d[1] - c[1]) - (b[1] - a[1]) * (d[0] - c[0])
  const t = ((c[0] - a[0]) * (d[1] - c[1]) - (c[1] - a[1]) * (d[0] - c[0])) / across
  return [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]
}

/** Returns what is wrong with a drawn polygon, such as where it crosses itself (in the floor plan's units); null if nothing is. */
export function findPolygonError(polygon: Polygon, units: PlanUnits): string | null {
  if (polygon.length < MIN_VERTICES || polygon.length > MAX_VERTICES) return `a polygon has ${MIN_VERTICES} to ${MAX_VERTICES} points`
  const edges = edgesOf(polygon)
  for (let i = 0; i < edges.length; i++) {
    for (let j = i + 1; j < edges.length; j++) {
      const neighbours = j === i + 1 || (i === 0 && j === edges.length - 1)
      const at = neighbours ? findDoubledCorner(edges, i, j) : findMeetingPoint(edges[i]!, edges[j]!)
      if (at) return `crosses itself at [${at.map((value) => fromTenthsOfMillimetres(value, units)).join(', ')}]`
    }
  }
  return computePolygonArea(polygon) === 0 ? 'has no area' : null
}

/** Returns the common corner of two adjacent edges if one folds back onto the other or has no length; otherwise null. */
function findDoubledCorner(edges: readonly [Point, Point][], i: number, j: number): Point | null {
  const [first, second] = j === i + 1 ? [edges[i]!, edges[j]!] : [edges[j]!, edges[i]!]
  const [[ax, ay], [bx, by]] = first
  const [, [cx, cy]] = second
  const doubled =
    (ax === bx && ay === by) ||
    (bx === cx && by === cy) ||
    (orientation(first[0], first[1], second[1]) === 0 && (bx - ax) * (cx - bx) + (by - ay) * (cy - by) < 0)
  return doubled ? first[1] : null
}

export const toCounterClockwise = (polygon: Polygon): Polygon => (signedDoubleArea(polygon) < 0 ? polygon.toReversed() : polygon)

/** Returns the area shared by two simple polygons. */
export function computeOverlapArea(a: Polygon, b: Polygon): number {
  const [boxA, boxB] = [computeBoundingBox(a), computeBoundingBox(b)]
  if (!boxesIntersect(boxA, boxB)) return 0
  const range = { bottom: Math.max(boxA.bottom, boxB.bottom), top: Math.min(boxA.top, boxB.top) }
  const [edgesA, edgesB] = [edgesBetween(a, range), edgesBetween(b, range)]
  return sweepArea([edgesA, edgesB], range, (y) => computeIntervalOverlapLength(spansOf(edgesA, y), spansOf(edgesB, y)))
}

type Range = Pick<BoundingBox, 'bottom' | 'top'>

/**
 * Lists the edges of a polygon that touch a range of y coordinates. For the y range of one booth, these are few of the edges of a large
 * hall.
 */
function edgesBetween(polygon: Polygon, { bottom, top }: Range): [Point, Point][] {
  const edges: [Point, Point][] = []
  for (let i = 0; i < polygon.length; i++) {
    const [from, until] = [polygon[i]!, polygon[(i + 1) % polygon.length]!]
    if (Math.max(from[1], until[1]) >= bottom && Math.min(from[1], until[1]) <= top) edges.push([from, until])
  }
  return edges
}

/** Returns the area of a polygon that no other polygon covers. The other polygons may overlap each other and the polygon's edge. */
export function computeUncoveredArea(polygon: Polygon, covers: readonly Polygon[]): number {
  return groupOverlapping(covers).reduce((left, group) => left - coveredArea(polygon, group), computePolygonArea(polygon))
}

function coveredArea(polygon: Polygon, covers: readonly Polygon[]): number {
  if (covers.length === 1) return computeOverlapArea(polygon, covers[0]!)
  const boxes = covers.map(computeBoundingBox)
  const range = { bottom: Math.min(...boxes.map(({ bottom }) => bottom)), top: Math.max(...boxes.map(({ top }) => top)) }
  const edges = edgesBetween(polygon, range)
  const covered = covers.map((cover) => edgesBetween(cover, range))
  return sweepArea([edges, ...covered], range, (y) =>
    computeIntervalOverlapLength(spansOf(edges, y), joinSpans(covered.flatMap((cover) => spansOf(cover, y)))),
  )
}

/** Groups polygons whose bounding boxes intersect, directly or through others of the group. */
function groupOverlapping(polygons: readonly Polygon[]): Polygon[][] {
  const groups: { box: BoundingBox; members: Polygon[] }[] = []
  for (const polygon of polygons) {
    const merged = { box: computeBoundingBox(polygon), members: [polygon] }
    for (let i = groups.length - 1; i >= 0; i--) {
      const { box, members } = groups[i]!
      if (!boxesIntersect(merged.box, box)) continue
      merged.members.push(...members)
      merged.box = {
        left: Math.min(box.left, merged.box.left),
        bottom: Math.min(box.bottom, merged.box.bottom),
        right: Math.max(box.right, merged.box.right),
        top: Math.max(box.top, merged.box.top),
      }
      groups.splice(i, 1)
      // The bounding box has grown and may now intersect groups that were compared before, so all groups are compared again.
      i = groups.length
    }
    groups.push(merged)
  }
  return groups.map(({ members }) => members)
}

/**
 * Calculates an area from the lengths of horizontal lines. Sweeps over the y coordinates of all corners and crossings: between two of them
 * every edge is straight, so the length at the middle is the average length.
 */
function sweepArea(edges: readonly (readonly [Point, Point][])[], { bottom, top }: Range, lengthAt: (y: number) => number): number {
  const heights = new Set([bottom, top])
  const add = (y: number) => (y > bottom && y < top ? heights.add(y) : heights)
  for (const some of edges) for (const [[, y]] of some) add(y)
  for (const some of edges) for (const [, [, y]] of some) add(y)
  for (const [i, some] of edges.entries())
    for (const others of edges.slice(i + 1))
      for (const one of some) for (const other of others) for (const y of crossingHeights(one, other)) add(y)
  const sorted = [...heights].toSorted((one, other) => one - other)
  let area = 0
  for (let i = 1; i < sorted.length; i++) {
    const [low, high] = [sorted[i - 1]!, sorted[i]!]
    area += (high - low) * lengthAt((low + high) / 2)
  }
  return area
}

function crossingHeights([[ax, ay], [bx, by]]: [Point, Point], [[cx, cy], [dx, dy]]: [Point, Point]): number[] {
  const across = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
  if (across === 0) return []
  const t = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / across
  return t >= 0 && t <= 1 ? [ay + t * (by - ay)] : []
}

function joinSpans(spans: readonly [number, number][]): [number, number][] {
  const joined: [number, number][] = []
  for (const [from, until] of spans.toSorted(([a], [b]) => a - b)) {
    const last = joined.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], until)
    else joined.push([from, until])
  }
  return joined
}

/** The x intervals of a horizontal line inside the polygon, from left to right. */
export const listXIntervalsInsidePolygon = (polygon: Polygon, y: number): [number, number][] =>
  spansOf(edgesBetween(polygon, { bottom: y, top: y }), y)

function spansOf(edges: readonly [Point, Point][], y: number): [number, number][] {
  const xs: number[] = []
  for (const [[ax, ay], [bx, by]] of edges) if (ay > y !== by > y) xs.push(ax + ((y - ay) / (by - ay)) * (bx - ax))
  xs.sort((one, other) => one - other)
  return xs.flatMap((x, i): [number, number][] => (i % 2 === 0 ? [[x, xs[i + 1]!]] : []))
}

/** Whether a point lies inside a polygon. Points on its edge may count either way. */
export const isPointInPolygon = (polygon: Polygon, [x, y]: Point): boolean =>
  listXIntervalsInsidePolygon(polygon, y).some(([from, until]) => from <= x && x <= until)

/** The length that two lists of intervals have in common. */
export function computeIntervalOverlapLength(a: readonly [number, number][], b: readonly [number, number][]): number {
  let length = 0
  for (const [from, until] of a) for (const [start, end] of b) length += Math.max(0, Math.min(until, end) - Math.max(from, start))
  return length
}

/**
 * Returns the sides of the smallest enclosing rectangle. One of its sides lies along an edge of the convex hull. `width` is the side
 * closer to horizontal.
 */
export function findSmallestRectangle(polygon: Polygon): { width: number; depth: number } {
  let best = { width: 0, depth: 0, area: Infinity }
  for (const [[ax, ay], [bx, by]] of edgesOf(hullOf(polygon))) {
    const length = Math.hypot(bx - ax, by - ay)
    const [ux, uy] = [(bx - ax) / length, (by - ay) / length]
    const along = polygon.map(([x, y]) => x * ux + y * uy)
    const across = polygon.map(([x, y]) => y * ux - x * uy)
    const [long, deep] = [Math.max(...along) - Math.min(...along), Math.max(...across) - Math.min(...across)]
    const [width, depth] = Math.abs(ux) >= Math.abs(uy) ? [long, deep] : [deep, long]
    if (long * deep < best.area) best = { width, depth, area: long * deep }
  }
  return { width: best.width, depth: best.depth }
}

/** Returns the convex hull of a polygon, by Andrew's monotone chain algorithm. */
function hullOf(polygon: Polygon): Polygon {
  const sorted = [...polygon].toSorted(([ax, ay], [bx, by]) => ax - bx || ay - by)
  const half = (points: readonly Point[]) => {
    const chain: Point[] = []
    for (const point of points) {
      while (chain.length > 1 && orientation(chain.at(-2)!, chain.at(-1)!, point) <= 0) chain.pop()
      chain.push(point)
    }
    return chain.slice(0, -1)
  }
  return [...half(sorted), ...half(sorted.toReversed())]
}
