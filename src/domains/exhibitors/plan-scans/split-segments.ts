import type { Point } from '../floor/plan-shapes.ts'
import type { EdgeLayerNames, LineSegment } from './planar-faces.ts'

/** Ends of lines within 5 mm are snapped to the same point. */
const SNAP_METRES = 0.005
const GRID_CELLS = 512
/**
 * Maximum number of pairs of lines to compare. A drawing beyond this or one of the following limits is hatched or malicious, not a plan,
 * and its rooms are not searched.
 */
const MAX_PAIRS = 30_000_000
const MAX_CUTS = 2_000_000
const MAX_CELL_ENTRIES = 8_000_000

export interface SegmentGraph {
  vertices: Point[]
  edges: EdgeLayerNames
}

/** Splits segments where they meet or cross, and joins ends that nearly touch. Null if the drawing is too dense. */
export function splitSegmentsAtCrossings(segments: readonly LineSegment[]): SegmentGraph | null {
  const { vertices, find } = createVertices()
  const ends = segments.map(({ from, to, names }) => ({ a: find(from), b: find(to), names })).filter(({ a, b }) => a !== b)
  const cuts = findCuts(ends, vertices, find)
  if (!cuts) return null
  const edges = new Map<number, Map<number, readonly string[]>>()
  ends.forEach(({ a, b, names }, i) => {
    const [from, to] = [vertices[a]!, vertices[b]!]
    const along = (v: number) => (vertices[v]![0] - from[0]) * (to[0] - from[0]) + (vertices[v]![1] - from[1]) * (to[1] - from[1])
    const chain = [...new Set([a, ...(cuts[i] ?? []), b])].map((v) => [along(v), v] as const).toSorted(([s], [t]) => s - t)
    for (let k = 1; k < chain.length; k++) {
      const [low, high] = [Math.min(chain[k - 1]![1], chain[k]![1]), Math.max(chain[k - 1]![1], chain[k]![1])]
      const known = edges.get(low) ?? new Map<number, readonly string[]>()
      if (!known.has(high)) known.set(high, names)
      edges.set(low, known)
    }
  })
  return { vertices, edges }
}

/** Assigns a number to each point. Points within the snapping distance get the same number. */
function createVertices() {
  const vertices: Point[] = []
  const cells = new Map<number, number[]>()
  // Grid cells that are far apart may have the same hash key, so points are also compared by distance.
  const keyOf = (cx: number, cy: number) => cx * 67_108_864 + cy
  const find = (point: Point): number => {
    const [cx, cy] = [Math.floor(point[0] / SNAP_METRES), Math.floor(point[1] / SNAP_METRES)]
    for (let dx = -1; dx <= 1; dx++)
      for (let dy = -1; dy <= 1; dy++)
        for (const known of cells.get(keyOf(cx + dx, cy + dy)) ?? [])
          if (Math.hypot(vertices[known]![0] - point[0], vertices[known]![1] - point[1]) <= SNAP_METRES) return known
    const known = cells.get(keyOf(cx, cy))
    if (known) known.push(vertices.length)
    else cells.set(keyOf(cx, cy), [vertices.length])
    return vertices.push(point) - 1
  }
  return { vertices, find }
}

interface Ends {
  a: number
  b: number
}

/** Finds the vertices at which each segment is split. */
function findCuts(segments: readonly Ends[], vertices: Point[], find: (point: Point) => number): (number[] | undefined)[] | null {
  const cells = indexSegments(segments, vertices)
  if (!cells) return null
  const cuts: (number[] | undefined)[] = []
  let [pairs, count] = [0, 0]
  const cut = (i: number, vertex: number) => {
    if (vertex === segments[i]!.a || vertex === segments[i]!.b) return
    ;(cuts[i] ??= []).push(vertex)
    count++
  }
  const seen = new Set<number>()
  for (const members of cells.values()) {
    for (let m = 0; m < members.length; m++) {
      for (let n = m + 1; n < members.length; n++) {
        if (++pairs > MAX_PAIRS || count > MAX_CUTS) return null
        const [i, j] = [members[m]!, members[n]!]
        const key = i * segments.length + j
        if (seen.has(key)) continue
        // Long segments share several cells, so compared pairs are remembered, up to a limit that saves memory.
        if (seen.size < 5_000_000) seen.add(key)
        cutPair(segments, vertices, i, j, find, cut)
      }
    }
  }
  return cuts
}

