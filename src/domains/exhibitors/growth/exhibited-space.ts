import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import type { Polygon } from '../floor/plan-shapes.ts'
import { computePolygonArea } from '../floor/polygons.ts'
import type { ComparedEvent } from './compared-event.ts'

/** Space and booth sales of an organization at an event: area in square tenths of millimetres, sales without tax in minor units. */
export interface ExhibitedSpace {
  organizationId: string
  name: string
  area: number
  revenue: number
}

export interface ExhibitedSpaceFilter {
  zoneCode?: string | undefined
  /** Category codes. If given, only companies with one of these categories are listed. */
  categories?: readonly string[] | undefined
  /**
   * Only booth assignments and order lines at this instant count. Null for the final state: all assignments that lasted until the event's end, whenever
   * they were entered, because earlier events are often entered later.
   */
  at: Date | null
  /** The end of the event. If `at` is null, the booth assignments that lasted until then count. */
  end: Date
}

/** Lists the organizations with a booth at an event. Test companies are left out. */
export async function listExhibitedSpace(
  { db, tenantId }: EventContext,
  event: ComparedEvent,
  { zoneCode, categories, at, end }: ExhibitedSpaceFilter,
): Promise<Map<string, ExhibitedSpace>> {
  const lasted = at === null ? sql`(a.until is null or a.until > ${end})` : sql`a."from" <= ${at} and (a.until is null or a.until > ${at})`
  const { rows } = await sql<{ organizationId: string; name: string; polygon: Polygon; revenue: string }>`
    select distinct on (b.id) c.organization_id as "organizationId", o.name, b.polygon, coalesce(r.net, 0) as revenue
    from booth_assignments a
    join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = a.booth_id
    join companies c on c.tenant_id = a.tenant_id and c.event_id = a.event_id and c.id = a.company_id and not c.is_test_data
    join organizations o on o.tenant_id = c.tenant_id and o.id = c.organization_id
    left join lateral (
      select sum(l.net) as net from order_lines l
      where l.tenant_id = a.tenant_id and l.event_id = a.event_id
        and (l.id = any(a.order_line_ids) or l.reverses_line_id = any(a.order_line_ids))
        and (${at}::timestamptz is null or l.created_at <= ${at})) r on true
    where a.tenant_id = ${tenantId} and a.event_id = ${event.id} and ${lasted}
      ${zoneCode === undefined ? sql`` : sql`and b.zone_code = ${zoneCode}`}
      ${categories === undefined ? sql`` : sql`and c.categories && ${categories}::text[]`}
    order by b.id, a."from", a.id`.execute(db)
  const spaces = new Map<string, ExhibitedSpace>()
  for (const { organizationId, name, polygon, revenue } of rows) {
    const space = spaces.get(organizationId) ?? { organizationId, name, area: 0, revenue: 0 }
    space.area += computePolygonArea(polygon)
    space.revenue += Number(revenue)
    spaces.set(organizationId, space)
  }
  return spaces
}

/** Lists the organizations that had a booth at one of the events. */
export async function listExhibitingOrganizationIds({ db, tenantId }: EventContext, eventIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ organizationId: string }>`
    select distinct c.organization_id as "organizationId" from booth_assignments a
    join events e on e.tenant_id = a.tenant_id and e.id = a.event_id
    join companies c on c.tenant_id = a.tenant_id and c.event_id = a.event_id and c.id = a.company_id and not c.is_test_data
    where a.tenant_id = ${tenantId} and a.event_id = any(${eventIds})
      and (a.until is null or a.until > (e.ends_on + 1)::timestamp at time zone e.timezone)`.execute(db)
  return new Set(rows.map(({ organizationId }) => organizationId))
}
