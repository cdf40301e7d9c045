import { type Obstacle, type Outline, type Polygon, toAreaInPlanUnits, toSquareMetres, type PlanUnits } from './plan-shapes.ts'
import { computePolygonArea, computeUncoveredArea } from './polygons.ts'

interface MeasuredPlan {
  units: PlanUnits
  outline: Outline
  obstacles: readonly Obstacle[]
}

interface CountedBooth {
  status: 'available' | 'held' | 'assigned' | 'blocked' | 'merged'
  polygon: Polygon
}

/** Figures derived from the geometry and booths of a plan. `gross` and `net` are in the plan's units. */
export interface FloorPlanMetrics {
  gross: number
  grossM2: number
  net: number
  netM2: number
  /** The share of the gross area that booths cover, in percent. */
  netGross: number
  booths: { total: number; available: number; held: number; assigned: number; blocked: number }
}

/** Returns the area of the hall without holes and areas where building is not allowed, in square tenths of millimetres. */
export const computeGrossArea = ({ outline, obstacles }: Omit<MeasuredPlan, 'units'>): number =>
  computeUncoveredArea(outline.outer, [
    ...outline.holes,
    ...obstacles.filter(({ kind }) => kind === 'noBuild').map(({ polygon }) => polygon),
  ])

export function computeFloorPlanMetrics(plan: MeasuredPlan, booths: readonly CountedBooth[]): FloorPlanMetrics {
  const gross = computeGrossArea(plan)
  const counts = { total: 0, available: 0, held: 0, assigned: 0, blocked: 0 }
  let net = 0
  for (const { status, polygon } of booths) {
    if (status === 'merged') continue
    counts[status]++
    counts.total++
    if (status !== 'blocked') net += computePolygonArea(polygon)
  }
  return {
    gross: toAreaInPlanUnits(gross, plan.units),
    grossM2: toSquareMetres(gross),
    net: toAreaInPlanUnits(net, plan.units),
    netM2: toSquareMetres(net),
    netGross: toAreaPercent(net, gross),
    booths: counts,
  }
}

/** Returns a share in percent with one decimal, halves rounded away from zero; 0 if the whole is 0. */
export const toAreaPercent = (part: number, whole: number) =>
  whole <= 0 || part === 0 ? 0 : (Math.sign(part) * Math.round((Math.abs(part) * 1000) / whole)) / 10
