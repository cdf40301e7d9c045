import type { Selectable } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import type { Tables } from '../../../kernel/columns.ts'
import { conflict, type FieldError, invalidArguments } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { states } from '../../../kernel/states.ts'
import type { EventScope, EventQueryScope } from '../context.ts'
import { type FloorPlanRow, toStoredPolygon, lockFloorPlan } from './floor-plans.ts'
import { TENTHS_PER_METRE, type Polygon } from './plan-shapes.ts'
import { areaOf, boxesIntersect, boundingBox, sharedArea } from './polygons.ts'

export type BoothRow = Selectable<Tables['booths']>

/** Overlaps up to 0.01 m² are drawing inaccuracies. */
const MAX_OVERLAP_AREA = 0.01 * TENTHS_PER_METRE * TENTHS_PER_METRE

export const boothStates = states({
  column: 'booths.status',
  kind: 'booth',
  noun: 'booth',
  initial: 'available',
  moves: {
    available: ['held', 'assigned', 'blocked', 'merged'],
    held: ['available', 'assigned'],
    assigned: ['available'],
    blocked: ['available'],
    merged: ['available'],
  },
  announced: { assigned: 'booth.assigned' },
})

export interface NewBooth {
  number: string
  /** The booth's outline, in the plan's units (metres or feet). */
  polygon: Polygon
  sizeCode?: string
  zoneCode?: string
}

const selectBooths = (ctx: EventQueryScope) => eventDb(ctx).selectFrom('booths').selectAll()

/** Lists the booths on a plan, without booths merged into another. */
export const listBooths = (ctx: EventQueryScope, floorPlanId: string): Promise<BoothRow[]> =>
  selectBooths(ctx).where('floor_plan_id', '=', floorPlanId).where('status', '<>', 'merged').execute()

export async function createBooths(ctx: EventScope, floorPlanCode: string, booths: readonly NewBooth[]): Promise<void> {
  const plan = await lockFloorPlan(ctx, floorPlanCode)
  const standing = await listBooths(ctx, plan.id)
  const problems: FieldError[] = []
  const drawn = booths.map((booth) => ({
    ...booth,
    polygon: toStoredPolygon(booth.polygon, plan.units, `booths/${booth.number}`, problems),
  }))
  if (problems.length === 0)
    for (const [i, booth] of drawn.entries()) problems.push(...findPlacementErrors(plan, booth, [...standing, ...drawn.slice(0, i)]))
  if (problems.length > 0) throw invalidArguments(problems)
  const rows = drawn.map(({ number, polygon, sizeCode, zoneCode }) => ({
    tenant_id: ctx.tenantId,
    event_id: ctx.event.id,
    id: newId(),
    floor_plan_id: plan.id,
    number,
    polygon: JSON.stringify(polygon),
    size_code: sizeCode ?? null,
    zone_code: zoneCode ?? null,
  }))
  if (rows.length === 0) return
  const inserted = await ctx.db
    .insertInto('booths')
    .values(rows)
    .onConflict((c) => c.doNothing())
    .returning('number')
    .execute()
  const missing = rows.find(({ number }) => !inserted.some((one) => one.number === number))
  if (missing) throw conflict(`Booth number ${missing.number} is taken at this event`)
  for (const { id, number } of rows) recordChange(ctx, { kind: 'booth', id, after: { number, floorPlanCode } })
}

/**
 * Returns why a booth cannot be placed. Rule X2 of the specification: a booth lies inside the hall and overlaps no other booth, blocking
 * obstacle or emergency exit area.
 */
function findPlacementErrors(
  plan: FloorPlanRow,
  { number, polygon }: NewBooth,
  others: readonly Pick<NewBooth, 'number' | 'polygon'>[],
): FieldError[] {
  const path = `booths/${number}`
  const { outer, holes } = plan.outline
  const box = boundingBox(polygon)
  const covers = (other: Polygon) => boxesIntersect(box, boundingBox(other)) && sharedArea(polygon, other) > MAX_OVERLAP_AREA
  if (areaOf(polygon) - sharedArea(polygon, outer) > MAX_OVERLAP_AREA || holes.some(covers))
    return [{ path, message: 'lies outside the hall' }]
  const blocked = plan.obstacles.find((one) => one.blocksWalking && covers(one.polygon))
  if (blocked) return [{ path, message: `stands on the ${blocked.kind} ${blocked.id}` }]
  const exit = plan.pois.find((one) => one.kind === 'fireExit' && one.polygon && covers(one.polygon))
  if (exit) return [{ path, message: `blocks the emergency exit ${exit.id}` }]
  const other = others.find((one) => covers(one.polygon))
  return other ? [{ path, message: `overlaps booth ${other.number}` }] : []
}
