import { sql } from 'kysely'
import type { IntegrityCheck } from './check.ts'

/**
 * Rule X1 of the specification: booth numbers are unique; a booth has the status assigned exactly while it has an open assignment; a hold
 * has a company and an end; and the order lines of an open assignment are on the order of a company.
 */
const boothsHaveOneCompany: IntegrityCheck = {
  id: 'X1',
  findViolations: (at) => sql`
    select 'booth ' || min(b.number) as sample from booths b where ${at('b')} and b.status <> 'merged'
    group by lower(b.number) having count(*) > 1
    union all
    select 'booth ' || b.number from booths b
    left join (select a.booth_id, count(*) as companies from booth_assignments a where ${at('a')} and a.until is null group by 1) a
      on a.booth_id = b.id
    where ${at('b')} and (coalesce(a.companies, 0) <> case b.status when 'assigned' then 1 else 0 end
      or (b.status = 'held') <> (b.held_for is not null and b.held_until is not null))
    union all
    select 'order lines of booth ' || b.number from booth_assignments a
    join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = a.booth_id
    cross join unnest(a.order_line_ids) l(id)
    left join order_lines s on s.tenant_id = a.tenant_id and s.event_id = a.event_id and s.id = l.id
    left join orders o on o.tenant_id = s.tenant_id and o.event_id = s.event_id and o.id = s.order_id
    where ${at('a')} and a.until is null and o.company_id is null`,
}

/**
 * Rule X3 of the specification: a company has one live booth application, apart from additional applications, and the booths of an open
 * offer are held for the company.
 */
const offeredBoothsAreHeld: IntegrityCheck = {
  id: 'X3',
  findViolations: (at) => sql`
    select 'company ' || a.company_id as sample from booth_applications a
    where ${at('a')} and not a.additional and a.status not in ('draft', 'rejected', 'withdrawn', 'cancelled')
    group by a.company_id having count(*) > 1
    union all
    select 'offer ' || coalesce(a.number, a.id) from booth_applications a cross join unnest(a.offer_booth_ids) o(booth_id)
    left join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = o.booth_id
    where ${at('a')} and a.status = 'offered' and b.held_for is distinct from a.company_id`,
}

export const BOOTH_INTEGRITY_CHECKS: readonly IntegrityCheck[] = [boothsHaveOneCompany, offeredBoothsAreHeld]
