import { sql } from 'kysely'
import { z } from 'zod'
import { brief, list, object, oneOf, outsideText, text } from '../../kernel/args.ts'
import { notFound } from '../../kernel/errors.ts'
import { nearestFew } from '../../kernel/nearest.ts'
import type { PersonContext } from '../../kernel/participant-tool.ts'
import { matchesWords } from '../../kernel/search.ts'
import { inTurns } from '../../kernel/turns.ts'
import { byNumber } from './company-facts.ts'
import { pictureOf } from './drawing/picture.ts'
import { type BoothRow, boothsOn } from './floor/booths.ts'
import { type FloorPlanRow, publishedPlans } from './floor/floor-plans.ts'
import { walkableGrid } from './floor/grid.ts'
import { fromTenths, POI_KINDS, type Point } from './floor/plan-shapes.ts'
import { boxOf, enclosingSides } from './floor/polygons.ts'
import { type Route, routeThrough } from './floor/route.ts'
import { isAmongTestData } from './people.ts'

const number = () => z.number()

export const MapBooth = object({
  number: text(),
  companyId: text().optional(),
  company: outsideText().optional(),
  x: number(),
  y: number(),
  width: number(),
  depth: number(),
  categories: list(text()),
})

export const MapPlan = object({ code: text(), name: text(), units: oneOf(['m', 'ft']), width: number(), height: number() })
export const MapPoi = object({ id: text(), kind: oneOf(POI_KINDS), name: text(), x: number(), y: number() })
export const MapRoute = brief(
  object({
    from: text(),
    stops: list(object({ number: text(), company: outsideText().optional(), metres: number() })),
    metres: number(),
    minutes: number(),
    points: list(z.array(number())),
    unreachable: list(text()).optional(),
  }),
  'from, stops[] in walking order, metres, minutes, points[]',
)

