import { sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, list, object, oneOf, untrustedText, text } from '../../kernel/args.ts'
import { notFound } from '../../kernel/errors.ts'
import { listMostSimilarNames } from '../../kernel/nearest.ts'
import type { VerifiedPersonContext } from '../../kernel/participant-tool.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { runTaskCooperatively } from '../../kernel/cooperative.ts'
import { compareBoothNumbers } from './company-facts.ts'
import { renderFloorPlan } from './drawing/picture.ts'
import { type BoothRow, listBooths } from './floor/booths.ts'
import { type FloorPlanRow, listPublishedPlans } from './floor/floor-plans.ts'
import { buildWalkableGrid } from './floor/grid.ts'
import { fromTenthsOfMillimetres, POI_KINDS, type Point } from './floor/plan-shapes.ts'
import { computeBoundingBox, findSmallestRectangle } from './floor/polygons.ts'
import { type Route, findRoute } from './floor/route.ts'
import { isCallerTestParticipant } from './people.ts'

const number = () => z.number()

export const BoothOnMapShape = object({
  number: text(),
  companyId: text().optional(),
  company: untrustedText().optional(),
  x: number(),
  y: number(),
  width: number(),
  depth: number(),
  categories: list(text()),
})

export const MapFloorPlan = object({ code: text(), name: text(), units: oneOf(['m', 'ft']), width: number(), height: number() })
export const MapPoi = object({ id: text(), kind: oneOf(POI_KINDS), name: text(), x: number(), y: number() })
export const MapRoute = toOneLine(
  object({
    from: text(),
    stops: list(object({ number: text(), company: untrustedText().optional(), metres: number() })),
    metres: number(),
    minutes: number(),
    points: list(z.array(number())),
    unreachable: list(text()).optional(),
  }),
  'from, stops[] in walking order, metres, minutes, points[]',
)

interface BoothMapRequest {
  floorPlanCode?: string | undefined
  companyIds?: readonly string[] | undefined
  boothNumbers?: readonly string[] | undefined
  search?: string | undefined
  from?: string | undefined
}

interface Exhibitor {
  id: string
  name: string
  categories: string[]
}

/** A booth as participants see it; its exhibitor is shown only if active. */
interface MapBoothEntry {
  row: BoothRow
  exhibitor: Exhibitor | null
}

const MAX_LISTED_BOOTHS = 300
const MAX_ROUTE_STOPS = 25
const RESERVED = 'Reserved'

/** Returns the booths of a floor plan: all of them, or only the requested booths with a walking route from the entrance. */
export async function getBoothMap(ctx: VerifiedPersonContext, request: BoothMapRequest) {
  const plans = await listPublishedPlans(ctx)
  if (plans.length === 0) throw notFound('No floor plan is published at this event')
  const isTest = await isCallerTestParticipant(ctx)
  const found = await findRequestedBooths(ctx, isTest, request)
  const plan = choosePlan(plans, request, found)
  const booths = await listMapBooths(ctx, isTest, plan)
  const taken = booths.filter(({ row }) => row.status === 'held' || row.status === 'assigned')
  const chosen = found === null ? null : taken.filter(({ row }) => found.has(row.id))
  const listed = (chosen ?? taken).toSorted((a, b) => compareBoothNumbers(a.row.number, b.row.number))
  const route = chosen && chosen.length > 0 && chosen.length <= MAX_ROUTE_STOPS ? await planRoute(plan, booths, chosen, request.from) : null
  ctx.pictures.push(await renderFloorPlan(toDrawnPlan(plan, booths, new Set(chosen?.map(({ row }) => row.id)), route)))
  const names = new Map(booths.map(({ row, exhibitor }) => [row.number, exhibitor?.name]))
  return {
    floorPlans: plans.map(toPlan),
    booths: listed.slice(0, MAX_LISTED_BOOTHS).map((booth) => toBooth(plan, booth)),
    total: listed.length,
    pois: plan.pois.map(({ id, kind, name, point: [x, y] }) => ({
      id,
      kind,
      name,
      x: fromTenthsOfMillimetres(x, plan.units),
      y: fromTenthsOfMillimetres(y, plan.units),
    })),
    ...(route ? { route: toRoute(plan, route, names) } : {}),
    ...(listed.length > MAX_LISTED_BOOTHS
      ? {
          truncated: true as const,
          note: `Shows the first ${MAX_LISTED_BOOTHS} booths. Use companyIds, boothNumbers or search to see others.`,
        }
      : {}),
  }
}

