import type { EventContext, EventSummaryRow } from '../../../kernel/context.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import { permissionsOf } from '../../../kernel/permissions.ts'
import { tenantDb } from '../../../kernel/scoped-db.ts'
import type { ExhibitorContext } from '../context.ts'
import { findUsedBoothNumbers, insertBooths, listBooths } from '../floor/booths.ts'
import { type FloorPlanRow, getFloorPlan, insertFloorPlan, type StoredFloorPlan } from '../floor/floor-plans.ts'
import { describeFloorPlan } from './plan-results.ts'

interface PlanCopy {
  floorPlanCode: string
  code: string
  toEventCode?: string | undefined
}

/**
 * Copies the geometry and the booths of a plan, within the event or to another event. All copied booths are available, and no companies are
 * copied.
 */
export async function copyFloorPlan(ctx: EventContext, { floorPlanCode, code, toEventCode }: PlanCopy) {
  const plan = await getFloorPlan(ctx, floorPlanCode)
  const target: ExhibitorContext =
    toEventCode === undefined || toEventCode === ctx.event.code ? ctx : { ...ctx, ...(await getTarget(ctx, toEventCode)) }
  const isSameEvent = target.event.id === ctx.event.id
  const copy = await insertFloorPlan(target, { ...toCopy(plan, isSameEvent), code })
  const booths = await listBooths(ctx, plan.id)
  const taken = await findUsedBoothNumbers(
    target,
    booths.map(({ number }) => number),
  )
  const copied = booths.filter(({ number }) => !taken.has(number.toLowerCase()))
  const samePrices = target.event.currency === ctx.event.currency
  await insertBooths(
    target,
    copy,
    copied.map((booth) => ({
      number: booth.number,
      polygon: booth.polygon,
      ...(booth.size_code === null ? {} : { sizeCode: booth.size_code }),
      ...(booth.zone_code === null ? {} : { zoneCode: booth.zone_code }),
      ...(booth.price_override === null || !samePrices ? {} : { priceOverride: booth.price_override }),
      utilities: booth.utilities,
      fromSource: isSameEvent && booth.from_source,
    })),
  )
  const left = booths.length - copied.length
  const prices = samePrices ? 0 : copied.filter(({ price_override }) => price_override !== null).length
  return {
    ...(await describeFloorPlan(target, copy)),
    applied: copied.length,
    warnings: [
      ...(left > 0 ? [`${left} booths were not copied, because their numbers are taken at event ${target.event.code}`] : []),
      ...(prices > 0 ? [`${prices} booth prices were not copied, because event ${target.event.code} has another currency`] : []),
    ],
  }
}

/** Returns the copy of a floor plan. Files belong to one event, so at another event the shapes count as drawn by hand. */
function toCopy(plan: FloorPlanRow, isSameEvent: boolean): Omit<StoredFloorPlan, 'code'> {
  const drawn = <T extends { fromSource?: true }>({ fromSource, ...shape }: T) =>
    isSameEvent && fromSource ? { ...shape, fromSource } : shape
  const { name, units, outline, obstacles, aisles, zones, pois, scale } = plan
  return {
    name,
    units,
    outline: drawn(outline),
    obstacles: obstacles.map(drawn),
    aisles: aisles.map(drawn),
    zones: zones.map(drawn),
    pois: pois.map(drawn),
    scale: isSameEvent || scale.method === 'none' ? scale : { method: 'outline', unitsPerSourceUnit: null },
    ...(isSameEvent ? { source: plan.source, sourceFileId: plan.source_file_id, sourceToPlan: plan.source_to_plan } : {}),
  }
}

/**
 * Finds the event to copy to. If several clients have an event with this code, the event of the current client is used. An event that the
 * user cannot access is reported as not found.
 */
async function getTarget(ctx: EventContext, eventCode: string): Promise<Pick<EventContext, 'client' | 'event'>> {
  const rows = await tenantDb(ctx)
    .selectFrom('events')
    .select(['id', 'client_id', 'code', 'name', 'status', 'timezone', 'currency', 'test_mode'])
    .where('code', '=', eventCode)
    .execute()
  const reached = rows.flatMap(({ client_id, test_mode, ...event }) => {
    const client = ctx.access.clients.find(({ id }) => id === client_id)
    const roles = [...(client?.roles ?? []), ...ctx.access.staff.filter(({ eventId }) => eventId === event.id).map(({ role }) => role)]
    if (!client?.active || !client.aiAssistantsAllowed || roles.length === 0) return []
    const head: EventSummaryRow = { ...event, testMode: test_mode }
    return [{ client, event: head, mayWrite: permissionsOf(roles).has('exhibitors.write') }]
  })
  const [found] = reached.length === 1 ? reached : reached.filter(({ client }) => client.id === ctx.client.id)
  if (!found && reached.length > 1)
    throw new AppError('ambiguous', `Several clients have an event ${eventCode}. Copy within one client`, {
      candidates: reached.map(({ client }) => ({ eventCode, clientCode: client.code })),
    })
  if (!found)
    throw notFound(`No event ${eventCode}. Use list_my_events to see the events you can work on`, {
      fix: { tool: 'list_my_events', arguments: {} },
    })
  if (!found.mayWrite)
    throw new AppError('forbidden', `Forbidden — manage_floor_plans requires the exhibitors.write permission at event ${eventCode}`)
  return found
}
