import type { Aisle, Obstacle, Outline, PointOfInterest, Point, Polygon, PlanUnits, Zone } from '../floor/plan-shapes.ts'

/** The part of a floor plan that a generated layout depends on, in tenths of millimetres. */
export interface Hall {
  units: PlanUnits
  outline: Outline
  obstacles: readonly Obstacle[]
  aisles: readonly Aisle[]
  zones: readonly Zone[]
  pois: readonly PointOfInterest[]
  /** Existing booths that the layout keeps. */
  kept: readonly Polygon[]
}

/** A booth size that the organizer wants in the layout. Width (`columns`) and depth are multiples of the smallest booth (module). */
export interface RequestedBoothSize {
  sizeCode: string
  columns: number
  /** Depth in modules: 1, or 2 for a booth across two rows that stand back to back. */
  deep: number
  count: number
}

/** Options of the search for a layout. Lengths are in tenths of millimetres. */
export interface MaxFitLayoutOptions {
  module: { width: number; depth: number }
  /** Code of the booth size that the organizer chose for the module (the smallest booth); null if the module was given by its measures. */
  sizeCode: string | null
  aisle: number
  crossAisle: number
  perimeter: 'aisle' | 'booths'
  perimeterAisle: number
  maxRun: number
  exitClear: { width: number; depth: number }
  pillars: 'forbid' | 'allow'
  clearance: number
  /** Directions of the booth rows to try, in degrees; null to take them from the shape of the hall. */
  angles: readonly number[] | null
  grid: number
  mix: readonly RequestedBoothSize[]
  prefix: string
}

/** A direction of booth rows: degrees for display, and the exact unit vector. */
export interface RowDirection {
  angle: number
  x: number
  y: number
}

/** Rotates a point so that the rows of booths are parallel to the x axis. */
export const rotatePointToRowAxes =
  ({ x, y }: RowDirection) =>
  ([px, py]: Point): Point => [px * x + py * y, py * x - px * y]

/** The inverse of `rotatePointToRowAxes`, rounded to whole tenths of millimetres. */
export const rotatePointFromRowAxes =
  ({ x, y }: RowDirection) =>
  ([px, py]: Point): Point => [Math.round(px * x - py * y), Math.round(px * y + py * x)]