/**
 * Finds the requested booths, as a map from booth id to floor plan id; null if the request has no filter. Unknown ids and numbers are
 * errors; companies without a booth are skipped.
 */
async function findRequestedBooths(
  ctx: VerifiedPersonContext,
  isTest: boolean,
  { companyIds, boothNumbers, search }: BoothMapRequest,
): Promise<Map<string, string> | null> {
  if (companyIds === undefined && boothNumbers === undefined && search === undefined) return null
  const seen = sql<boolean>`c.status = 'active' and c.is_test_data = ${isTest}`
  const at = sql`tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id}`
  if (companyIds !== undefined) {
    const { rows } = await sql<{ id: string }>`select c.id from companies c where ${at} and c.id = any(${companyIds}) and ${seen}`.execute(
      ctx.db,
    )
    const unknown = companyIds.find((id) => !rows.some((row) => row.id === id))
    if (unknown !== undefined) throw notFound(`No company ${unknown} at this event. Use search to find it`)
  }
  const wanted = boothNumbers?.map((one) => one.toLowerCase()) ?? []
  if (wanted.length > 0) await refuseUnknownNumbers(ctx, wanted)
  const { rows } = await sql<{ id: string; planId: string }>`
    select b.id, b.floor_plan_id as "planId" from booths b
    left join booth_assignments a on a.tenant_id = b.tenant_id and a.event_id = b.event_id and a.booth_id = b.id and a.until is null
    left join companies c on c.tenant_id = a.tenant_id and c.event_id = a.event_id and c.id = a.company_id and ${seen}
    where b.tenant_id = ${ctx.tenantId} and b.event_id = ${ctx.event.id} and b.status in ('held', 'assigned')
      and (c.id = any(${companyIds ?? []}) or lower(b.number) = any(${wanted})
        or ${search === undefined ? sql`false` : buildWordMatchCondition(sql`c.searched`, search)})`.execute(ctx.db)
  return new Map(rows.map(({ id, planId }) => [id, planId]))
}

async function refuseUnknownNumbers(ctx: VerifiedPersonContext, wanted: readonly string[]): Promise<void> {
  const { rows } = await sql<{ number: string }>`
    select b.number from booths b
    join floor_plans p on p.tenant_id = b.tenant_id and p.event_id = b.event_id and p.id = b.floor_plan_id and p.status = 'published'
    where b.tenant_id = ${ctx.tenantId} and b.event_id = ${ctx.event.id} and b.status in ('held', 'assigned')`.execute(ctx.db)
  const known = new Map(rows.map((row) => [row.number.toLowerCase(), row.number]))
  const unknown = wanted.find((one) => !known.has(one))
  if (unknown === undefined) return
  const near = listMostSimilarNames(unknown, [...known.values()].toSorted(compareBoothNumbers), 3)
  throw notFound(`No booth ${unknown} on the map${near.length > 0 ? `. Similar numbers: ${near.join(', ')}` : ''}`)
}

/** Returns the plan with the given code, otherwise the first plan with a requested booth. */
function choosePlan(
  plans: readonly FloorPlanRow[],
  { floorPlanCode }: BoothMapRequest,
  found: ReadonlyMap<string, string> | null,
): FloorPlanRow {
  if (floorPlanCode === undefined) {
    const there = new Set(found?.values())
    return plans.find(({ id }) => there.has(id)) ?? plans[0]!
  }
  const plan = plans.find(({ code }) => code === floorPlanCode)
  if (!plan) throw notFound(`No floor plan ${floorPlanCode} at this event. Available: ${plans.map(({ code }) => code).join(', ')}`)
  return plan
}

async function listMapBooths(ctx: VerifiedPersonContext, isTest: boolean, plan: FloorPlanRow): Promise<MapBoothEntry[]> {
  const { rows } = await sql<Exhibitor & { boothId: string }>`
    select a.booth_id as "boothId", c.id, c.name, c.categories from booth_assignments a
    join companies c on c.tenant_id = a.tenant_id and c.event_id = a.event_id and c.id = a.company_id
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and a.until is null
      and c.status = 'active' and c.is_test_data = ${isTest}`.execute(ctx.db)
  const exhibitors = new Map(rows.map(({ boothId, ...exhibitor }) => [boothId, exhibitor]))
  return (await listBooths(ctx, plan.id)).map((row) => ({ row, exhibitor: exhibitors.get(row.id) ?? null }))
}

