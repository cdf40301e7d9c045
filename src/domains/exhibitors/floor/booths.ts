import type { Selectable } from 'kysely'
import { announce } from '../../../kernel/announce.ts'
import { recordChange } from '../../../kernel/audit.ts'
import type { Tables } from '../../../kernel/columns.ts'
import { conflict, type FieldError, invalidArguments, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { states } from '../../../kernel/states.ts'
import type { AtEvent, Where } from '../at-event.ts'
import { getCompany } from '../companies.ts'
import { type FloorPlanRow, keptPolygon, lockFloorPlan } from './floor-plans.ts'
import { METRE, type Polygon } from './plan-shapes.ts'
import { areaOf, boxesMeet, boxOf, sharedArea } from './polygons.ts'

export type BoothRow = Selectable<Tables['booths']>

/** Where two drawings of one wall differ by less than a hand's breadth, they are the same wall: 0.01 m². */
const SLACK = 0.01 * METRE * METRE

const boothStates = states({
  noun: 'booth',
  initial: 'available',
  moves: {
    available: ['held', 'assigned', 'blocked', 'merged'],
    held: ['available', 'assigned'],
    assigned: ['available'],
    blocked: ['available'],
    merged: ['available'],
  },
})

export interface NewBooth {
  number: string
  /** In the plan's units. */
  polygon: Polygon
  sizeCode?: string
  zoneCode?: string
}

const boothsOf = ({ db, tenantId, event }: Where) =>
  db.selectFrom('booths').selectAll().where('tenant_id', '=', tenantId).where('event_id', '=', event.id)

/** What stands on a plan: booths that became part of another do not. */
export const boothsOn = (ctx: Where, floorPlanId: string): Promise<BoothRow[]> =>
  boothsOf(ctx).where('floor_plan_id', '=', floorPlanId).where('status', '<>', 'merged').execute()

export async function createBooths(ctx: AtEvent, floorPlanCode: string, booths: readonly NewBooth[]): Promise<void> {
  const plan = await lockFloorPlan(ctx, floorPlanCode)
  const standing = await boothsOn(ctx, plan.id)
  const faults: FieldError[] = []
  const drawn = booths.map((booth) => ({ ...booth, polygon: keptPolygon(booth.polygon, plan.units, `booths/${booth.number}`, faults) }))
  if (faults.length === 0)
    for (const [i, booth] of drawn.entries()) faults.push(...faultsOnPlan(plan, booth, [...standing, ...drawn.slice(0, i)]))
  if (faults.length > 0) throw invalidArguments(faults)
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

/** X2. Inside the hall, and on no other booth, no obstacle that stops people and no area that an emergency exit needs. */
function faultsOnPlan(
  plan: FloorPlanRow,
  { number, polygon }: NewBooth,
  others: readonly Pick<NewBooth, 'number' | 'polygon'>[],
): FieldError[] {
  const path = `booths/${number}`
  const { outer, holes } = plan.outline
  const box = boxOf(polygon)
  const covers = (other: Polygon) => boxesMeet(box, boxOf(other)) && sharedArea(polygon, other) > SLACK
  if (areaOf(polygon) - sharedArea(polygon, outer) > SLACK || holes.some(covers)) return [{ path, message: 'lies outside the hall' }]
  const blocked = plan.obstacles.find((one) => one.blocksWalking && covers(one.polygon))
  if (blocked) return [{ path, message: `stands on the ${blocked.kind} ${blocked.id}` }]
  const exit = plan.pois.find((one) => one.kind === 'fireExit' && one.polygon && covers(one.polygon))
  if (exit) return [{ path, message: `stands in the way of the emergency exit ${exit.id}` }]
  const other = others.find((one) => covers(one.polygon))
  return other ? [{ path, message: `overlaps booth ${other.number}` }] : []
}

/** Gives a company its booth. Of two at once the second is told who came first. */
export async function assignBooth(ctx: AtEvent, { number, companyId }: { number: string; companyId: string }): Promise<void> {
  const booth = await boothsOf(ctx)
    .where((eb) => eb(eb.fn<string>('lower', ['number']), '=', number.toLowerCase()))
    .where('status', '<>', 'merged')
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!booth) throw notFound(`No booth ${number} at this event`)
  const company = await getCompany(ctx, companyId)
  if (company.status === 'cancelled') throw preconditionFailed(`${company.code} has cancelled and gets no booth`)
  if (booth.held_for !== null && booth.held_for !== companyId) throw preconditionFailed(`Booth ${number} is held for another company`)
  const status = boothStates.move(booth.status, 'assigned')
  await ctx.db
    .updateTable('booths')
    .set({ status, held_for: null, held_until: null })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', booth.id)
    .execute()
  await ctx.db
    .insertInto('booth_assignments')
    .values({ tenant_id: ctx.tenantId, event_id: ctx.event.id, id: newId(), booth_id: booth.id, company_id: companyId, by: ctx.actor.name })
    .execute()
  const { is_test_data: isTestData } = company
  announce(ctx, { kind: 'booth.assigned', entity: 'booth', id: booth.id, changed: ['status', 'company'], isTestData })
  recordChange(ctx, { kind: 'booth', id: booth.id, before: { status: booth.status }, after: { status, companyId } })
}
