import type { AffineTransformation, Point } from '../floor/plan-shapes.ts'
import type { SourceArc } from './source-drawing.ts'

export const IDENTITY_TRANSFORM: AffineTransformation = [1, 0, 0, 1, 0, 0]

export const applyAffineTransformation = ([a, b, c, d, e, f]: AffineTransformation, [x, y]: Point): Point => [
  a * x + c * y + e,
  b * x + d * y + f,
]

/** Combines two transformations: applies `inner` first and then `outer`. */
export const combineAffineTransformations = (outer: AffineTransformation, inner: AffineTransformation): AffineTransformation => {
  const [a, b, c, d, e, f] = outer
  const [ia, ib, ic, id, ie, jf] = inner
  return [a * ia + c * ib, b * ia + d * ib, a * ic + c * id, b * ic + d * id, a * ie + c * jf + e, b * ie + d * jf + f]
}

const MAX_CURVE_POINTS = 256

export const measurePointDistance = ([ax, ay]: Point, [bx, by]: Point) => Math.hypot(bx - ax, by - ay)

/** Returns the points of a cubic Bézier curve after its start. */
export function flattenCubicBezier(p0: Point, p1: Point, p2: Point, p3: Point, tolerance: number): Point[] {
  // The second differences bound the distance between the curve and its chords.
  const bend = Math.max(
    Math.hypot(p0[0] - 2 * p1[0] + p2[0], p0[1] - 2 * p1[1] + p2[1]),
    Math.hypot(p1[0] - 2 * p2[0] + p3[0], p1[1] - 2 * p2[1] + p3[1]),
  )
  const steps = countSteps(Math.sqrt((0.75 * bend) / tolerance))
  return Array.from({ length: steps }, (_, i): Point => {
    const t = (i + 1) / steps
    const s = 1 - t
    const [w0, w1, w2, w3] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t]
    return [w0 * p0[0] + w1 * p1[0] + w2 * p2[0] + w3 * p3[0], w0 * p0[1] + w1 * p1[1] + w2 * p2[1] + w3 * p3[1]]
  })
}

const countSteps = (wanted: number) =>
  Math.min(MAX_CURVE_POINTS, Math.max(4, Math.ceil(Number.isFinite(wanted) ? wanted : MAX_CURVE_POINTS)))

/** Returns the points of a circular arc, both ends included. A negative sweep turns clockwise. */
export function listArcPoints(centre: Point, radius: number, start: number, sweep: number, tolerance: number): Point[] {
  const step = 2 * Math.acos(Math.max(-1, Math.min(1, 1 - tolerance / Math.max(radius, tolerance))))
  const steps = countSteps(Math.abs(sweep) / Math.max(step, 1e-3))
  return Array.from({ length: steps + 1 }, (_, i): Point => {
    const angle = start + (sweep * i) / steps
    return [centre[0] + radius * Math.cos(angle), centre[1] + radius * Math.sin(angle)]
  })
}

/** Maximum distance of the points of an arc from its circle, as a fraction of the radius. */
const ARC_TOLERANCE = 0.02

/** Finds the circle of a flattened curve. Null if the curve is not a part of a circle. */
export function fitCircularArc(points: readonly Point[], names: readonly string[]): SourceArc | null {
  const [from, to] = [points[0]!, points.at(-1)!]
  const middle = points[Math.floor(points.length / 2)]!
  const centre = points.length < 4 ? null : circleThrough(from, middle, to)
  if (!centre) return null
  const radius = measurePointDistance(centre, from)
  if (points.some((point) => Math.abs(measurePointDistance(centre, point) - radius) > radius * ARC_TOLERANCE)) return null
  let sweep = 0
  for (let i = 1; i < points.length; i++) sweep += angleBetween(centre, points[i - 1]!, points[i]!)
  return { centre, radius, points, sweep: Math.abs(sweep), names }
}

function circleThrough([ax, ay]: Point, [bx, by]: Point, [cx, cy]: Point): Point | null {
  const [dx, dy, ex, ey] = [bx - ax, by - ay, cx - ax, cy - ay]
  const double = 2 * (dx * ey - dy * ex)
  if (Math.abs(double) <= 1e-9 * (dx * dx + dy * dy + ex * ex + ey * ey)) return null
  const [d, e] = [dx * dx + dy * dy, ex * ex + ey * ey]
  return [ax + (ey * d - dy * e) / double, ay + (dx * e - ex * d) / double]
}

/** Returns the signed angle between two points as seen from the centre. */
function angleBetween([cx, cy]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [px, py, qx, qy] = [ax - cx, ay - cy, bx - cx, by - cy]
  return Math.atan2(px * qy - py * qx, px * qx + py * qy)
}
