import type { Polygon } from '../floor/plan-shapes.ts'
import { edgesOf } from '../floor/polygons.ts'
import { getSideLength } from '../floor/open-sides.ts'
import type { RowDirection } from './hall.ts'

const LONGEST_EDGES = 3

/**
 * The directions of booth rows to try, sorted by angle: those given, otherwise 0°, 90°, and along and across the three longest edges of the
 * outline.
 */
export function chooseBoothRowDirections(outer: Polygon, angles: readonly number[] | null): RowDirection[] {
  if (angles !== null) return distinct(angles.map(fromDegrees))
  const longest = edgesOf(outer)
    .toSorted((a, b) => getSideLength(b) - getSideLength(a))
    .slice(0, LONGEST_EDGES)
  const along = longest.map(([[ax, ay], [bx, by]]) => toDirection(bx - ax, by - ay))
  return distinct([fromDegrees(0), fromDegrees(90), ...along.flatMap((one) => [one, toDirection(-one.y, one.x)])])
}

/** Converts a vector to a direction of booth rows. Rows face both ways, so opposite directions are equal. */
function toDirection(dx: number, dy: number): RowDirection {
  const length = Math.hypot(dx, dy)
  const sign = dy < 0 || (dy === 0 && dx < 0) ? -1 : 1
  const [x, y] = [(sign * dx) / length, (sign * dy) / length]
  return { angle: (Math.atan2(y, x) * 180) / Math.PI, x: x + 0, y: y + 0 }
}

function fromDegrees(angle: number): RowDirection {
  const turned = ((angle % 180) + 180) % 180
  // The cosine of 90° is not exactly 0 in floating point, so the two usual directions get exact unit vectors.
  if (turned === 0) return { angle: 0, x: 1, y: 0 }
  if (turned === 90) return { angle: 90, x: 0, y: 1 }
  return { angle: turned, x: Math.cos((turned * Math.PI) / 180), y: Math.sin((turned * Math.PI) / 180) }
}

/**
 * Removes duplicate directions, compared to a tenth of a degree, and sorts by angle. The first of two equal directions is kept, because 0°
 * and 90° are exact.
 */
function distinct(directions: readonly RowDirection[]): RowDirection[] {
  const byTenth = new Map<number, RowDirection>()
  for (const direction of directions) {
    const tenth = Math.round(direction.angle * 10) % 1800
    if (!byTenth.has(tenth)) byTenth.set(tenth, { ...direction, angle: tenth / 10 })
  }
  return [...byTenth.values()].toSorted((a, b) => a.angle - b.angle)
}
