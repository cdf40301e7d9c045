import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext, ResultImage } from '../../../kernel/context.ts'
import { newId } from '../../../kernel/ids.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { readLiveOrTestConfiguration } from '../context.ts'
import { toDrawnFloorPlan } from '../drawing/floor-plan-drawing.ts'
import { renderFloorPlan } from '../drawing/picture.ts'
import { BOOTH_TYPES, type BoothType, computeBoothMeasurements } from '../floor/booth-figures.ts'
import { listBooths } from '../floor/booths.ts'
import { buildFloorSpatialIndex } from '../floor/floor-index.ts'
import { type FloorPlanRow, getFloorPlan } from '../floor/floor-plans.ts'
import { computeGrossArea, toAreaPercent } from '../floor/plan-figures.ts'
import { fromTenthsOfMillimetres, type LayoutBooth, type Polygon, toAreaInPlanUnits, type Zone } from '../floor/plan-shapes.ts'
import { computePolygonArea, computeCentroid, listXIntervalsInsidePolygon } from '../floor/polygons.ts'
import type { Hall } from './hall.ts'
import { type LayoutRequest, refusePlanUnsuitableForLayout, buildHallFromFloorPlan, toMaxFitOptions } from './layout-options.ts'
import type { FittedBooth, MaxFitLayout } from './max-fit.ts'
import { calculateMaxFitLayoutInThread } from './run-max-fit.ts'

const SHOWN_BOOTHS = 50

interface CalculatedLayout {
  plan: FloorPlanRow
  booths: LayoutBooth[]
  figures: ReturnType<typeof toFigures>
  picture: ResultImage
}

/** Calculates a layout before the transaction, because it takes seconds and needs no lock. */
export async function calculateLayout(ctx: EventContext, request: LayoutRequest): Promise<CalculatedLayout> {
  const plan = await getFloorPlan(ctx, request.floorPlanCode)
  const { config } = await readLiveOrTestConfiguration(ctx, false)
  const options = toMaxFitOptions(plan, config.exhibitorConfig.boothSizes, request)
  refusePlanUnsuitableForLayout(plan, options)
  const standing = await listBooths(ctx, plan.id)
  const hall = buildHallFromFloorPlan(plan, standing, request.keep)
  const fit = await calculateMaxFitLayoutInThread(hall, options)
  const booths = fit.booths.map((booth) => toLayoutBooth(plan.zones, booth))
  const kept = new Set(hall.kept)
  const shown = standing.filter(({ polygon }) => kept.has(polygon))
  const taken = await listTakenNumbers(ctx, plan.id, new Set(shown.map(({ id }) => id)), booths)
  return {
    plan,
    booths,
    figures: toFigures(plan, hall, fit, taken),
    picture: await renderFloorPlan(toDrawnFloorPlan(plan, shown, { layout: booths })),
  }
}

/** Stores a generated booth layout. The floor plan does not change until manage_floor_plans applies the layout. */
export async function storeLayout(ctx: EventContext, input: LayoutRequest, { plan, booths, figures, picture }: CalculatedLayout) {
  const id = newId()
  await ctx.db
    .insertInto('floor_plan_layouts')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      floor_plan_id: plan.id,
      plan_revision: plan.revision,
      input: JSON.stringify(input),
      result: JSON.stringify({ booths, figures }),
    })
    .execute()
  recordChange(ctx, { kind: 'floorPlanLayout', id, after: { floorPlanCode: plan.code, booths: figures.booths } })
  ctx.pictures.push(picture)
  return { layoutId: id, planRevision: plan.revision, ...figures }
}

const toLayoutBooth = (zones: readonly Zone[], { number, polygon, sizeCode }: FittedBooth): LayoutBooth => {
  const zone = zones.find((one) => contains(one.polygon, polygon))
  return { number, polygon, ...(sizeCode === null ? {} : { sizeCode }), ...(zone ? { zoneCode: zone.code } : {}) }
}

/** Whether the middle of a booth lies in a zone. */
function contains(zone: Polygon, booth: Polygon): boolean {
  const [x, y] = computeCentroid(booth)
  return listXIntervalsInsidePolygon(zone, y).some(([from, until]) => from <= x && x <= until)
}

/**
 * Lists the booth numbers of the layout that booths of other plans or kept booths already have. A layout with such numbers cannot be
 * applied.
 */
async function listTakenNumbers(ctx: EventContext, planId: string, kept: ReadonlySet<string>, booths: readonly LayoutBooth[]) {
  const numbers = new Set(booths.map(({ number }) => number.toLowerCase()))
  const rows = await eventDb(ctx).selectFrom('booths').select(['id', 'number', 'floor_plan_id']).where('status', '<>', 'merged').execute()
  const stays = ({ id, floor_plan_id }: { id: string; floor_plan_id: string }) => floor_plan_id !== planId || kept.has(id)
  return rows.filter((row) => stays(row) && numbers.has(row.number.toLowerCase())).map(({ number }) => number)
}

function toFigures(plan: FloorPlanRow, hall: Hall, fit: MaxFitLayout, taken: readonly string[]) {
  const floor = buildFloorSpatialIndex({ ...plan, booths: [...fit.booths, ...hall.kept.map((polygon) => ({ polygon }))] })
  const derived = fit.booths.map(({ polygon }) => computeBoothMeasurements(floor, polygon, plan.units))
  const byType = Object.fromEntries(BOOTH_TYPES.map((type) => [type, derived.filter((one) => one.type === type).length]))
  const net = fit.booths.reduce((sum, { polygon }) => sum + computePolygonArea(polygon), 0)
  return {
    booths: fit.booths.length,
    net: toAreaInPlanUnits(net, plan.units),
    netGross: toAreaPercent(net, computeGrossArea(plan)),
    corners: fit.corners,
    byType: byType as Record<BoothType, number>,
    angle: fit.angle,
    rows: fit.rows,
    candidates: fit.candidates,
    lost: fit.lost,
    checks: fit.checks,
    mixUnmet: fit.mixUnmet,
    warnings: [...fit.warnings, ...(taken.length > 0 ? ['numbers_taken' as const] : [])],
    needsVenueApproval: true as const,
    firstBooths: fit.booths.slice(0, SHOWN_BOOTHS).map(({ number, polygon, sizeCode }, i) => ({
      number,
      x: fromTenthsOfMillimetres(polygon[0]![0], plan.units),
      y: fromTenthsOfMillimetres(polygon[0]![1], plan.units),
      width: derived[i]!.width,
      depth: derived[i]!.depth,
      type: derived[i]!.type,
      ...(sizeCode === null ? {} : { sizeCode }),
    })),
  }
}
