import { type Selectable, sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import type { Tables } from '../../../kernel/columns.ts'
import { runTaskCooperatively } from '../../../kernel/cooperative.ts'
import { conflict, type FieldError, invalidArguments } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { splitIntoInsertBatches } from '../../../kernel/insert-batches.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { defineStateMachine } from '../../../kernel/states.ts'
import type { ExhibitorContext, ExhibitorQueryContext } from '../context.ts'
import { toStoredPolygon, lockFloorPlan } from './floor-plans.ts'
import { findPlacementProblems } from './placement.ts'
import type { Polygon } from './plan-shapes.ts'

export type BoothRow = Selectable<Tables['booths']>

export const boothStates = defineStateMachine({
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

const toPlaced = ({ number, polygon }: BoothRow): NewBooth => ({ number, polygon })

const selectBooths = (ctx: ExhibitorQueryContext) => eventDb(ctx).selectFrom('booths').selectAll()

/** Lists the booths on a plan, without booths merged into another. */
export const listBooths = (ctx: ExhibitorQueryContext, floorPlanId: string): Promise<BoothRow[]> =>
  selectBooths(ctx).where('floor_plan_id', '=', floorPlanId).where('status', '<>', 'merged').execute()

export async function createBooths(ctx: ExhibitorContext, floorPlanCode: string, booths: readonly NewBooth[]): Promise<void> {
  const plan = await lockFloorPlan(ctx, floorPlanCode)
  const standing = await listBooths(ctx, plan.id)
  const problems: FieldError[] = []
  const drawn = booths.map((booth) => ({
    ...booth,
    polygon: toStoredPolygon(booth.polygon, plan.units, `booths/${booth.number}`, problems),
  }))
  if (problems.length === 0) {
    const found = await runTaskCooperatively(findPlacementProblems<NewBooth>(plan, [...standing.map(toPlaced), ...drawn], new Set(drawn)))
    problems.push(...found.map(({ number, reason }) => ({ path: `booths/${number}`, message: reason })))
  }
  if (problems.length > 0) throw invalidArguments(problems)
  const rows = await insertBooths(ctx, plan, drawn)
  for (const { id, number } of rows) recordChange(ctx, { kind: 'booth', id, after: { number, floorPlanCode } })
}

/** A booth to insert. Its lengths are in stored units, and its position was checked. */
export interface BoothToInsert extends NewBooth {
  priceOverride?: number
  utilities?: readonly string[]
  fromSource?: boolean
}

/**
 * Inserts booths with the status `available`. The caller has locked the plan, has checked the positions of the booths, and records the
 * change.
 */
export async function insertBooths(
  ctx: ExhibitorContext,
  plan: { id: string },
  booths: readonly BoothToInsert[],
): Promise<{ id: string; number: string }[]> {
  const rows = booths.map(({ number, polygon, sizeCode, zoneCode, priceOverride, utilities = [], fromSource = false }) => ({
    tenant_id: ctx.tenantId,
    event_id: ctx.event.id,
    id: newId(),
    floor_plan_id: plan.id,
    number,
    polygon: JSON.stringify(polygon),
    size_code: sizeCode ?? null,
    zone_code: zoneCode ?? null,
    price_override: priceOverride ?? null,
    utilities: [...utilities],
    from_source: fromSource,
  }))
  const inserted = new Set<string>()
  for (const part of splitIntoInsertBatches(rows)) {
    const written = await ctx.db
      .insertInto('booths')
      .values(part)
      .onConflict((c) => c.doNothing())
      .returning('number')
      .execute()
    for (const { number } of written) inserted.add(number)
  }
  const missing = rows.find(({ number }) => !inserted.has(number))
  if (missing) throw conflict(`Booth number ${missing.number} is taken at this event`)
  return rows
}

/** Returns which of the given booth numbers are in use at the event, in lower case. */
export async function findUsedBoothNumbers(ctx: ExhibitorQueryContext, numbers: readonly string[]): Promise<Set<string>> {
  if (numbers.length === 0) return new Set()
  const wanted = numbers.map((number) => number.trim().toLowerCase())
  const rows = await eventDb(ctx)
    .selectFrom('booths')
    .select('number')
    .where(sql<boolean>`lower(number) = any(${wanted})`)
    .where('status', '<>', 'merged')
    .execute()
  return new Set(rows.map(({ number }) => number.toLowerCase()))
}
