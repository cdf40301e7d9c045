import { sql } from 'kysely'
import type { CompanyRow } from '../companies.ts'
import type { ExhibitorContext } from '../context.ts'
import { mustLicencesBePaid } from '../licences.ts'
import { readAllotment } from '../staff/allotment.ts'

/** The numbers about a company that every page of its portal shows. */
export interface PortalCounts {
  leads: { total: number; today: number; unrated: number }
  passes: { used: number; total: number }
  devices: { active: number; seats: number }
  /** Number of meeting requests that wait for the company's answer. */
  requests: number
}

export async function readPortalCounts(ctx: ExhibitorContext, company: CompanyRow): Promise<PortalCounts> {
  const own = sql`x.tenant_id = ${ctx.tenantId} and x.event_id = ${ctx.event.id} and x.company_id = ${company.id}`
  const today = sql`(date_trunc('day', lanyard_now() at time zone ${ctx.event.timezone}) at time zone ${ctx.event.timezone})`
  const { rows } = await sql<Record<'leads' | 'today' | 'unrated' | 'used' | 'active' | 'seats' | 'requests', number>>`
    select l.leads, l.today, l.unrated,
      (select count(*)::int from exhibitor_staff x where ${own} and x.status <> 'removed' and x.pass = 'free') as used,
      (select count(*)::int from lead_devices x where ${own} and x.status = 'active') as active,
      device_seats(${ctx.tenantId}, ${ctx.event.id}, ${company.id}, ${await mustLicencesBePaid(ctx)}) as seats,
      (select count(*)::int from appointments x where ${own} and x.status = 'pending' and x.starts_at > lanyard_now()) as requests
    from (
      select count(*)::int as leads, (count(*) filter (where x.rating is null))::int as unrated,
        (count(*) filter (where coalesce(x.last_captured_at, x.created_at) >= ${today}))::int as today
      from leads x where ${own} and x.status = 'active') l`.execute(ctx.db)
  const { leads, today: ofToday, unrated, used, active, seats, requests } = rows[0]!
  const { total } = await readAllotment(ctx, company)
  return { leads: { total: leads, today: ofToday, unrated }, passes: { used, total }, devices: { active, seats }, requests }
}

/** The first and the last scan of a lead, each with its time, device and staff member. */
export interface FirstAndLastLeadScan {
  first: ScanPlace | null
  last: ScanPlace | null
}

interface ScanPlace {
  at: Date
  device: string | null
  staff: string | null
}

export async function readFirstAndLastLeadScans(
  ctx: ExhibitorContext,
  leadIds: readonly string[],
): Promise<Map<string, FirstAndLastLeadScan>> {
  const scan = (order: 'asc' | 'desc') => sql`left join lateral (
    select c.at, d.name as device, s.name as staff from lead_captures c
    left join lead_devices d on d.tenant_id = c.tenant_id and d.event_id = c.event_id and d.id = c.device_id
    left join exhibitor_staff s on s.tenant_id = c.tenant_id and s.event_id = c.event_id and s.id = c.staff_id
    where c.tenant_id = l.tenant_id and c.event_id = l.event_id and c.lead_id = l.id and c.type in ('sdk', 'device')
    order by c.at ${sql.raw(order)}, c.id ${sql.raw(order)} limit 1)`
  const { rows } = await sql<Record<'firstAt' | 'lastAt', Date | null> & Record<string, string | null> & { id: string }>`
    select l.id, f.at as "firstAt", f.device as "firstDevice", f.staff as "firstStaff", t.at as "lastAt", t.device as "lastDevice", t.staff as "lastStaff"
    from leads l ${scan('asc')} f on true ${scan('desc')} t on true
    where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and l.id = any(${leadIds})`.execute(ctx.db)
  const place = (at: Date | null, device: string | null | undefined, staff: string | null | undefined): ScanPlace | null =>
    at && { at, device: device ?? null, staff: staff ?? null }
  return new Map(
    rows.map((row) => [
      row.id,
      {
        first: place(row.firstAt, row['firstDevice'], row['firstStaff']),
        last: place(row.lastAt, row['lastDevice'], row['lastStaff']),
      },
    ]),
  )
}