async function planRoute(plan: FloorPlanRow, booths: readonly MapBoothEntry[], chosen: readonly MapBoothEntry[], from: string | undefined) {
  const start = findStart(plan, booths, from)
  if (start === null) return null
  const grid = await runTaskCooperatively(buildWalkableGrid({ ...plan, booths: booths.map(({ row }) => row) }))
  const stops = chosen.map(({ row }) => row).toSorted((a, b) => compareBoothNumbers(a.number, b.number))
  const route = await runTaskCooperatively(findRoute(grid, start.at, stops))
  return route && { ...route, from: start.id }
}

/** Returns the start of the route: the point of interest or booth named in `from`, by default the entrance. */
function findStart(
  plan: FloorPlanRow,
  booths: readonly MapBoothEntry[],
  from: string | undefined,
): { id: string; at: Point | BoothRow } | null {
  const poi = plan.pois.find((one) => (from === undefined ? one.kind === 'entrance' : one.id === from))
  if (poi) return { id: poi.id, at: poi.point }
  if (from === undefined) return null
  const booth = booths.find(({ row }) => row.number.toLowerCase() === from.toLowerCase())
  if (!booth)
    throw notFound(
      `Nothing on this map is called ${JSON.stringify(from.slice(0, 40))}. Use the id of a point of interest or a booth number`,
    )
  return { id: booth.row.number, at: booth.row }
}

const labelOf = ({ row, exhibitor }: MapBoothEntry) =>
  exhibitor?.name ?? (row.status === 'held' || row.status === 'assigned' ? RESERVED : null)

const toDrawnPlan = (plan: FloorPlanRow, booths: readonly MapBoothEntry[], chosen: ReadonlySet<string>, route: Route | null) => ({
  name: plan.name,
  units: plan.units,
  outer: plan.outline.outer,
  holes: plan.outline.holes,
  obstacles: plan.obstacles.filter(({ blocksWalking }) => blocksWalking),
  booths: booths.map((booth) => ({
    number: booth.row.number,
    polygon: booth.row.polygon,
    label: labelOf(booth),
    look: chosen.has(booth.row.id)
      ? ('chosen' as const)
      : booth.exhibitor
        ? ('taken' as const)
        : labelOf(booth)
          ? ('reserved' as const)
          : ('free' as const),
  })),
  pois: plan.pois,
  route: route?.points ?? [],
})

function toPlan({ code, name, units, outline }: FloorPlanRow) {
  const { left, right, bottom, top } = computeBoundingBox(outline.outer)
  return { code, name, units, width: fromTenthsOfMillimetres(right - left, units), height: fromTenthsOfMillimetres(top - bottom, units) }
}

/** Converts a booth to the response format. Its position is that of its lower left corner. */
function toBooth({ units }: FloorPlanRow, booth: MapBoothEntry) {
  const { left, bottom } = computeBoundingBox(booth.row.polygon)
  const { width, depth } = findSmallestRectangle(booth.row.polygon)
  const [company, tenths] = [labelOf(booth), (value: number) => fromTenthsOfMillimetres(value, units)]
  return {
    number: booth.row.number,
    ...(booth.exhibitor ? { companyId: booth.exhibitor.id } : {}),
    ...(company === null ? {} : { company }),
    x: tenths(left),
    y: tenths(bottom),
    width: tenths(width),
    depth: tenths(depth),
    categories: booth.exhibitor?.categories ?? [],
  }
}

function toRoute(
  { units }: FloorPlanRow,
  { from, stops, metres, minutes, points, unreachable }: Route & { from: string },
  names: ReadonlyMap<string, string | undefined>,
) {
  return {
    from,
    stops: stops.map((stop) => ({ ...stop, ...(names.get(stop.number) === undefined ? {} : { company: names.get(stop.number)! }) })),
    metres,
    minutes,
    points: points.map(([x, y]) => [fromTenthsOfMillimetres(x, units), fromTenthsOfMillimetres(y, units)]),
    ...(unreachable.length > 0 ? { unreachable } : {}),
  }
}
