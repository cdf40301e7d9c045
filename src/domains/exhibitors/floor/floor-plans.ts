import type { Selectable } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { type AppError, conflict, type FieldError, invalidArguments, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Tables } from '../../../kernel/columns.ts'
import { runTaskCooperatively } from '../../../kernel/cooperative.ts'
import { listMostSimilarNames } from '../../../kernel/nearest.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import type { ExhibitorContext, ExhibitorQueryContext } from '../context.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import { describePlacementProblems, findPlacementProblems } from './placement.ts'
import {
  type AffineTransformation,
  type Aisle,
  type Obstacle,
  type Outline,
  type PointOfInterest,
  type Point,
  type Polygon,
  type PlanScale,
  toTenthsOfMillimetres,
  type PlanUnits,
  type Zone,
} from './plan-shapes.ts'
import { toCounterClockwise, findPolygonError } from './polygons.ts'
import { FLOOR_PLAN_STATES } from '../states.ts'

export type FloorPlanRow = Selectable<Tables['floor_plans']>

/** A floor plan as the organizer drew it, in the plan's units (metres or feet). */
export interface NewFloorPlan {
  code: string
  name: string
  units: PlanUnits
  outline: { outer: Polygon; holes?: readonly Polygon[] }
  obstacles?: readonly Obstacle[]
  zones?: readonly Zone[]
  pois?: readonly PointOfInterest[]
}

export async function createFloorPlan(ctx: ExhibitorContext, plan: NewFloorPlan): Promise<string> {
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
    point: toPointInTenthsOfMm(poi.point, plan.units),
    ...(polygon ? { polygon: stored(polygon, `pois/${poi.id}`) } : {}),
    ...(doorWidth === undefined ? {} : { doorWidth: toTenthsOfMillimetres(doorWidth, plan.units) }),
  }))
  if (problems.length > 0) throw invalidArguments(problems)
  return (await insertFloorPlan(ctx, { ...plan, outline, obstacles, zones, pois })).id
}

/** A floor plan as it is stored in the database, with lengths in tenths of millimetres. */
export interface StoredFloorPlan {
  id?: string
  code: string
  name: string
  units: PlanUnits
  outline: Outline
  obstacles?: readonly Obstacle[]
  aisles?: readonly Aisle[]
  zones?: readonly Zone[]
  pois?: readonly PointOfInterest[]
  source?: FloorPlanRow['source']
  sourceFileId?: string | null
  sourceToPlan?: AffineTransformation | null
  scale?: PlanScale
}

export async function insertFloorPlan(ctx: ExhibitorContext, plan: StoredFloorPlan): Promise<FloorPlanRow> {
  const { code, name, units } = plan
  const inserted = await ctx.db
    .insertInto('floor_plans')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: plan.id ?? newId(),
      code,
      name,
      units,
      outline: JSON.stringify(plan.outline),
      obstacles: JSON.stringify(plan.obstacles ?? []),
      aisles: JSON.stringify(plan.aisles ?? []),
      zones: JSON.stringify(plan.zones ?? []),
      pois: JSON.stringify(plan.pois ?? []),
      source: plan.source ?? 'drawn',
      source_file_id: plan.sourceFileId ?? null,
      source_to_plan: plan.sourceToPlan ? JSON.stringify(plan.sourceToPlan) : null,
      ...(plan.scale ? { scale: JSON.stringify(plan.scale) } : {}),
    })
    .onConflict((c) => c.columns(['tenant_id', 'event_id', 'code']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!inserted) throw conflict(`A floor plan ${code} already exists. Choose another code`)
  recordChange(ctx, { kind: 'floorPlan', id: inserted.id, after: { code, name } })
  return inserted
}

/**
 * Converts a polygon to the stored form (tenths of millimetres, counter-clockwise, without a repeated first point) and adds any problem to
 * `problems`.
 */
export function toStoredPolygon(polygon: Polygon, units: PlanUnits, path: string, problems: FieldError[]): Polygon {
  const tenths = polygon.map((point) => toPointInTenthsOfMm(point, units))
  const [first, last] = [tenths[0], tenths.at(-1)]
  const open = tenths.length > 3 && first && last && first[0] === last[0] && first[1] === last[1] ? tenths.slice(0, -1) : tenths
  const problem = findPolygonError(open, units)
  if (problem) problems.push({ path, message: problem })
  return toCounterClockwise(open)
}

