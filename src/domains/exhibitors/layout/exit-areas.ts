import { measureDistanceToSide } from '../floor/booth-figures.ts'
import type { PointOfInterest, Point, Polygon } from '../floor/plan-shapes.ts'
import { edgesOf } from '../floor/polygons.ts'
import type { Hall } from './hall.ts'

/** Lists the floor areas that must stay clear of booths: a rectangle before each fire exit, and the exit's own area if the plan has one. */
export const listFireExitClearAreas = (
  { outline, pois }: Pick<Hall, 'outline' | 'pois'>,
  clear: { width: number; depth: number },
): Polygon[] =>
  pois
    .filter(({ kind }) => kind === 'fireExit')
    .flatMap((exit) => [clearAreaOf(outline.outer, exit, clear), ...(exit.polygon ? [exit.polygon] : [])])

/** Returns the clear rectangle of an exit: inside the hall, at the nearest edge of the outline, at least as wide as the door. */
function clearAreaOf(outer: Polygon, { point, doorWidth }: PointOfInterest, { width, depth }: { width: number; depth: number }): Polygon {
  const [[ax, ay], [bx, by]] = edgesOf(outer).reduce((best, edge) =>
    measureDistanceToSide(point, edge) < measureDistanceToSide(point, best) - 1e-6 ? edge : best,
  )
  const length = Math.hypot(bx - ax, by - ay)
  const [ux, uy] = [(bx - ax) / length, (by - ay) / length]
  const along = Math.max(0, Math.min(length, (point[0] - ax) * ux + (point[1] - ay) * uy))
  const half = Math.max(width, doorWidth ?? 0) / 2
  // The outline of the hall is counter-clockwise, so the inside of the hall is to the left of its edges.
  const at = (distance: number, inwards: number): Point => [
    ax + ux * (along + distance) - uy * inwards,
    ay + uy * (along + distance) + ux * inwards,
  ]
  return [at(-half, 0), at(half, 0), at(half, depth), at(-half, depth)]
}
