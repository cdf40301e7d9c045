import { sql } from 'kysely'
import type { ExhibitorQueryContext } from './context.ts'
import { type Polygon, toSquareMetres } from './floor/plan-shapes.ts'
import { computePolygonArea } from './floor/polygons.ts'

/** Sorts booth numbers in natural order: 99, 101, 101A. */
export const compareBoothNumbers = new Intl.Collator('en', { numeric: true }).compare

/** Lists the companies' booths on published plans. */
export async function listBoothNumbers(ctx: ExhibitorQueryContext, companyIds: readonly string[] | 'all'): Promise<Map<string, string[]>> {
  if (companyIds.length === 0) return new Map()
  const those = companyIds === 'all' ? sql`` : sql`and a.company_id = any(${companyIds})`
  const { rows } = await sql<{ companyId: string; number: string }>`
    select a.company_id as "companyId", b.number from booth_assignments a
    join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = a.booth_id
    join floor_plans p on p.tenant_id = b.tenant_id and p.event_id = b.event_id and p.id = b.floor_plan_id and p.status = 'published'
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and a.until is null ${those}`.execute(ctx.db)
  const numbers = new Map<string, string[]>()
  for (const { companyId, number } of rows)
    numbers.set(companyId, [...(numbers.get(companyId) ?? []), number].toSorted(compareBoothNumbers))
  return numbers
}

export const formatBoothNumbers = (numbers: ReadonlyMap<string, readonly string[]>, companyId: string | null) =>
  companyId === null ? '' : (numbers.get(companyId) ?? []).join(', ')

/** Returns the recipient of emails to a company: its contact address, otherwise a contact or admin of its staff. */
export async function findCompanyEmailRecipient(
  ctx: ExhibitorQueryContext,
  companyId: string,
): Promise<{ email: string; name: string | null } | null> {
  const { rows } = await sql<{ email: string; name: string | null }>`
    select contact_email as email, contact_name as name, 0 as rank, '' as id from companies
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and id = ${companyId} and contact_email is not null
    union all
    select email, name, case role when 'contact' then 1 else 2 end, id from exhibitor_staff
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and company_id = ${companyId} and status <> 'removed' and role <> 'staff'
    order by rank, id limit 1`.execute(ctx.db)
  return rows[0] ?? null
}

/** The area of the companies' booths in square metres. Companies without a booth are left out. */
export async function readBoothAreaByCompany(
  { db, tenantId, event }: ExhibitorQueryContext,
  companyIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ companyId: string; polygon: Polygon }>`
    select a.company_id as "companyId", b.polygon from booth_assignments a
    join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = a.booth_id
    where a.tenant_id = ${tenantId} and a.event_id = ${event.id} and a.until is null and a.company_id = any(${companyIds})`.execute(db)
  const areas = new Map<string, number>()
  for (const { companyId, polygon } of rows) areas.set(companyId, (areas.get(companyId) ?? 0) + toSquareMetres(computePolygonArea(polygon)))
  return areas
}
