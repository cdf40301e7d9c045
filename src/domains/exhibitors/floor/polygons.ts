import type { Point, Polygon } from './plan-shapes.ts'

const MIN_VERTICES = 3
const MAX_VERTICES = 500

/** Twice the signed area, positive for counter-clockwise vertices. */
const signedDoubleArea = (polygon: Polygon) =>
  polygon.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = polygon[(i + 1) % polygon.length]!
    return sum + x * nextY - nextX * y
  }, 0)

export const areaOf = (polygon: Polygon) => Math.abs(signedDoubleArea(polygon)) / 2

export const edgesOf = (polygon: Polygon): [Point, Point][] => polygon.map((point, i) => [point, polygon[(i + 1) % polygon.length]!])

export interface BoundingBox {
  left: number
  bottom: number
  right: number
  top: number
}

export function boundingBox(polygon: Polygon): BoundingBox {
  const [xs, ys] = [polygon.map(([x]) => x), polygon.map(([, y]) => y)]
  return { left: Math.min(...xs), bottom: Math.min(...ys), right: Math.max(...xs), top: Math.max(...ys) }
}

export const boxesIntersect = (a: BoundingBox, b: BoundingBox) =>
  a.left <= b.right && b.left <= a.right && a.bottom <= b.top && b.bottom <= a.top

export function centroid(polygon: Polygon): Point {
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

function edgesIntersect([a, b]: [Point, Point], [c, d]: [Point, Point]): boolean {
  const [s1, s2, s3, s4] = [orientation(a, b, c), orientation(a, b, d), orientation(c, d, a), orientation(c, d, b)]
  if (s1 !== s2 && s3 !== s4) return true
  return (s1 === 0 && within(a, b, c)) || (s2 === 0 && within(a, b, d)) || (s3 === 0 && within(c, d, a)) || (s4 === 0 && within(c, d, b))
}

/** Returns the problem of a drawn polygon; null if it is simple. */
export function findPolygonError(polygon: Polygon): string | null {
  if (polygon.length < MIN_VERTICES || polygon.length > MAX_VERTICES) return `a polygon has ${MIN_VERTICES} to ${MAX_VERTICES} points`
  const edges = edgesOf(polygon)
  for (let i = 0; i < edges.length; i++) {
    for (let j = i + 1; j < edges.length; j++) {
      const neighbours = j === i + 1 || (i === 0 && j === edges.length - 1)
      if (neighbours ? doublesBack(edges, i, j) : edgesIntersect(edges[i]!, edges[j]!)) return 'crosses itself'
    }
  }
  return areaOf(polygon) === 0 ? 'has no area' : null
}

/** Whether two adjacent edges share more than their common corner. */
function doublesBack(edges: readonly [Point, Point][], i: number, j: number): boolean {
  const [first, second] = j === i + 1 ? [edges[i]!, edges[j]!] : [edges[j]!, edges[i]!]
  const [[ax, ay], [bx, by]] = first
  const [, [cx, cy]] = second
  return orientation(first[0], first[1], second[1]) === 0 && (bx - ax) * (cx - bx) + (by - ay) * (cy - by) < 0
}

export const toCounterClockwise = (polygon: Polygon): Polygon => (signedDoubleArea(polygon) < 0 ? polygon.toReversed() : polygon)

/**
 * Returns the area shared by two simple polygons. Sweeps over the heights of all corners and crossings: between two of them every edge is
 * straight, so the shared width at the middle is the average width.
 */
export function sharedArea(a: Polygon, b: Polygon): number {
  if (!boxesIntersect(boundingBox(a), boundingBox(b))) return 0
  const heights = new Set([...a, ...b].map(([, y]) => y))
  for (const one of edgesOf(a)) for (const other of edgesOf(b)) for (const y of crossingHeights(one, other)) heights.add(y)
  const sorted = [...heights].toSorted((one, other) => one - other)
  let area = 0
  for (let i = 1; i < sorted.length; i++) {
    const [low, high] = [sorted[i - 1]!, sorted[i]!]
    const middle = (low + high) / 2
    area += (high - low) * sharedLength(interiorSpans(a, middle), interiorSpans(b, middle))
  }
  return area
}

function crossingHeights([[ax, ay], [bx, by]]: [Point, Point], [[cx, cy], [dx, dy]]: [Point, Point]): number[] {
  const across = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
  if (across === 0) return []
  const t = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / across
  return t >= 0 && t <= 1 ? [ay + t * (by - ay)] : []
}

/** The x intervals of a horizontal line inside the polygon, from left to right. */
function interiorSpans(polygon: Polygon, y: number): [number, number][] {
  const xs: number[] = []
  for (const [[ax, ay], [bx, by]] of edgesOf(polygon)) if (ay > y !== by > y) xs.push(ax + ((y - ay) / (by - ay)) * (bx - ax))
  xs.sort((one, other) => one - other)
  return xs.flatMap((x, i): [number, number][] => (i % 2 === 0 ? [[x, xs[i + 1]!]] : []))
}

function sharedLength(a: readonly [number, number][], b: readonly [number, number][]): number {
  let length = 0
  for (const [from, until] of a) for (const [start, end] of b) length += Math.max(0, Math.min(until, end) - Math.max(from, start))
  return length
}

/**
 * Returns the sides of the smallest enclosing rectangle. One of its sides lies along an edge of the convex hull. `width` is the side
 * closer to horizontal.
 */
export function smallestRectangle(polygon: Polygon): { width: number; depth: number } {
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
