/** Shapes of a floor plan. Lengths are stored as whole tenths of millimetres, in which both metres and feet are exact. */

export type Point = readonly [x: number, y: number]
export type Polygon = readonly Point[]

/** Origin of a shape. Shapes read from the plan's source file are rescaled when the plan is calibrated; shapes drawn by hand are not. */
interface Sourced {
  fromSource?: true
}

export interface Outline extends Sourced {
  outer: Polygon
  holes: readonly Polygon[]
}

export const OBSTACLE_KINDS = ['pillar', 'wall', 'electrical', 'noBuild', 'hanging'] as const

export interface Obstacle extends Sourced {
  id: string
  kind: (typeof OBSTACLE_KINDS)[number]
  polygon: Polygon
  blocksWalking: boolean
}

export const AISLE_KINDS = ['main', 'standard'] as const

export interface Aisle extends Sourced {
  id: string
  kind: (typeof AISLE_KINDS)[number]
  polygon: Polygon
}

export const ZONE_KINDS = ['pavilion', 'height', 'reserved'] as const

export interface Zone extends Sourced {
  code: string
  name: string
  kind: (typeof ZONE_KINDS)[number]
  polygon: Polygon
}

export const POI_KINDS = [
  'entrance',
  'exit',
  'fireExit',
  'registration',
  'food',
  'restroom',
  'firstAid',
  'stage',
  'lounge',
  'charging',
  'cloakroom',
  'lift',
  'stairs',
  'information',
  'loadingDock',
] as const

export interface PointOfInterest extends Sourced {
  id: string
  kind: (typeof POI_KINDS)[number]
  name: string
  point: Point
  polygon?: Polygon
  doorWidth?: number
}

export interface PlanScale {
  method: 'units' | 'calibration' | 'scaleBar' | 'outline' | 'none'
  unitsPerSourceUnit: number | null
}

/**
 * Maps a point of the source file to the plan: x' = a·x + c·y + e and y' = b·x + d·y + f for [a, b, c, d, e, f], as in SVG. The result is
 * in tenths of millimetres. Its y axis points upwards, so sources whose y grows downwards are flipped.
 */
export type AffineTransformation = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

/**
 * The scale that a floor plan scan has found. If it has found none (method `none`), one unit of the source file counts as one unit of the
 * plan.
 */
export interface FloorPlanScanScale extends PlanScale {
  confidence?: number
  sourceToPlan?: AffineTransformation
}

/** An object that a floor plan scan has recognized. Coordinates and lengths are those of the source file. */
export interface RecognizedPlanObject {
  id: string
  kind: (typeof POI_KINDS)[number] | 'outline' | 'pillar' | 'wall' | 'booth'
  label: string
  point: Point
  polygon?: Polygon
  /** Areas inside the outline that do not belong to the hall. */
  holes?: readonly Polygon[]
  doorWidth?: number
  confidence: number
  evidence: readonly string[]
  applied: boolean
}

/** A booth of a generated layout, in tenths of millimetres. */
export interface LayoutBooth {
  number: string
  polygon: Polygon
  sizeCode?: string
  zoneCode?: string
}

/** A generated layout as stored in the database. `figures` are the numbers that the tool call showed when it generated the layout. */
export interface StoredGeneratedLayout {
  booths: readonly LayoutBooth[]
  figures?: Record<string, unknown>
}

export type PlanUnits = 'm' | 'ft'

const TENTHS_PER_UNIT: Record<PlanUnits, number> = { m: 10_000, ft: 3048 }

export const TENTHS_OF_MM_PER_METRE = TENTHS_PER_UNIT.m

export const toTenthsOfMillimetres = (value: number, units: PlanUnits) => Math.round(value * TENTHS_PER_UNIT[units])

/** Converts tenths of millimetres to the plan's units, rounded to four decimals. */
export const fromTenthsOfMillimetres = (tenths: number, units: PlanUnits) => Math.round((tenths / TENTHS_PER_UNIT[units]) * 10_000) / 10_000

/** Converts square tenths of millimetres to the plan's square units, rounded to four decimals. */
export const toAreaInPlanUnits = (squareTenths: number, units: PlanUnits) =>
  Math.round((squareTenths / TENTHS_PER_UNIT[units] ** 2) * 10_000) / 10_000

/** Converts square tenths of millimetres to square metres, rounded to four decimals. */
export const toSquareMetres = (squareTenths: number) => toAreaInPlanUnits(squareTenths, 'm')
