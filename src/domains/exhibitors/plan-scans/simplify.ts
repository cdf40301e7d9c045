import type { Point, Polygon } from '../floor/plan-shapes.ts'
import { measureDistanceToSegment } from './hall-drawing.ts'

/** Removes points of a line that are within the tolerance of the line between their neighbours (Douglas-Peucker). Keeps both ends. */
export function simplifyLine(points: readonly Point[], tolerance: number): Point[] {
  const keep = new Set([0, points.length - 1])
  const open: [number, number][] = [[0, points.length - 1]]
  for (let range = open.pop(); range; range = open.pop()) {
    const [from, to] = range
    let [farthest, most] = [-1, tolerance]
    for (let i = from + 1; i < to; i++) {
      const off = measureDistanceToSegment(points[i]!, points[from]!, points[to]!)
      if (off > most) [farthest, most] = [i, off]
    }
    if (farthest < 0) continue
    keep.add(farthest)
    open.push([from, farthest], [farthest, to])
  }
  return points.filter((_, i) => keep.has(i))
}

/** Simplifies a closed polygon as two lines, split at its first corner and the corner farthest from it. */
export function simplifyPolygon(polygon: Polygon, tolerance: number): Polygon {
  const [x, y] = polygon[0]!
  const far = polygon.reduce(
    (best, [px, py], i) => (Math.hypot(px - x, py - y) > Math.hypot(polygon[best]![0] - x, polygon[best]![1] - y) ? i : best),
    0,
  )
  const simple = [
    ...simplifyLine(polygon.slice(0, far + 1), tolerance).slice(0, -1),
    ...simplifyLine([...polygon.slice(far), polygon[0]!], tolerance).slice(0, -1),
  ]
  return simple.length >= 3 ? simple : polygon
}

/** Reduces a polygon to the number of corners that a plan stores. */
export function limitPolygonVertices(polygon: Polygon, maxVertices: number): Polygon {
  let simple = polygon
  for (let tolerance = 0.01; simple.length > maxVertices && tolerance < 100; tolerance *= 2) simple = simplifyPolygon(polygon, tolerance)
  return simple.slice(0, maxVertices)
}
