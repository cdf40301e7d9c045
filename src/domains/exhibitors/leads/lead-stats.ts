import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import type { LeadStatsGrouping } from './lead-shapes.ts'
import { isTestCompany } from './manage-leads.ts'

/**
 * Maximum number of rows in a result. The staff or devices with the fewest scans are combined in one additional row, so that sums stay
 * equal.
 */
const MAX_ROWS = 200

/**
 * Counts scans per hour or day of the event's time zone, per staff member or per device. Scans of deleted leads are left out. The captures
 * of all rows add up to the captures in the totals, which are the sum of the captures of all leads.
 */
export async function countLeads(ctx: EventContext, { companyId, by }: { companyId?: string | undefined; by: LeadStatsGrouping }) {
  const isTest = await isTestCompany(ctx, companyId)
  const ofLead = sql`l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and l.is_test_data = ${isTest} and l.status = 'active'
    and (${companyId ?? null}::text is null or l.company_id = ${companyId ?? null})`
  const local = sql`c.at at time zone ${ctx.event.timezone}`
  const keys = {
    hour: sql`to_char(${local}, 'YYYY-MM-DD"T"HH24:00')`,
    day: sql`to_char(${local}, 'YYYY-MM-DD')`,
    staff: sql`coalesce(s.name, 'not recorded')`,
    device: sql`coalesce(d.name, 'SDK')`,
  }
  // Rows are grouped by id, because two staff members or devices may have the same name.
  const group = { hour: sql`1`, day: sql`1`, staff: sql`1, c.staff_id`, device: sql`1, c.device_id` }[by]
  const { rows } = await sql<{ key: string; leads: number; captures: number }>`
    select ${keys[by]} as key, count(distinct c.lead_id)::int as leads, count(*)::int as captures
    from leads l join lead_captures c on c.tenant_id = l.tenant_id and c.event_id = l.event_id and c.lead_id = l.id and c.type in ('sdk', 'device')
    left join exhibitor_staff s on s.tenant_id = c.tenant_id and s.event_id = c.event_id and s.id = c.staff_id
    left join lead_devices d on d.tenant_id = c.tenant_id and d.event_id = c.event_id and d.id = c.device_id
    where ${ofLead} group by ${group} order by ${by === 'hour' || by === 'day' ? group : sql`3 desc, ${group}`}`.execute(ctx.db)
  const totals = await sql<{ leads: number; captures: number }>`
    select count(*)::int as leads, coalesce(sum(l.captures), 0)::int as captures from leads l where ${ofLead}`.execute(ctx.db)
  const others = rows.slice(MAX_ROWS)
  const sum = (figure: 'leads' | 'captures') => others.reduce((total, row) => total + row[figure], 0)
  const rest = others.length > 0 ? [{ key: 'others', leads: sum('leads'), captures: sum('captures') }] : []
  return { stats: { by, rows: [...rows.slice(0, MAX_ROWS), ...rest], totals: totals.rows[0]! } }
}