interface Request {
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

/** A booth as everybody sees it: whose it is only where that company is there. */
interface Shown {
  row: BoothRow
  exhibitor: Exhibitor | null
}

const MOST_LISTED = 300
const MOST_STOPS = 25
const RESERVED = 'Reserved'

/** Where companies stand. With a choice of them: those alone, how to walk there from the entrance, and both drawn. */
export async function getBoothMap(ctx: PersonContext, request: Request) {
  const plans = await publishedPlans(ctx)
  if (plans.length === 0) throw notFound('No floor plan is published at this event')
  const isTest = await isAmongTestData(ctx)
  const found = await choose(ctx, isTest, request)
  const plan = planFor(plans, request, found)
  const booths = await shownOn(ctx, isTest, plan)
  const taken = booths.filter(({ row }) => row.status === 'held' || row.status === 'assigned')
  const chosen = found === null ? null : taken.filter(({ row }) => found.has(row.id))
  const listed = (chosen ?? taken).toSorted((a, b) => byNumber(a.row.number, b.row.number))
  const route = chosen && chosen.length > 0 && chosen.length <= MOST_STOPS ? await routeFor(plan, booths, chosen, request.from) : null
  ctx.pictures.push(await pictureOf(drawn(plan, booths, new Set(chosen?.map(({ row }) => row.id)), route)))
  const names = new Map(booths.map(({ row, exhibitor }) => [row.number, exhibitor?.name]))
  return {
    floorPlans: plans.map(toPlan),
    booths: listed.slice(0, MOST_LISTED).map((booth) => toBooth(plan, booth)),
    total: listed.length,
    pois: plan.pois.map(({ id, kind, name, point: [x, y] }) => ({
      id,
      kind,
      name,
      x: fromTenths(x, plan.units),
      y: fromTenths(y, plan.units),
    })),
    ...(route ? { route: toRoute(plan, route, names) } : {}),
    ...(listed.length > MOST_LISTED
      ? { truncated: true as const, note: `The first ${MOST_LISTED} booths: name companies, numbers or a search to see others.` }
      : {}),
  }
}

/** The booths that are asked for, each with its plan; null where everything is. Unknown names are refused, companies without a booth are none. */
async function choose(
  ctx: PersonContext,
  isTest: boolean,
  { companyIds, boothNumbers, search }: Request,
): Promise<Map<string, string> | null> {
  if (companyIds === undefined && boothNumbers === undefined && search === undefined) return null
  const seen = sql<boolean>`c.status = 'active' and c.is_test_data = ${isTest}`
  const at = sql`tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id}`
  if (companyIds !== undefined) {
    const { rows } = await sql<{ id: string }>`select c.id from companies c where ${at} and c.id = any(${companyIds}) and ${seen}`.execute(
      ctx.db,
    )
    const unknown = companyIds.find((id) => !rows.some((row) => row.id === id))
    if (unknown !== undefined) throw notFound(`No company ${unknown} at this event — use search`)
  }
  const wanted = boothNumbers?.map((one) => one.toLowerCase()) ?? []
  if (wanted.length > 0) await refuseUnknown(ctx, wanted)
  const { rows } = await sql<{ id: string; planId: string }>`
    select b.id, b.floor_plan_id as "planId" from booths b
    left join booth_assignments a on a.tenant_id = b.tenant_id and a.event_id = b.event_id and a.booth_id = b.id and a.until is null
    left join companies c on c.tenant_id = a.tenant_id and c.event_id = a.event_id and c.id = a.company_id and ${seen}
    where b.tenant_id = ${ctx.tenantId} and b.event_id = ${ctx.event.id} and b.status in ('held', 'assigned')
      and (c.id = any(${companyIds ?? []}) or lower(b.number) = any(${wanted})
        or ${search === undefined ? sql`false` : matchesWords(sql`c.searched`, search)})`.execute(ctx.db)
  return new Map(rows.map(({ id, planId }) => [id, planId]))
}

async function refuseUnknown(ctx: PersonContext, wanted: readonly string[]): Promise<void> {
  const { rows } = await sql<{ number: string }>`
    select b.number from booths b
    join floor_plans p on p.tenant_id = b.tenant_id and p.event_id = b.event_id and p.id = b.floor_plan_id and p.status = 'published'
    where b.tenant_id = ${ctx.tenantId} and b.event_id = ${ctx.event.id} and b.status in ('held', 'assigned')`.execute(ctx.db)
  const known = new Map(rows.map((row) => [row.number.toLowerCase(), row.number]))
  const unknown = wanted.find((one) => !known.has(one))
  if (unknown === undefined) return
  const near = nearestFew(unknown, [...known.values()].toSorted(byNumber), 3)
  throw notFound(`No booth ${unknown} on the map${near.length > 0 ? ` — near it: ${near.join(', ')}` : ''}`)
}

/** The one that is named; else the first on which what is asked for stands. */
function planFor(plans: readonly FloorPlanRow[], { floorPlanCode }: Request, found: ReadonlyMap<string, string> | null): FloorPlanRow {
  if (floorPlanCode === undefined) {
    const there = new Set(found?.values())
    return plans.find(({ id }) => there.has(id)) ?? plans[0]!
  }
  const plan = plans.find(({ code }) => code === floorPlanCode)
  if (!plan) throw notFound(`No floor plan ${floorPlanCode} at this event; there are ${plans.map(({ code }) => code).join(', ')}`)
  return plan
}

async function shownOn(ctx: PersonContext, isTest: boolean, plan: FloorPlanRow): Promise<Shown[]> {
  const { rows } = await sql<Exhibitor & { boothId: string }>`
    select a.booth_id as "boothId", c.id, c.name, c.categories from booth_assignments a
    join companies c on c.tenant_id = a.tenant_id and c.event_id = a.event_id and c.id = a.company_id
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and a.until is null
      and c.status = 'active' and c.is_test_data = ${isTest}`.execute(ctx.db)
  const exhibitors = new Map(rows.map(({ boothId, ...exhibitor }) => [boothId, exhibitor]))
  return (await boothsOn(ctx, plan.id)).map((row) => ({ row, exhibitor: exhibitors.get(row.id) ?? null }))
}

async function routeFor(plan: FloorPlanRow, booths: readonly Shown[], chosen: readonly Shown[], from: string | undefined) {
  const start = startOf(plan, booths, from)
  if (start === null) return null
  const grid = await inTurns(walkableGrid({ ...plan, booths: booths.map(({ row }) => row) }))
  const stops = chosen.map(({ row }) => row).toSorted((a, b) => byNumber(a.number, b.number))
  const route = await inTurns(routeThrough(grid, start.at, stops))
  return route && { ...route, from: start.id }
}

/** A point of interest or a booth, by what it is called; else where people come in. */
function startOf(plan: FloorPlanRow, booths: readonly Shown[], from: string | undefined): { id: string; at: Point | BoothRow } | null {
  const poi = plan.pois.find((one) => (from === undefined ? one.kind === 'entrance' : one.id === from))
  if (poi) return { id: poi.id, at: poi.point }
  if (from === undefined) return null
  const booth = booths.find(({ row }) => row.number.toLowerCase() === from.toLowerCase())
  if (!booth)
    throw notFound(
      `Nothing is called ${JSON.stringify(from.slice(0, 40))} on this map — from is the id of a point of interest or a booth number`,
    )
  return { id: booth.row.number, at: booth.row }
}

const labelOf = ({ row, exhibitor }: Shown) => exhibitor?.name ?? (row.status === 'held' || row.status === 'assigned' ? RESERVED : null)

const drawn = (plan: FloorPlanRow, booths: readonly Shown[], chosen: ReadonlySet<string>, route: Route | null) => ({
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
  const { left, right, bottom, top } = boxOf(outline.outer)
  return { code, name, units, width: fromTenths(right - left, units), height: fromTenths(top - bottom, units) }
}

/** From its lower left corner. */
function toBooth({ units }: FloorPlanRow, booth: Shown) {
  const { left, bottom } = boxOf(booth.row.polygon)
  const { width, depth } = enclosingSides(booth.row.polygon)
  const [company, tenths] = [labelOf(booth), (value: number) => fromTenths(value, units)]
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
    points: points.map(([x, y]) => [fromTenths(x, units), fromTenths(y, units)]),
    ...(unreachable.length > 0 ? { unreachable } : {}),
  }
}
