import { sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, id, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { readPage } from '../../../kernel/page.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../../kernel/search.ts'
import { countCappedTotal } from '../../../kernel/totals.ts'
import type { BoothRow } from '../floor/booths.ts'
import { type FloorPlanRow, buildFloorPlanQuery } from '../floor/floor-plans.ts'
import { computeFloorPlanMetrics, toAreaPercent } from '../floor/plan-figures.ts'
import { FLOOR_PLAN_STATES } from '../states.ts'
import { BoothCounts, LastFloorPlanScan, listLastFloorPlanScans } from './plan-results.ts'

export const FloorPlanSummary = object({
  id: id(),
  code: text(),
  name: untrustedText(),
  units: oneOf(['m', 'ft']),
  status: oneOf(FLOOR_PLAN_STATES.all),
  gross: z.number(),
  net: z.number(),
  netGross: z.number(),
  booths: BoothCounts,
  pois: count(),
  lastScan: LastFloorPlanScan.optional(),
  revision: count(),
})

export const FloorPlanTotals = toOneLine(
  object({ floorPlans: count(), grossM2: z.number(), netM2: z.number(), netGross: z.number(), booths: BoothCounts }),
  'floorPlans, grossM2, netM2, netGross, booths',
)

interface PlanFilter {
  status?: FloorPlanRow['status'] | undefined
  search?: string | undefined
  limit: number
  cursor?: string | undefined
}

type CountedBooth = Pick<BoothRow, 'status' | 'polygon'>

/** Lists floor plans sorted by code, with the figures of each plan and the sums of all matching plans. */
export async function listFloorPlans(ctx: EventContext, { status, search, limit, cursor }: PlanFilter) {
  let rows = buildFloorPlanQuery(ctx)
  if (status !== undefined) rows = rows.where('status', '=', status)
  if (search !== undefined)
    rows = rows.where(buildWordMatchCondition(sql<string>`lanyard_searched(floor_plans.code, floor_plans.name)`, search))
  const booths = await listBoothsByPlan(ctx)
  const { items, ...page } = await readPage(
    ctx,
    { limit, cursor },
    {
      rows,
      order: [{ by: sql`floor_plans.code`, type: 'text', of: ({ code }) => code }],
      shape: (plan) => toSummary(plan, booths.get(plan.id) ?? []),
    },
  )
  const scans = new Map(
    await listLastFloorPlanScans(
      ctx,
      items.map((plan) => plan.id),
    ),
  )
  const floorPlans = items.map((plan) => {
    const lastScan = scans.get(plan.id)
    return lastScan ? { ...plan, lastScan } : plan
  })
  return { floorPlans, totals: toTotals(await rows.execute(), booths), ...(await countCappedTotal(ctx, rows)), ...page }
}

async function listBoothsByPlan(ctx: EventContext): Promise<Map<string, CountedBooth[]>> {
  const booths = await eventDb(ctx)
    .selectFrom('booths')
    .select(['floor_plan_id', 'status', 'polygon'])
    .where('status', '<>', 'merged')
    .execute()
  return Map.groupBy(booths, (booth) => booth.floor_plan_id)
}

function toSummary(plan: FloorPlanRow, booths: readonly CountedBooth[]) {
  const { gross, net, netGross, booths: counts } = computeFloorPlanMetrics(plan, booths)
  const { id: planId, code, name, units, status, revision } = plan
  return { id: planId, code, name, units, status, gross, net, netGross, booths: counts, pois: plan.pois.length, revision }
}

/** Sums the figures of plans, in square metres because the plans may have different units. */
function toTotals(plans: readonly FloorPlanRow[], booths: ReadonlyMap<string, readonly CountedBooth[]>) {
  const totals = { floorPlans: 0, grossM2: 0, netM2: 0, netGross: 0, booths: { total: 0, available: 0, held: 0, assigned: 0, blocked: 0 } }
  for (const plan of plans) {
    const figures = computeFloorPlanMetrics(plan, booths.get(plan.id) ?? [])
    totals.floorPlans++
    totals.grossM2 += figures.grossM2
    totals.netM2 += figures.netM2
    for (const status of ['total', 'available', 'held', 'assigned', 'blocked'] as const) totals.booths[status] += figures.booths[status]
  }
  const round = (value: number) => Math.round(value * 10_000) / 10_000
  return { ...totals, grossM2: round(totals.grossM2), netM2: round(totals.netM2), netGross: toAreaPercent(totals.netM2, totals.grossM2) }
}
