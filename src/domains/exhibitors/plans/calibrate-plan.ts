import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { getScaleFactor } from '../floor/affine.ts'
import { type FloorPlanRow, lockFloorPlan, refuseMisplacedBooths } from '../floor/floor-plans.ts'
import { type AffineTransformation, type Point, type Polygon, toTenthsOfMillimetres, type PlanUnits } from '../floor/plan-shapes.ts'
import { findFloorPlanWarnings, savePlan } from './edit-plan.ts'
import { describeFloorPlan } from './plan-results.ts'

interface Calibration {
  floorPlanCode: string
  /** Two points in the source file of the plan. */
  a: readonly number[]
  b: readonly number[]
  /** Real distance between the points `a` and `b`, in `units`. */
  distance: number
  units: PlanUnits
}

/** Maximum change in size of booths that companies have: half a percent. */
const MAX_ASSIGNED_CHANGE = 0.005

/** Sets the scale by the real distance between two points. Shapes read from the source file are rescaled; shapes drawn by hand are not. */
export async function calibratePlan(ctx: EventContext, { floorPlanCode, a, b, distance, units }: Calibration) {
  const plan = await lockFloorPlan(ctx, floorPlanCode)
  if (plan.source === 'drawn')
    throw preconditionFailed(
      `Floor plan ${plan.code} was drawn by hand, so its scale is exact. Only plans with a source file are calibrated`,
    )
  const apart = Math.hypot(b[0]! - a[0]!, b[1]! - a[1]!)
  if (apart === 0) throw invalidArguments([{ path: 'b', message: 'is the same point as a' }])
  const map = plan.source_to_plan ?? (await findScannedMap(ctx, plan))
  if (!map) throw preconditionFailed(`The source of floor plan ${plan.code} is not read yet. Wait until its scan has finished`)
  const factor = toTenthsOfMillimetres(distance, units) / apart / getScaleFactor(map)
  await refuseAssigned(ctx, plan, factor)
  const next = rescale(plan, factor)
  const scale = {
    method: 'calibration' as const,
    unitsPerSourceUnit: Number((toTenthsOfMillimetres(distance, units) / apart / toTenthsOfMillimetres(1, plan.units)).toPrecision(12)),
  }
  const sourceToPlan = map.map((part) => part * factor) as unknown as AffineTransformation
  await rescaleBooths(ctx, plan, factor)
  const calibrated = { ...plan, ...next, scale, source_to_plan: sourceToPlan }
  await refuseMisplacedBooths(ctx, calibrated, `Floor plan ${plan.code} cannot be calibrated this way`)
  const saved = await savePlan(ctx, plan, calibrated, ['outline', 'obstacles', 'aisles', 'zones', 'pois', 'scale', 'source_to_plan'])
  return { ...(await describeFloorPlan(ctx, saved, ['outline'])), warnings: findFloorPlanWarnings(saved) }
}

/**
 * Finds the transformation from coordinates of the source file to those of the plan, which the newest finished scan of the file has stored.
 */
async function findScannedMap(ctx: EventContext, plan: FloorPlanRow): Promise<AffineTransformation | null> {
  const scan = await eventDb(ctx)
    .selectFrom('floor_plan_scans')
    .select('scale')
    .where('floor_plan_id', '=', plan.id)
    .where('file_id', '=', plan.source_file_id)
    .where('status', '=', 'done')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return scan?.scale.sourceToPlan ?? null
}

async function refuseAssigned(ctx: EventContext, plan: FloorPlanRow, factor: number): Promise<void> {
  if (Math.abs(factor - 1) <= MAX_ASSIGNED_CHANGE) return
  const { assigned } = await eventDb(ctx)
    .selectFrom('booths')
    .select((eb) => eb.fn.countAll<number>().as('assigned'))
    .where('floor_plan_id', '=', plan.id)
    .where('status', '=', 'assigned')
    .executeTakeFirstOrThrow()
  if (assigned > 0) {
    const percent = Math.round((factor - 1) * 1000) / 10
    throw preconditionFailed(
      `${assigned} booths of floor plan ${plan.code} are assigned, and this would change sizes by ${percent} %. At most 0.5 % is allowed then`,
    )
  }
}

const scalePoint =
  (factor: number) =>
  ([x, y]: Point): Point => [Math.round(x * factor), Math.round(y * factor)]
const scalePolygon = (polygon: Polygon, factor: number): Polygon => polygon.map(scalePoint(factor))

function rescale({ outline, obstacles, aisles, zones, pois }: FloorPlanRow, factor: number) {
  const sourced = <T extends { fromSource?: true; polygon?: Polygon }>(shapes: readonly T[]): T[] =>
    shapes.map((shape) => (shape.fromSource && shape.polygon ? { ...shape, polygon: scalePolygon(shape.polygon, factor) } : shape))
  return {
    outline: outline.fromSource
      ? { ...outline, outer: scalePolygon(outline.outer, factor), holes: outline.holes.map((hole) => scalePolygon(hole, factor)) }
      : outline,
    obstacles: sourced(obstacles),
    aisles: sourced(aisles),
    zones: sourced(zones),
    pois: sourced(pois).map((poi) =>
      poi.fromSource
        ? {
            ...poi,
            point: scalePoint(factor)(poi.point),
            ...(poi.doorWidth === undefined ? {} : { doorWidth: Math.round(poi.doorWidth * factor) }),
          }
        : poi,
    ),
  }
}

async function rescaleBooths(ctx: EventContext, plan: FloorPlanRow, factor: number): Promise<void> {
  const booths = await eventDb(ctx)
    .selectFrom('booths')
    .select(['id', 'polygon'])
    .where('floor_plan_id', '=', plan.id)
    .where('from_source', '=', true)
    .execute()
  for (const { id, polygon } of booths)
    await eventDb(ctx)
      .updateTable('booths')
      .set({ polygon: JSON.stringify(scalePolygon(polygon, factor)) })
      .where('id', '=', id)
      .execute()
}
