import type { Selectable } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { conflict, type FieldError, invalidArguments, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Tables } from '../../../kernel/columns.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { moveRecord } from '../../../kernel/states.ts'
import type { EventScope, EventQueryScope } from '../context.ts'
import { type Obstacle, type Outline, type Poi, type Point, type Polygon, toTenths, type Units, type Zone } from './plan-shapes.ts'
import { toCounterClockwise, findPolygonError } from './polygons.ts'
import { FLOOR_PLAN_STATES } from '../states.ts'

export type FloorPlanRow = Selectable<Tables['floor_plans']>

/** A floor plan as the organizer drew it, in the plan's units (metres or feet). */
export interface NewFloorPlan {
  code: string
  name: string
  units: Units
  outline: { outer: Polygon; holes?: readonly Polygon[] }
  obstacles?: readonly Obstacle[]
  zones?: readonly Zone[]
  pois?: readonly Poi[]
}

export async function createFloorPlan(ctx: EventScope, plan: NewFloorPlan): Promise<string> {
  const problems: FieldError[] = []
  const stored = (polygon: Polygon, path: string) => toStoredPolygon(polygon, plan.units, path, problems)
  const outline: Outline = {
    outer: stored(plan.outline.outer, 'outline/outer'),
    holes: (plan.outline.holes ?? []).map((hole, i) => stored(hole, `outline/holes/${i}`)),
  }
  const obstacles = (plan.obstacles ?? []).map((one) => ({ ...one, polygon: stored(one.polygon, `obstacles/${one.id}`) }))
  const zones = (plan.zones ?? []).map((one) => ({ ...one, polygon: stored(one.polygon, `zones/${one.code}`) }))
  const pois = (plan.pois ?? []).map(({ polygon, doorWidth, ...poi }) => ({
    ...poi,
    point: inTenths(poi.point, plan.units),
    ...(polygon ? { polygon: stored(polygon, `pois/${poi.id}`) } : {}),
    ...(doorWidth === undefined ? {} : { doorWidth: toTenths(doorWidth, plan.units) }),
  }))
  if (problems.length > 0) throw invalidArguments(problems)
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
  if (!inserted) throw conflict(`A floor plan ${plan.code} already exists. Choose another code`)
  recordChange(ctx, { kind: 'floorPlan', id, after: { code: plan.code, name: plan.name } })
  return id
}

/** Converts a polygon to the stored form (tenths of millimetres, counter-clockwise) and adds any problem to `problems`. */
export function toStoredPolygon(polygon: Polygon, units: Units, path: string, problems: FieldError[]): Polygon {
  const tenths = polygon.map((point) => inTenths(point, units))
  const problem = findPolygonError(tenths, units)
  if (problem) problems.push({ path, message: problem })
  return toCounterClockwise(tenths)
}

const inTenths = ([x, y]: Point, units: Units): Point => [toTenths(x, units), toTenths(y, units)]

/** Every change to the plan takes this lock, because overlap checks need a stable set of booths. */
export async function lockFloorPlan(ctx: EventQueryScope, code: string): Promise<FloorPlanRow> {
  const plan = await selectPlans(ctx).where('code', '=', code).forNoKeyUpdate().executeTakeFirst()
  if (!plan) throw notFound(`No floor plan ${code} at this event`)
  return plan
}

export async function getFloorPlan(ctx: EventQueryScope, code: string): Promise<FloorPlanRow> {
  const plan = await selectPlans(ctx).where('code', '=', code).executeTakeFirst()
  if (!plan) throw notFound(`No floor plan ${code} at this event`)
  return plan
}

const selectPlans = (ctx: EventQueryScope) => eventDb(ctx).selectFrom('floor_plans').selectAll()

/** Lists the published floor plans in creation order; the first is the default plan. */
export const listPublishedPlans = (ctx: EventQueryScope): Promise<FloorPlanRow[]> =>
  selectPlans(ctx).where('status', '=', 'published').orderBy('id').execute()

/** Publishes a plan. It must have a scale, an entrance and an exit. */
export async function publishFloorPlan(ctx: EventScope, code: string): Promise<void> {
  const plan = await lockFloorPlan(ctx, code)
  const has = (...kinds: Poi['kind'][]) => plan.pois.some(({ kind }) => kinds.includes(kind))
  if (plan.scale.method === 'none') throw preconditionFailed(`Floor plan ${code} has no scale. Calibrate it first`)
  if (!has('entrance')) throw preconditionFailed(`Floor plan ${code} has no entrance. Add one`)
  if (!has('exit', 'fireExit')) throw preconditionFailed(`Floor plan ${code} has no exit. Add an exit or fire exit`)
  await moveRecord(ctx, FLOOR_PLAN_STATES, plan, 'published')
}
