import { createHash } from 'node:crypto'
import { runTaskCooperatively, type CooperativeTask } from '../../../kernel/cooperative.ts'
import { type BoothMeasurements, computeBoothMeasurements } from '../floor/booth-figures.ts'
import type { BoothRow } from '../floor/booths.ts'
import { buildFloorSpatialIndex } from '../floor/floor-index.ts'
import type { FloorPlanRow } from '../floor/floor-plans.ts'
import { type BoothQuality, measureQuality } from '../placement/quality.ts'

type Plan = Pick<FloorPlanRow, 'id' | 'units' | 'outline' | 'obstacles' | 'pois'>
type PlacedBooth = Pick<BoothRow, 'id' | 'polygon'>

/**
 * Cached figures of the booths on a plan, such as area and open sides. They are valid as long as `geometry`, a hash of all shapes, is the
 * same.
 */
interface Derived {
  geometry: string
  figures?: Map<string, BoothMeasurements>
  quality?: Map<string, BoothQuality> | null
}

// Floor plans are read often and changed rarely. Measuring all booths of a large plan is slow, so the results are cached.
const derivedPlans = new Map<string, Derived>()
const MAX_PLANS = 50

function getDerived({ id, units, outline, obstacles, pois }: Plan, booths: readonly PlacedBooth[]): Derived {
  const shapes = [units, outline, obstacles, pois, booths.map((booth) => [booth.id, booth.polygon])]
  const geometry = createHash('sha256').update(JSON.stringify(shapes)).digest('base64')
  const known = derivedPlans.get(id)
  derivedPlans.delete(id)
  const derived = known?.geometry === geometry ? known : { geometry }
  derivedPlans.set(id, derived)
  if (derivedPlans.size > MAX_PLANS) derivedPlans.delete(derivedPlans.keys().next().value!)
  return derived
}

/** The figures of all booths on a plan, such as area and open sides, by booth id. */
export async function readBoothMeasurements(plan: Plan, booths: readonly PlacedBooth[]): Promise<Map<string, BoothMeasurements>> {
  const derived = getDerived(plan, booths)
  return (derived.figures ??= await runTaskCooperatively(deriveBooths(plan, booths)))
}

function* deriveBooths(plan: Plan, booths: readonly PlacedBooth[]): CooperativeTask<Map<string, BoothMeasurements>> {
  const floor = buildFloorSpatialIndex({ ...plan, booths })
  const figures = new Map<string, BoothMeasurements>()
  for (const [i, { id, polygon }] of booths.entries()) {
    figures.set(id, computeBoothMeasurements(floor, polygon, plan.units))
    if (i % 50 === 49) yield
  }
  return figures
}

/** Reads how easily visitors find each booth of a plan, by booth id; null if the plan has no entrance. */
export async function readBoothLocationQuality(plan: Plan, booths: readonly PlacedBooth[]): Promise<Map<string, BoothQuality> | null> {
  const derived = getDerived(plan, booths)
  if (derived.quality === undefined) derived.quality = await runTaskCooperatively(measureQuality(plan, booths))
  return derived.quality
}