export const toPointInTenthsOfMm = ([x, y]: Point, units: PlanUnits): Point => [
  toTenthsOfMillimetres(x, units),
  toTenthsOfMillimetres(y, units),
]

/** Locks a floor plan by code. Every change of a plan takes this lock, because overlap checks need a stable set of booths. */
export async function lockFloorPlan(ctx: ExhibitorQueryContext, code: string): Promise<FloorPlanRow> {
  const plan = await buildFloorPlanQuery(ctx).where('code', '=', code).forNoKeyUpdate().executeTakeFirst()
  if (!plan) throw await unknownPlan(ctx, code)
  return plan
}

/** Locks a floor plan by id, for scans of plan files and for generated layouts, which store the id of their floor plan. */
export const lockFloorPlanById = (ctx: ExhibitorQueryContext, id: string): Promise<FloorPlanRow> =>
  buildFloorPlanQuery(ctx).where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow()

export async function getFloorPlan(ctx: ExhibitorQueryContext, code: string): Promise<FloorPlanRow> {
  const plan = await buildFloorPlanQuery(ctx).where('code', '=', code).executeTakeFirst()
  if (!plan) throw await unknownPlan(ctx, code)
  return plan
}

export const findFloorPlanById = async (ctx: ExhibitorQueryContext, id: string): Promise<FloorPlanRow | null> =>
  (await buildFloorPlanQuery(ctx).where('id', '=', id).executeTakeFirst()) ?? null

async function unknownPlan(ctx: ExhibitorQueryContext, code: string): Promise<AppError> {
  const known = await eventDb(ctx).selectFrom('floor_plans').select('code').orderBy('code').limit(500).execute()
  const near = listMostSimilarNames(
    code,
    known.map((plan) => plan.code),
    3,
  )
  const hint = near.length > 0 ? `. Similar codes: ${near.join(', ')}` : '. list_floor_plans lists the floor plans'
  return notFound(`No floor plan ${code} at this event${hint}`, { fix: { tool: 'list_floor_plans', arguments: {}, here: true } })
}

export const buildFloorPlanQuery = (ctx: ExhibitorQueryContext) => eventDb(ctx).selectFrom('floor_plans').selectAll()

/** Lists the published floor plans in creation order; the first is the default plan. */
export const listPublishedPlans = (ctx: ExhibitorQueryContext): Promise<FloorPlanRow[]> =>
  buildFloorPlanQuery(ctx).where('status', '=', 'published').orderBy('id').execute()

/**
 * Publishes a plan. The plan must have a scale, an entrance and an exit, and its booths must satisfy rule X2 (inside the hall, without
 * overlaps).
 */
export async function publishFloorPlan(ctx: ExhibitorContext, code: string): Promise<FloorPlanRow> {
  const plan = await lockFloorPlan(ctx, code)
  const has = (...kinds: PointOfInterest['kind'][]) => plan.pois.some(({ kind }) => kinds.includes(kind))
  if (plan.scale.method === 'none') throw preconditionFailed(`Floor plan ${code} has no scale. Calibrate it first`)
  if (plan.outline.outer.length === 0) throw preconditionFailed(`Floor plan ${code} has no outline. Apply the scan, or draw the outline`)
  if (!has('entrance')) throw preconditionFailed(`Floor plan ${code} has no entrance. Add one`)
  if (!has('exit', 'fireExit')) throw preconditionFailed(`Floor plan ${code} has no exit. Add an exit or fire exit`)
  await refuseMisplacedBooths(ctx, plan, `Floor plan ${code} cannot be published`)
  return changeRecordState(ctx, FLOOR_PLAN_STATES, plan, 'published')
}

/** Throws if booths break rule X2 (inside the hall, without overlaps). The error begins with `refusal` and names the booths. */
export async function refuseMisplacedBooths(
  ctx: ExhibitorQueryContext,
  plan: Pick<FloorPlanRow, 'id' | 'outline' | 'obstacles' | 'pois'>,
  refusal: string,
): Promise<void> {
  const booths = await eventDb(ctx)
    .selectFrom('booths')
    .select(['number', 'polygon'])
    .where('floor_plan_id', '=', plan.id)
    .where('status', '<>', 'merged')
    .execute()
  const problems = await runTaskCooperatively(
    findPlacementProblems(
      plan,
      booths.toSorted((a, b) => compareBoothNumbers(a.number, b.number)),
    ),
  )
  if (problems.length > 0) throw preconditionFailed(`${refusal}: ${describePlacementProblems(problems)}`)
}
