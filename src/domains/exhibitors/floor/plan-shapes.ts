/** Shapes of a floor plan. Lengths are stored as whole tenths of millimetres, in which both metres and feet are exact. */

export type Point = readonly [x: number, y: number]
export type Polygon = readonly Point[]

export interface Outline {
  outer: Polygon
  holes: readonly Polygon[]
}

export interface Obstacle {
  id: string
  kind: 'pillar' | 'wall' | 'electrical' | 'noBuild' | 'hanging'
  polygon: Polygon
  blocksWalking: boolean
}

export interface Zone {
  code: string
  name: string
  kind: 'pavilion' | 'height' | 'reserved'
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

export interface Poi {
  id: string
  kind: (typeof POI_KINDS)[number]
  name: string
  point: Point
  polygon?: Polygon
  doorWidth?: number
}

export interface Scale {
  method: 'units' | 'calibration' | 'scaleBar' | 'outline' | 'none'
  unitsPerSourceUnit: number | null
}

export type Units = 'm' | 'ft'

const TENTHS_PER_UNIT: Record<Units, number> = { m: 10_000, ft: 3048 }

/** Tenths of millimetres per metre. */
export const TENTHS_PER_METRE = TENTHS_PER_UNIT.m

export const toTenths = (value: number, units: Units) => Math.round(value * TENTHS_PER_UNIT[units])

/** Converts to the plan's units, rounded to four decimals. */
export const fromTenths = (tenths: number, units: Units) => Math.round((tenths / TENTHS_PER_UNIT[units]) * 10_000) / 10_000
