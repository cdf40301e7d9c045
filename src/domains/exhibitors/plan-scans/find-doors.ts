import type { Point, Polygon } from '../floor/plan-shapes.ts'
import { measurePointDistance } from './curves.ts'
import { measureDistanceToBoundary, type HallDrawing, isQuarterCircle } from './hall-drawing.ts'
import type { LineSegment } from './planar-faces.ts'
import type { SourceArc, SourcePolyline, SourceShape } from './source-drawing.ts'

/** The quarter circle in a drawing that shows how a door leaf turns around its hinge. */
export interface DoorSwing {
  hinge: Point
  ends: readonly [Point, Point]
  width: number
}

/** Minimum width of a door leaf, in metres. */
const MIN_LEAF = 0.5
const MAX_LEAF = 3
/** Maximum distance of a hinge from the outline, in metres: the thickness of a wall. */
const WALL_METRES = 0.4

export interface FoundDoor {
  point: Point
  width: number
}

export const listDoorSwings = ({ arcs }: Pick<HallDrawing, 'arcs'>): DoorSwing[] =>
  arcs.filter(isDoorSwing).map(({ centre, points, radius }) => ({ hinge: centre, ends: [points[0]!, points.at(-1)!], width: radius }))

export const isDoorSwing = (arc: SourceArc) => isQuarterCircle(arc) && arc.radius >= MIN_LEAF && arc.radius <= MAX_LEAF

/** Finds the doors whose hinge and one end of the arc lie on the outline of the hall. Doors between inner rooms are left out. */
export const findDoors = (swings: readonly DoorSwing[], outline: Polygon): FoundDoor[] =>
  swings.flatMap(({ hinge, ends, width }) => {
    if (measureDistanceToBoundary(outline, hinge) > WALL_METRES) return []
    const leg = ends
      .map((end) => ({ end, off: measureDistanceToBoundary(outline, end) }))
      .filter(({ off }) => off <= WALL_METRES)
      .toSorted((a, b) => a.off - b.off)[0]
    return leg ? [{ point: [(hinge[0] + leg.end[0]) / 2, (hinge[1] + leg.end[1]) / 2], width }] : []
  })

/**
 * Lists the lines of a drawing from which rooms are found. The leaf and the arc of each door are replaced with a straight line, so that a
 * room with doors is closed and has straight walls.
 */
export function listWallSegments({ shapes, paths, arcs }: HallDrawing, swings: readonly DoorSwing[]): LineSegment[] {
  const closings: LineSegment[] = []
  const leaves = createLeafSearch(swings)
  const segments = [
    ...shapes.filter((shape) => !isDoorShape(shape, swings)).flatMap((shape) => toSegments(shape, true)),
    ...paths.flatMap((path) => toSegments(path, false)),
  ].filter(({ from, to }) => !leaves.take(from, to))
  for (const arc of arcs) if (!isDoorSwing(arc)) segments.push(...toSegments(arc, false))
  swings.forEach(({ hinge, ends }, i) => {
    /*
     * Doors are drawn open. The closed door is the line from the hinge to the end of the arc at which no leaf was found. If none was found
     * at either end, both lines are added; the wrong one encloses no area.
     */
    const leaf = leaves.leafOf(i)
    for (const [k, end] of ends.entries()) if (leaf !== k) closings.push({ from: hinge, to: end, names: [] })
  })
  return [...segments, ...closings]
}

const toSegments = ({ points, names }: Pick<SourcePolyline, 'points' | 'names'>, closed: boolean): LineSegment[] =>
  points.flatMap((from, i): LineSegment[] => {
    const to = i + 1 < points.length ? points[i + 1] : closed ? points[0] : undefined
    return to ? [{ from, to, names }] : []
  })

/** Whether a shape is a door drawn as one closed shape, like a slice of a pie. */
const isDoorShape = ({ points }: SourceShape, swings: readonly DoorSwing[]) =>
  points.length > 4 &&
  swings.length < 2000 &&
  swings.some(({ hinge, width }) => points.every((point) => measurePointDistance(point, hinge) <= width * 1.05))

function createLeafSearch(swings: readonly DoorSwing[]) {
  const found = new Map<number, number>()
  const cells = new Map<string, number[]>()
  const keyOf = ([x, y]: Point) => `${Math.round(x)} ${Math.round(y)}`
  swings.forEach(({ hinge }, i) => {
    const around = new Set([-0.3, 0.3].flatMap((dx) => [-0.3, 0.3].map((dy) => keyOf([hinge[0] + dx, hinge[1] + dy]))))
    for (const key of around) cells.set(key, [...(cells.get(key) ?? []), i])
  })
  const matches = (i: number, hinge: Point, tip: Point): boolean => {
    const swing = swings[i]!
    const near = swing.width * 0.1
    if (measurePointDistance(swing.hinge, hinge) > near) return false
    const k = swing.ends.findIndex((end) => measurePointDistance(end, tip) <= near)
    if (k < 0) return false
    found.set(i, k)
    return true
  }
  return {
    /** Returns whether a line segment is the leaf of one of the doors, and records at which end of the door's arc the leaf is. */
    take: (from: Point, to: Point): boolean =>
      (cells.get(keyOf(from)) ?? []).some((i) => matches(i, from, to)) || (cells.get(keyOf(to)) ?? []).some((i) => matches(i, to, from)),
    leafOf: (i: number): number | null => found.get(i) ?? null,
  }
}
