import type { Point, Polygon } from './plan-shapes.ts'
import { type BoundingBox, computeBoundingBox, edgesOf, computeOverlapArea } from './polygons.ts'

/** A polygon with precalculated values for measuring distances. */
export interface PolygonWithBoundingBox {
  polygon: Polygon
  box: BoundingBox
  /** Whether the polygon is a rectangle with sides along the axes, which is equal to its bounding box. */
  isBox: boolean
}

export function toPolygonWithBoundingBox(polygon: Polygon): PolygonWithBoundingBox {
  const box = computeBoundingBox(polygon)
  const isBox =
    polygon.length === 4 && polygon.every(([x, y]) => (x === box.left || x === box.right) && (y === box.bottom || y === box.top))
  return { polygon, box, isBox }
}

/** Returns the distance between two bounding boxes, which is never more than the distance between the shapes inside. */
export function measureBoxDistance(a: BoundingBox, b: BoundingBox): number {
  const across = Math.max(0, a.left - b.right, b.left - a.right)
  const up = Math.max(0, a.bottom - b.top, b.bottom - a.top)
  return Math.hypot(across, up)
}

/** The distance between two polygons, edge to edge, in the units of their coordinates; 0 if they touch or overlap. */
export function measureShapeDistance(a: PolygonWithBoundingBox, b: PolygonWithBoundingBox): number {
  if (a.isBox && b.isBox) return measureBoxDistance(a.box, b.box)
  if (computeOverlapArea(a.polygon, b.polygon) > 0) return 0
  let nearest = Infinity
  for (const one of edgesOf(a.polygon)) for (const other of edgesOf(b.polygon)) nearest = Math.min(nearest, edgeDistance(one, other))
  return nearest
}

/** Returns the distance between two edges. Edges of polygons that do not overlap are nearest at one of their corners. */
const edgeDistance = ([a, b]: [Point, Point], [c, d]: [Point, Point]) =>
  Math.min(pointDistance(a, c, d), pointDistance(b, c, d), pointDistance(c, a, b), pointDistance(d, a, b))

function pointDistance([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const squared = (bx - ax) ** 2 + (by - ay) ** 2
  const t = squared === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / squared))
  return Math.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay))
}
