import { sql } from 'kysely'
import type { ExhibitorQueryContext } from './context.ts'
import { compareBoothNumbers } from './company-facts.ts'
import { drawFloorPlan } from './drawing/drawing.ts'
import { toSvg } from '../drawing/svg.ts'
import { listBooths } from './floor/booths.ts'
import { listPublishedPlans } from './floor/floor-plans.ts'
import { fromTenthsOfMillimetres } from './floor/plan-shapes.ts'
import { findSmallestRectangle } from './floor/polygons.ts'

export interface AvailableBooth {
  plan: string
  number: string
  sizeCode: string | null
  zone: string | null
  width: number
  depth: number
  units: 'm' | 'ft'
}

/** Length of the picture's longer side in pixels, at which booth numbers are legible on a phone. */
const PICTURE_PIXELS = 720

/** Lists the available booths, sorted by floor plan and number. */
export async function listAvailableBooths(ctx: ExhibitorQueryContext): Promise<{ booths: AvailableBooth[] }> {
  const booths: AvailableBooth[] = []
  for (const plan of await listPublishedPlans(ctx)) {
    const zones = new Map(plan.zones.map(({ code, name }) => [code, name]))
    const free = (await listBooths(ctx, plan.id)).filter(({ status }) => status === 'available')
    for (const { number, size_code, zone_code, polygon } of free.toSorted((a, b) => compareBoothNumbers(a.number, b.number))) {
      const { width, depth } = findSmallestRectangle(polygon)
      booths.push({
        plan: plan.name,
        number,
        sizeCode: size_code,
        zone: zone_code === null ? null : (zones.get(zone_code) ?? zone_code),
        width: fromTenthsOfMillimetres(width, plan.units),
        depth: fromTenthsOfMillimetres(depth, plan.units),
        units: plan.units,
      })
    }
  }
  return { booths }
}

export interface PlanPicture {
  name: string
  svg: string
}

/** Draws the published plans with available and taken booths. */
export async function drawPublishedPlans(ctx: ExhibitorQueryContext): Promise<PlanPicture[]> {
  const plans = await listPublishedPlans(ctx)
  const { rows } = await sql<{ boothId: string; name: string }>`
    select a.booth_id as "boothId", c.name from booth_assignments a
    join companies c on c.tenant_id = a.tenant_id and c.event_id = a.event_id and c.id = a.company_id
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and a.until is null and c.status = 'active' and not c.is_test_data`.execute(
    ctx.db,
  )
  const names = new Map(rows.map(({ boothId, name }) => [boothId, name]))
  const pictures: PlanPicture[] = []
  for (const plan of plans) {
    const booths = (await listBooths(ctx, plan.id)).map(({ id, number, polygon, status }) => ({
      number,
      polygon,
      label: names.get(id) ?? null,
      // Highlights the available booths, and shows their numbers.
      look: status === 'available' ? ('chosen' as const) : names.has(id) ? ('taken' as const) : ('reserved' as const),
    }))
    const drawing = drawFloorPlan(
      {
        name: plan.name,
        units: plan.units,
        outer: plan.outline.outer,
        holes: plan.outline.holes,
        obstacles: plan.obstacles.filter(({ blocksWalking }) => blocksWalking),
        booths,
        pois: plan.pois,
        route: [],
      },
      PICTURE_PIXELS,
    )
    pictures.push({ name: plan.name, svg: toSvg(drawing) })
  }
  return pictures
}
