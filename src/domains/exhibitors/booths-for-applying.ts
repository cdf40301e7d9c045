import { sql } from 'kysely'
import type { Where } from './at-event.ts'
import { byNumber } from './company-facts.ts'
import { drawPlan } from './drawing/drawing.ts'
import { toSvg } from './drawing/svg.ts'
import { boothsOn } from './floor/booths.ts'
import { publishedPlans } from './floor/floor-plans.ts'
import { fromTenths } from './floor/plan-shapes.ts'
import { enclosingSides } from './floor/polygons.ts'

/** A booth that can still be asked for. */
export interface FreeBooth {
  plan: string
  number: string
  sizeCode: string | null
  zone: string | null
  width: number
  depth: number
  units: 'm' | 'ft'
}

/** So that numbers can be read on a phone. */
const PIXELS = 720

/** Booths that nobody has, by number, plan by plan. */
export async function boothsForApplying(ctx: Where): Promise<{ booths: FreeBooth[] }> {
  const booths: FreeBooth[] = []
  for (const plan of await publishedPlans(ctx)) {
    const zones = new Map(plan.zones.map(({ code, name }) => [code, name]))
    const free = (await boothsOn(ctx, plan.id)).filter(({ status }) => status === 'available')
    for (const { number, size_code, zone_code, polygon } of free.toSorted((a, b) => byNumber(a.number, b.number))) {
      const { width, depth } = enclosingSides(polygon)
      booths.push({
        plan: plan.name,
        number,
        sizeCode: size_code,
        zone: zone_code === null ? null : (zones.get(zone_code) ?? zone_code),
        width: fromTenths(width, plan.units),
        depth: fromTenths(depth, plan.units),
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

/** The published plans, with free booths and taken ones; whose the others are is told by the booth map. */
export async function plansForApplying(ctx: Where): Promise<PlanPicture[]> {
  const plans = await publishedPlans(ctx)
  const { rows } = await sql<{ boothId: string; name: string }>`
    select a.booth_id as "boothId", c.name from booth_assignments a
    join companies c on c.tenant_id = a.tenant_id and c.event_id = a.event_id and c.id = a.company_id
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and a.until is null and c.status = 'active' and not c.is_test_data`.execute(
    ctx.db,
  )
  const names = new Map(rows.map(({ boothId, name }) => [boothId, name]))
  const pictures: PlanPicture[] = []
  for (const plan of plans) {
    const booths = (await boothsOn(ctx, plan.id)).map(({ id, number, polygon, status }) => ({
      number,
      polygon,
      label: names.get(id) ?? null,
      // What can be asked for stands out, with its number.
      look: status === 'available' ? ('chosen' as const) : names.has(id) ? ('taken' as const) : ('reserved' as const),
    }))
    const drawing = drawPlan(
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
      PIXELS,
    )
    pictures.push({ name: plan.name, svg: toSvg(drawing) })
  }
  return pictures
}
