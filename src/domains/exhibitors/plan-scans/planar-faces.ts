import type { Point, Polygon } from '../floor/plan-shapes.ts'
import { computePolygonArea } from '../floor/polygons.ts'
import { splitSegmentsAtCrossings } from './split-segments.ts'

/** A straight line of a drawing, in metres. */
export interface LineSegment {
  from: Point
  to: Point
  names: readonly string[]
}

export interface PlanarFace {
  polygon: Polygon
  /** Names of the layers that contain most of the boundary's lines. */
  names: readonly string[]
  /** Whether the face is the outer boundary of connected lines, as opposed to one room. */
  enclosing: boolean
}

/** Minimum area of a face in square metres. Smaller faces are gaps between lines. */
const MIN_FACE_AREA = 0.01

/**
 * Finds the areas that lines enclose: rooms, and the boundary of each connected part. Lines need not be closed shapes: ends are snapped and
 * lines are split where they meet. Null if the lines cross too often to be a plan.
 */
export function findPlanarFaces(segments: readonly LineSegment[]): PlanarFace[] | null {
  const split = splitSegmentsAtCrossings(segments)
  if (!split) return null
  const { vertices, edges } = split
  const neighbours = buildGraph(vertices, edges)
  const visited = new Set<number>()
  const faces: PlanarFace[] = []
  for (let from = 0; from < vertices.length; from++) {
    for (const to of neighbours[from]!) {
      if (visited.has(from * vertices.length + to)) continue
      const loop = walkFace(neighbours, from, to, vertices.length, visited)
      const simple = largestLoop(loop, vertices)
      const area = simple.length < 3 ? 0 : signedArea(simple.map((i) => vertices[i]!))
      if (Math.abs(area) < MIN_FACE_AREA) continue
      const polygon = simple.map((i) => vertices[i]!)
      const names = commonNames(simple, vertices, edges)
      faces.push({ polygon: dropCollinearVertices(area > 0 ? polygon : polygon.toReversed()), names, enclosing: area < 0 })
    }
  }
  return faces
}

/** Layer names of each edge, by its two vertices. */
export type EdgeLayerNames = ReadonlyMap<number, ReadonlyMap<number, readonly string[]>>

/** Lists the neighbours of each vertex, sorted by angle. Lines with a loose end enclose nothing and are left out. */
function buildGraph(vertices: readonly Point[], edges: EdgeLayerNames): number[][] {
  const neighbours: Set<number>[] = vertices.map(() => new Set())
  for (const [from, ends] of edges) {
    for (const to of ends.keys()) {
      neighbours[from]!.add(to)
      neighbours[to]!.add(from)
    }
  }
  const loose = vertices.flatMap((_, i) => (neighbours[i]!.size === 1 ? [i] : []))
  for (let at = loose.pop(); at !== undefined; at = loose.pop()) {
    const [next] = neighbours[at]!
    if (next === undefined) continue
    neighbours[at]!.clear()
    neighbours[next]!.delete(at)
    if (neighbours[next]!.size === 1) loose.push(next)
  }
  return neighbours.map((ends, i) => {
    const [x, y] = vertices[i]!
    const angle = (j: number) => Math.atan2(vertices[j]![1] - y, vertices[j]![0] - x)
    return [...ends]
      .map((j) => [angle(j), j] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, j]) => j)
  })
}

/** Follows the boundary of a face in the direction in which the face is on the left. */
function walkFace(neighbours: readonly number[][], from: number, to: number, count: number, visited: Set<number>): number[] {
  const loop: number[] = []
  for (let [a, b] = [from, to]; !visited.has(a * count + b);) {
    visited.add(a * count + b)
    loop.push(a)
    const around = neighbours[b]!
    const next = around[(around.indexOf(a) - 1 + around.length) % around.length]!
    ;[a, b] = [b, next]
  }
  return loop
}

/** Returns the largest simple loop of a boundary, which is cut where it touches itself. */
function largestLoop(loop: readonly number[], vertices: readonly Point[]): number[] {
  const stack: number[] = []
  const position = new Map<number, number>()
  let best: number[] = []
  let bestArea = 0
  const keep = (cycle: number[]) => {
    const area = cycle.length < 3 ? 0 : computePolygonArea(cycle.map((i) => vertices[i]!))
    if (area > bestArea) [best, bestArea] = [cycle, area]
  }
  for (const vertex of loop) {
    const seen = position.get(vertex)
    if (seen !== undefined) {
      const cycle = stack.splice(seen)
      for (const one of cycle) position.delete(one)
      keep(cycle)
    }
    position.set(vertex, stack.length)
    stack.push(vertex)
  }
  keep(stack)
  return best
}

const signedArea = (polygon: Polygon) =>
  polygon.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = polygon[(i + 1) % polygon.length]!
    return sum + x * nextY - nextX * y
  }, 0) / 2

function commonNames(loop: readonly number[], vertices: readonly Point[], edges: EdgeLayerNames): readonly string[] {
  const lengths = new Map<readonly string[], number>()
  let total = 0
  loop.forEach((from, i) => {
    const to = loop[(i + 1) % loop.length]!
    const names = edges.get(Math.min(from, to))?.get(Math.max(from, to))
    const length = Math.hypot(vertices[to]![0] - vertices[from]![0], vertices[to]![1] - vertices[from]![1])
    total += length
    if (names) lengths.set(names, (lengths.get(names) ?? 0) + length)
  })
  // Edges that come from different entities of the file have separate lists of layer names, so equal lists are recognized by their text.
  const byText = new Map<string, { names: readonly string[]; length: number }>()
  for (const [names, length] of lengths) {
    const key = JSON.stringify(names)
    byText.set(key, { names, length: length + (byText.get(key)?.length ?? 0) })
  }
  return [...byText.values()].find(({ length }) => length >= total * 0.6)?.names ?? []
}

/** Removes corners that lie on a straight line. */
export function dropCollinearVertices(polygon: Polygon): Polygon {
  const bends = polygon.filter(([x, y], i) => {
    const [ax, ay] = polygon.at(i - 1)!
    const [bx, by] = polygon[(i + 1) % polygon.length]!
    const across = Math.abs((x - ax) * (by - ay) - (y - ay) * (bx - ax))
    return across > 1e-3 * Math.hypot(bx - ax, by - ay)
  })
  return bends.length >= 3 ? bends : polygon
}
