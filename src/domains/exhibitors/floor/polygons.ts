import type { Point, Polygon } from './plan-shapes.ts'

const MIN_VERTICES = 3
const MAX_VERTICES = 500

/** Twice the area, positive where the vertices go round counter-clockwise. */
const turn = (polygon: Polygon) =>
  polygon.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = polygon[(i + 1) % polygon.length]!
    return sum + x * nextY - nextX * y
  }, 0)

export const areaOf = (polygon: Polygon) => Math.abs(turn(polygon)) / 2

export const edgesOf = (polygon: Polygon): [Point, Point][] => polygon.map((point, i) => [point, polygon[(i + 1) % polygon.length]!])

export interface Box {
  left: number
  bottom: number
  right: number
  top: number
}

export function boxOf(polygon: Polygon): Box {
  const [xs, ys] = [polygon.map(([x]) => x), polygon.map(([, y]) => y)]
  return { left: Math.min(...xs), bottom: Math.min(...ys), right: Math.max(...xs), top: Math.max(...ys) }
}

export const boxesMeet = (a: Box, b: Box) => a.left <= b.right && b.left <= a.right && a.bottom <= b.top && b.bottom <= a.top

export function centreOf(polygon: Polygon): Point {
  const twice = turn(polygon)
  const [x, y] = edgesOf(polygon).reduce<[number, number]>(
    ([sumX, sumY], [[ax, ay], [bx, by]]) => {
      const weight = ax * by - bx * ay
      return [sumX + (ax + bx) * weight, sumY + (ay + by) * weight]
    },
    [0, 0],
  )
  return [x / (3 * twice), y / (3 * twice)]
}

const side = ([ax, ay]: Point, [bx, by]: Point, [px, py]: Point) => Math.sign((bx - ax) * (py - ay) - (by - ay) * (px - ax))

const within = ([ax, ay]: Point, [bx, by]: Point, [px, py]: Point) =>
  Math.min(ax, bx) <= px && px <= Math.max(ax, bx) && Math.min(ay, by) <= py && py <= Math.max(ay, by)

function meet([a, b]: [Point, Point], [c, d]: [Point, Point]): boolean {
  const [s1, s2, s3, s4] = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)]
  if (s1 !== s2 && s3 !== s4) return true
  return (s1 === 0 && within(a, b, c)) || (s2 === 0 && within(a, b, d)) || (s3 === 0 && within(c, d, a)) || (s4 === 0 && within(c, d, b))
}

/** What is wrong with a polygon as somebody drew it; null for a simple one. */
export function faultOf(polygon: Polygon): string | null {
  if (polygon.length < MIN_VERTICES || polygon.length > MAX_VERTICES) return `a polygon has ${MIN_VERTICES} to ${MAX_VERTICES} points`
  const edges = edgesOf(polygon)
  for (let i = 0; i < edges.length; i++) {
    for (let j = i + 1; j < edges.length; j++) {
      const neighbours = j === i + 1 || (i === 0 && j === edges.length - 1)
      if (neighbours ? doublesBack(edges, i, j) : meet(edges[i]!, edges[j]!)) return 'crosses itself'
    }
  }
  return areaOf(polygon) === 0 ? 'has no area' : null
}

/** Two edges that share a corner may share nothing else. */
function doublesBack(edges: readonly [Point, Point][], i: number, j: number): boolean {
  const [first, second] = j === i + 1 ? [edges[i]!, edges[j]!] : [edges[j]!, edges[i]!]
  const [[ax, ay], [bx, by]] = first
  const [, [cx, cy]] = second
  return side(first[0], first[1], second[1]) === 0 && (bx - ax) * (cx - bx) + (by - ay) * (cy - by) < 0
}

/** As it is kept: counter-clockwise. */
export const counterClockwise = (polygon: Polygon): Polygon => (turn(polygon) < 0 ? polygon.toReversed() : polygon)

/**
 * The area that two simple polygons share. Between two heights at which a corner or a crossing lies, every edge is straight and keeps its
 * place among the others, so what they share there is as wide on average as in the middle.
 */
export function sharedArea(a: Polygon, b: Polygon): number {
  if (!boxesMeet(boxOf(a), boxOf(b))) return 0
  const heights = new Set([...a, ...b].map(([, y]) => y))
  for (const one of edgesOf(a)) for (const other of edgesOf(b)) for (const y of crossing(one, other)) heights.add(y)
  const sorted = [...heights].toSorted((one, other) => one - other)
  let area = 0
  for (let i = 1; i < sorted.length; i++) {
    const [low, high] = [sorted[i - 1]!, sorted[i]!]
    const middle = (low + high) / 2
    area += (high - low) * sharedLength(spans(a, middle), spans(b, middle))
  }
  return area
}

function crossing([[ax, ay], [bx, by]]: [Point, Point], [[cx, cy], [dx, dy]]: [Point, Point]): number[] {
  const across = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
  if (across === 0) return []
  const t = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / across
  return t >= 0 && t <= 1 ? [ay + t * (by - ay)] : []
}

/** Where a line at this height is inside, from left to right. */
function spans(polygon: Polygon, y: number): [number, number][] {
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

/** The sides of the smallest rectangle around a polygon: its width is the one that runs more from left to right. One lies along an edge of the hull. */
export function enclosingSides(polygon: Polygon): { width: number; depth: number } {
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

/** By Andrew's monotone chain. */
function hullOf(polygon: Polygon): Polygon {
  const sorted = [...polygon].toSorted(([ax, ay], [bx, by]) => ax - bx || ay - by)
  const half = (points: readonly Point[]) => {
    const chain: Point[] = []
    for (const point of points) {
      while (chain.length > 1 && side(chain.at(-2)!, chain.at(-1)!, point) <= 0) chain.pop()
      chain.push(point)
    }
    return chain.slice(0, -1)
  }
  return [...half(sorted), ...half(sorted.toReversed())]
}