function cutPair(
  segments: readonly Ends[],
  vertices: readonly Point[],
  i: number,
  j: number,
  find: (point: Point) => number,
  cut: (i: number, vertex: number) => void,
): void {
  const [one, other] = [segments[i]!, segments[j]!]
  const [p, q, r, s] = [vertices[one.a]!, vertices[one.b]!, vertices[other.a]!, vertices[other.b]!]
  if (!overlaps(p, q, r, s)) return
  let touches = false
  for (const [segment, vertex, from, to] of [
    [i, other.a, p, q],
    [i, other.b, p, q],
    [j, one.a, r, s],
    [j, one.b, r, s],
  ] as const) {
    if (!isOnSegment(vertices[vertex]!, from, to)) continue
    cut(segment, vertex)
    touches = true
  }
  if (touches) return
  const crossing = crossingOf(p, q, r, s)
  if (!crossing) return
  const vertex = find(crossing)
  cut(i, vertex)
  cut(j, vertex)
}

const overlaps = (p: Point, q: Point, r: Point, s: Point) =>
  Math.min(p[0], q[0]) <= Math.max(r[0], s[0]) + SNAP_METRES &&
  Math.min(r[0], s[0]) <= Math.max(p[0], q[0]) + SNAP_METRES &&
  Math.min(p[1], q[1]) <= Math.max(r[1], s[1]) + SNAP_METRES &&
  Math.min(r[1], s[1]) <= Math.max(p[1], q[1]) + SNAP_METRES

function isOnSegment([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): boolean {
  const [dx, dy] = [bx - ax, by - ay]
  const t = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)))
  return Math.hypot(x - ax - t * dx, y - ay - t * dy) <= SNAP_METRES
}

function crossingOf(p: Point, q: Point, r: Point, s: Point): Point | null {
  const [dx, dy, ex, ey] = [q[0] - p[0], q[1] - p[1], s[0] - r[0], s[1] - r[1]]
  const across = dx * ey - dy * ex
  if (across === 0) return null
  const t = ((r[0] - p[0]) * ey - (r[1] - p[1]) * ex) / across
  const u = ((r[0] - p[0]) * dy - (r[1] - p[1]) * dx) / across
  return t > 0 && t < 1 && u > 0 && u < 1 ? [p[0] + t * dx, p[1] + t * dy] : null
}

/** Indexes the segments by the grid cells that they pass through, so that only segments near each other are compared. */
function indexSegments(segments: readonly Ends[], vertices: readonly Point[]): Map<number, number[]> | null {
  let [left, low, right, high] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x, y] of vertices) [left, low, right, high] = [Math.min(left, x), Math.min(low, y), Math.max(right, x), Math.max(high, y)]
  const size = Math.max(right - left, high - low, 1) / GRID_CELLS
  const cells = new Map<number, number[]>()
  let entries = 0
  for (const [i, { a, b }] of segments.entries()) {
    for (const key of cellsAlong(vertices[a]!, vertices[b]!, left, low, size)) {
      const members = cells.get(key)
      if (members) members.push(i)
      else cells.set(key, [i])
      if (++entries > MAX_CELL_ENTRIES) return null
    }
  }
  return cells
}

/** Lists the grid cells that a segment passes through, and cells that it nearly touches. */
function cellsAlong([ax, ay]: Point, [bx, by]: Point, left: number, low: number, size: number): Set<number> {
  const steps = Math.max(1, Math.ceil((Math.hypot(bx - ax, by - ay) / size) * 2))
  const keys = new Set<number>()
  const add = (x: number, y: number) => keys.add(Math.floor((x - left) / size) * 4096 + Math.floor((y - low) / size) + 1)
  for (let i = 0; i <= steps; i++) {
    const [x, y] = [ax + ((bx - ax) * i) / steps, ay + ((by - ay) * i) / steps]
    // Between two sampled points, the segment may cross the corner of another grid cell. So the cells near each point are added too.
    for (const dx of [-size / 4, 0, size / 4]) for (const dy of [-size / 4, 0, size / 4]) add(x + dx, y + dy)
  }
  return keys
}
