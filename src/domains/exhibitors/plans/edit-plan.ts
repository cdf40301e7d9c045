import { isDeepStrictEqual } from 'node:util'
import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { type FieldError, invalidArguments } from '../../../kernel/errors.ts'
import { checkRevision } from '../../../kernel/revisions.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { measureDistanceToSide } from '../floor/booth-figures.ts'
import { type FloorPlanRow, insertFloorPlan, lockFloorPlan, publishFloorPlan, refuseMisplacedBooths } from '../floor/floor-plans.ts'
import { type Point, TENTHS_OF_MM_PER_METRE, type PlanUnits } from '../floor/plan-shapes.ts'
import { isPointInPolygon, edgesOf } from '../floor/polygons.ts'
import { FLOOR_PLAN_STATES } from '../states.ts'
import { type FloorPlanShapeInputs, getShapeIdOrCode, type StoredPlanShapes, toStoredPlanShapes } from './plan-arguments.ts'
import { describeFloorPlan } from './plan-results.ts'

export interface NewDrawnFloorPlan {
  code: string
  name: string
  units: PlanUnits
  outline?: FloorPlanShapeInputs['outline']
  width?: number | undefined
  height?: number | undefined
}

/** Returns the hall's outline as the caller gave it, or a rectangle of the given size; null if neither was given. */
export function resolvePlanOutline({ outline, width, height, units }: NewDrawnFloorPlan) {
  if (outline && (width !== undefined || height !== undefined))
    throw invalidArguments([{ path: 'outline', message: 'pass either outline, or width and height' }])
  if ((width === undefined) !== (height === undefined))
    throw invalidArguments([{ path: width === undefined ? 'width' : 'height', message: 'width and height go together' }])
  const problems: FieldError[] = []
  const [w, h] = [width ?? 0, height ?? 0]
  const rectangle = width === undefined ? undefined : { outer: [[0, 0], [w, 0], [w, h], [0, h]] } // prettier-ignore
  const { outline: stored } = toStoredPlanShapes({ outline: outline ?? rectangle }, units, [], problems)
  if (problems.length > 0) throw invalidArguments(problems)
  return stored ?? null
}

export async function createDrawnFloorPlan(ctx: EventContext, plan: NewDrawnFloorPlan) {
  const outline = resolvePlanOutline(plan)
  if (!outline) throw invalidArguments([{ path: 'outline', message: 'pass an outline, width and height, or a source: fileId, url or svg' }])
  const { code, name, units } = plan
  return describeFloorPlan(ctx, await insertFloorPlan(ctx, { code, name, units, outline }), ['outline'])
}

interface PlanEdit extends FloorPlanShapeInputs {
  floorPlanCode: string
  name?: string | undefined
  merge?: boolean | undefined
  remove?: readonly string[] | undefined
  ifRevision?: number | undefined
}

const LISTS = ['obstacles', 'aisles', 'zones', 'pois'] as const
/** The fields of a floor plan on which valid booth positions depend. If one changes, all booth positions are checked again. */
const CHECKED_PARTS: readonly string[] = ['outline', 'obstacles', 'pois']

/**
 * Changes a floor plan. A list of shapes replaces the stored list; with `merge` its shapes are added, or replace those with the same id.
 */
export async function updateFloorPlan(
  ctx: EventContext,
  { floorPlanCode, name, merge = false, remove = [], ifRevision, ...given }: PlanEdit,
) {
  const plan = await lockFloorPlan(ctx, floorPlanCode)
  checkRevision({ kind: 'Floor plan', name: plan.code, revision: plan.revision }, ifRevision)
  const problems: FieldError[] = []
  const taken = merge ? [...plan.obstacles, ...plan.aisles, ...plan.pois].map(({ id }) => id) : []
  const shapes = toStoredPlanShapes(given, plan.units, taken, problems)
  problems.push(...findUnknownIds(plan, remove))
  if (problems.length > 0) throw invalidArguments(problems)
  const next = { ...plan, ...(name === undefined ? {} : { name }), ...combineShapes(plan, shapes, merge, new Set(remove)) }
  const changed = (['name', 'outline', ...LISTS] as const).filter((part) => !isDeepStrictEqual(plan[part], next[part]))
  if (changed.some((part) => CHECKED_PARTS.includes(part)))
    await refuseMisplacedBooths(ctx, next, `Floor plan ${plan.code} cannot be changed this way`)
  const saved = changed.length === 0 ? plan : await savePlan(ctx, plan, next, changed)
  const parts = changed.filter((part) => part !== 'name')
  return { ...(await describeFloorPlan(ctx, saved, parts)), changed, warnings: findFloorPlanWarnings(saved) }
}

