import type { Selectable } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { conflict, type FieldError, invalidArguments, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Tables } from '../../../kernel/columns.ts'
import type { AtEvent, Where } from '../at-event.ts'
import { type Obstacle, type Outline, type Poi, type Point, type Polygon, toTenths, type Units, type Zone } from './plan-shapes.ts'
import { counterClockwise, faultOf } from './polygons.ts'

export type FloorPlanRow = Selectable<Tables['floor_plans']>

/** As somebody draws it, in the plan's units. */
export interface NewFloorPlan {
  code: string
  name: string
  units: Units
  outline: { outer: Polygon; holes?: readonly Polygon[] }
  obstacles?: readonly Obstacle[]
  zones?: readonly Zone[]
  pois?: readonly Poi[]
}

export async function createFloorPlan(ctx: AtEvent, plan: NewFloorPlan): Promise<string> {
  const faults: FieldError[] = []
  const kept = (polygon: Polygon, path: string) => keptPolygon(polygon, plan.units, path, faults)
  const outline: Outline = {
    outer: kept(plan.outline.outer, 'outline/outer'),
    holes: (plan.outline.holes ?? []).map((hole, i) => kept(hole, `outline/holes/${i}`)),
  }
  const obstacles = (plan.obstacles ?? []).map((one) => ({ ...one, polygon: kept(one.polygon, `obstacles/${one.id}`) }))
  const zones = (plan.zones ?? []).map((one) => ({ ...one, polygon: kept(one.polygon, `zones/${one.code}`) }))
  const pois = (plan.pois ?? []).map(({ polygon, doorWidth, ...poi }) => ({
    ...poi,
    point: inTenths(poi.point, plan.units),
    ...(polygon ? { polygon: kept(polygon, `pois/${poi.id}`) } : {}),
    ...(doorWidth === undefined ? {} : { doorWidth: toTenths(doorWidth, plan.units) }),
  }))
  if (faults.length > 0) throw invalidArguments(faults)
  const id = newId()
  const inserted = await ctx.db
    .insertInto('floor_plans')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      code: plan.code,
      name: plan.name,
      units: plan.units,
      outline: JSON.stringify(outline),
      obstacles: JSON.stringify(obstacles),
      zones: JSON.stringify(zones),
      pois: JSON.stringify(pois),
    })
    .onConflict((c) => c.columns(['tenant_id', 'event_id', 'code']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) throw conflict(`There is a floor plan ${plan.code} already — choose another code`)
  recordChange(ctx, { kind: 'floorPlan', id, after: { code: plan.code, name: plan.name } })
  return id
}

/** A polygon as it is kept: in whole tenths of millimetres, counter-clockwise. What is wrong with it is noted. */
export function keptPolygon(polygon: Polygon, units: Units, path: string, faults: FieldError[]): Polygon {
  const tenths = polygon.map((point) => inTenths(point, units))
  const fault = faultOf(tenths)
  if (fault) faults.push({ path, message: fault })
  return counterClockwise(tenths)
}

const inTenths = ([x, y]: Point, units: Units): Point => [toTenths(x, units), toTenths(y, units)]

/** Held by whoever changes what stands on the plan: geometry is right only as a whole. */
export async function lockFloorPlan(ctx: Where, code: string): Promise<FloorPlanRow> {
  const plan = await plansOf(ctx).where('code', '=', code).forNoKeyUpdate().executeTakeFirst()
  if (!plan) throw notFound(`No floor plan ${code} at this event`)
  return plan
}

const plansOf = ({ db, tenantId, event }: Where) =>
  db.selectFrom('floor_plans').selectAll().where('tenant_id', '=', tenantId).where('event_id', '=', event.id)

/** In the order they were made: the first is the one that is shown to who names none. */
export const publishedPlans = (ctx: Where): Promise<FloorPlanRow[]> =>
  plansOf(ctx).where('status', '=', 'published').orderBy('id').execute()

/** From now on everybody sees it. People must be able to get in and out. */
export async function publishFloorPlan(ctx: AtEvent, code: string): Promise<void> {
  const plan = await lockFloorPlan(ctx, code)
  const has = (...kinds: Poi['kind'][]) => plan.pois.some(({ kind }) => kinds.includes(kind))
  if (plan.scale.method === 'none') throw preconditionFailed(`Floor plan ${code} has no scale — calibrate it first`)
  if (!has('entrance')) throw preconditionFailed(`Floor plan ${code} has no entrance — add one`)
  if (!has('exit', 'fireExit')) throw preconditionFailed(`Floor plan ${code} has no exit — add an exit or fire exit`)
  await ctx.db
    .updateTable('floor_plans')
    .set({ status: 'published' })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', plan.id)
    .execute()
  recordChange(ctx, { kind: 'floorPlan', id: plan.id, before: { status: plan.status }, after: { status: 'published' } })
}
