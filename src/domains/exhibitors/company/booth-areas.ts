import { sql } from 'kysely'
import type { ExhibitorQueryContext } from '../context.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import { TENTHS_OF_MM_PER_METRE, type Polygon } from '../floor/plan-shapes.ts'
import { computePolygonArea } from '../floor/polygons.ts'

/** The booths that a company has now, on plans of any status, with their area. */
export async function listBoothAreas(
  ctx: ExhibitorQueryContext,
  companyId: string,
): Promise<{ number: string; floorPlanCode: string; areaM2: number }[]> {
  const { rows } = await sql<{ number: string; code: string; polygon: Polygon }>`
    select b.number, p.code, b.polygon from booth_assignments a
    join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = a.booth_id
    join floor_plans p on p.tenant_id = b.tenant_id and p.event_id = b.event_id and p.id = b.floor_plan_id
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and a.company_id = ${companyId} and a.until is null`.execute(
    ctx.db,
  )
  return rows
    .map(({ number, code, polygon }) => ({
      number,
      floorPlanCode: code,
      areaM2: computePolygonArea(polygon) / TENTHS_OF_MM_PER_METRE ** 2,
    }))
    .toSorted((a, b) => compareBoothNumbers(a.number, b.number))
}

/** The ids of the booths that a company has now, on published plans. */
export async function listPublishedBoothIds(ctx: ExhibitorQueryContext, companyId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select b.id from booth_assignments a
    join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = a.booth_id
    join floor_plans p on p.tenant_id = b.tenant_id and p.event_id = b.event_id and p.id = b.floor_plan_id and p.status = 'published'
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and a.company_id = ${companyId} and a.until is null`.execute(
    ctx.db,
  )
  return rows.map(({ id }) => id)
}