function findUnknownIds(plan: FloorPlanRow, remove: readonly string[]): FieldError[] {
  const known = new Set(LISTS.flatMap((part) => plan[part].map(getShapeIdOrCode)))
  return remove
    .filter((id) => !known.has(id))
    .map((id) => ({ path: 'remove', message: `nothing on this plan has the id ${JSON.stringify(id)}` }))
}

function combineShapes(plan: FloorPlanRow, shapes: StoredPlanShapes, merge: boolean, removed: ReadonlySet<string>): StoredPlanShapes {
  const combined: StoredPlanShapes = shapes.outline ? { outline: keepSource(plan.outline, shapes.outline) } : {}
  for (const part of LISTS) {
    type Item = { id: string } | { code: string }
    const before: readonly Item[] = plan[part]
    const given: readonly Item[] | undefined = shapes[part]
    const known = new Map(before.map((item) => [getShapeIdOrCode(item), item]))
    const replaced = given?.map((item) => keepSource(known.get(getShapeIdOrCode(item)), item))
    const named = new Map(replaced?.map((item) => [getShapeIdOrCode(item), item]))
    const all = !replaced
      ? before
      : merge
        ? [
            ...before.map((item) => named.get(getShapeIdOrCode(item)) ?? item),
            ...replaced.filter((item) => !known.has(getShapeIdOrCode(item))),
          ]
        : replaced
    Object.assign(combined, { [part]: all.filter((item) => !removed.has(getShapeIdOrCode(item))) })
  }
  return combined
}

/** A shape that is sent back unchanged still counts as read from the source file; a changed shape counts as drawn by hand. */
function keepSource<T extends object>(before: T | undefined, given: T): T {
  const sourced = { ...given, fromSource: true }
  return before && isDeepStrictEqual(before, sourced) ? sourced : given
}

type EditedPart = 'name' | 'outline' | (typeof LISTS)[number]

/** Saves the changed parts of a floor plan. The audit log holds only the number of shapes, because coordinates are long and unreadable. */
export async function savePlan(
  ctx: EventContext,
  before: FloorPlanRow,
  next: Omit<FloorPlanRow, 'revision' | 'updated_at'>,
  changed: readonly (EditedPart | 'scale' | 'source_to_plan')[],
): Promise<FloorPlanRow> {
  const columns = Object.fromEntries(changed.map((part) => [part, part === 'name' ? next.name : JSON.stringify(next[part])]))
  const saved = await eventDb(ctx)
    .updateTable('floor_plans')
    .set(columns)
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const audited = (plan: typeof next) =>
    Object.fromEntries(
      changed.map((part) => [part, Array.isArray(plan[part]) ? plan[part].length : part === 'name' ? plan.name : describePart(plan, part)]),
    )
  recordChange(ctx, { kind: 'floorPlan', id: before.id, before: audited(before), after: audited(saved) })
  return saved
}

const describePart = (plan: Pick<FloorPlanRow, 'outline' | 'scale'>, part: string) =>
  part === 'outline' ? `${plan.outline.outer.length} corners, ${plan.outline.holes.length} holes` : plan.scale.method

/** Maximum distance of an entrance from the hall: two metres, because entrances are drawn on the wall or in front of it. */
const MAX_POI_DISTANCE = 2 * TENTHS_OF_MM_PER_METRE

/** Finds problems of a floor plan that are allowed, but that an organizer should check. */
export function findFloorPlanWarnings({ outline, pois, scale }: FloorPlanRow): string[] {
  const isOutside = (point: Point) =>
    !isPointInPolygon(outline.outer, point) && edgesOf(outline.outer).every((wall) => measureDistanceToSide(point, wall) > MAX_POI_DISTANCE)
  const outside = outline.outer.length === 0 ? [] : pois.filter(({ point }) => isOutside(point)).map(({ id }) => id)
  return [
    ...(outside.length > 0 ? [`Outside the hall: ${outside.slice(0, 20).join(', ')}`] : []),
    ...(scale.method === 'none' ? ['The plan has no scale yet. Calibrate it before you publish it or generate booths'] : []),
  ]
}

export async function publishAndDescribeFloorPlan(ctx: EventContext, floorPlanCode: string) {
  const plan = await publishFloorPlan(ctx, floorPlanCode)
  return { ...(await describeFloorPlan(ctx, plan)), warnings: findFloorPlanWarnings(plan) }
}

/** Archives a floor plan, which visitors then no longer see. Archiving it again changes nothing. */
export async function archiveFloorPlan(ctx: EventContext, floorPlanCode: string) {
  const plan = await lockFloorPlan(ctx, floorPlanCode)
  const archived = plan.status === 'archived' ? plan : await changeRecordState(ctx, FLOOR_PLAN_STATES, plan, 'archived')
  const described = await describeFloorPlan(ctx, archived)
  const { held, assigned } = described.floorPlan.booths
  return { ...described, warnings: held + assigned > 0 ? [`${held} booths are held and ${assigned} assigned on this plan`] : [] }
}
