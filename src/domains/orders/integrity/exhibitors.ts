import { sql } from 'kysely'
import type { EventSqlConditionBuilder, IntegrityCheck } from './check.ts'

/**
 * Maximum number of leads of an event that are all checked. Of larger events only the leads of the last hour are checked, because the check
 * runs every minute.
 */
const MAX_LEADS_CHECKED = 100_000

const isChecked = (at: EventSqlConditionBuilder) => sql`(l.updated_at > lanyard_now() - interval '1 hour'
  or (select count(*) from (select from leads n where ${at('n')} limit ${sql.lit(MAX_LEADS_CHECKED + 1)}) n) <= ${sql.lit(MAX_LEADS_CHECKED)})`

/**
 * Rule X4 of the specification: a company has one lead per participant, a lead counts its scans and their times, and a nonce is used once
 * per company.
 */
const leadsCountScans: IntegrityCheck = {
  id: 'X4',
  findViolations: (at) => sql`
    with checked as (select l.* from leads l where ${at('l')} and not l.is_test_data and ${isChecked(at)})
    select 'leads of participant ' || l.participant_id || ' at company ' || l.company_id as sample from checked l
    group by l.company_id, l.participant_id having count(*) > 1
    union all
    select 'lead ' || l.id from checked l cross join lateral (
      select count(*)::int as scans, min(c.at) as first, max(c.at) as last from lead_captures c
      where c.tenant_id = l.tenant_id and c.event_id = l.event_id and c.lead_id = l.id and c.type in ('sdk', 'device')) c
    where (l.captures, l.first_captured_at, l.last_captured_at) is distinct from (c.scans, c.first, c.last)
    union all
    select 'nonce ' || c.nonce || ' of company ' || c.company_id from checked l
    join lead_captures c on c.tenant_id = l.tenant_id and c.event_id = l.event_id and c.lead_id = l.id
    where c.nonce is not null group by c.company_id, c.nonce having count(*) > 1`,
}

/**
 * Rule X5 of the specification: a company has no more active devices than seats and no more free staff passes than its allotment, and the
 * bookings of a slot are counted and within its capacity. Rule I2 checks the counters themselves.
 */
const limitsAreKept: IntegrityCheck = {
  id: 'X5',
  findViolations: (at) => sql`
    select 'devices of company ' || d.company_id as sample from (
      select d.tenant_id, d.event_id, d.company_id, count(*) as active from lead_devices d where ${at('d')} and d.status = 'active' group by 1, 2, 3) d
    left join inventory i on i.tenant_id = d.tenant_id and i.event_id = d.event_id and i.key = 'licence:' || d.company_id || ':device'
    where d.active > coalesce(i.capacity + i.overage, 0) or d.active > device_seats(d.tenant_id, d.event_id, d.company_id, false)
    union all
    select 'free passes of company ' || f.company_id from (
      select f.tenant_id, f.event_id, f.company_id, count(*) as passes from exhibitor_staff f
      where ${at('f')} and f.status <> 'removed' and f.pass = 'free' group by 1, 2, 3) f
    left join inventory i on i.tenant_id = f.tenant_id and i.event_id = f.event_id and i.key = 'staff:' || f.company_id
    where i.key is null or f.passes > i.capacity + i.overage
    union all
    select 'slot ' || o.id from offerings o
    left join (select a.offering_id, count(*) as live from appointments a where ${at('a')} and a.status in ('pending', 'booked') group by 1) a
      on a.offering_id = o.id
    where ${at('o')} and not o.is_test_data and (o.booked <> coalesce(a.live, 0) or o.booked > o.capacity + o.overage)`,
}

/**
 * Rule X6 of the specification: no person has two live appointments that overlap. Sorted by start, an appointment overlaps an earlier one
 * exactly if it begins before the latest end so far. Company staff may meet several people in one slot.
 */
const appointmentsDoNotOverlap: IntegrityCheck = {
  id: 'X6',
  findViolations: (at) => sql`
    with live as (
      select a.offering_id, a.staff_id, a.starts_at, a.ends_at, a.id, a.participant_id, a.with_participant_id from appointments a
      where ${at('a')} and not a.is_test_data and a.status in ('pending', 'booked')),
    people as (
      select a.id, p.id as participant_id, a.starts_at, a.ends_at from live a
      cross join unnest(array[a.participant_id, a.with_participant_id]) p(id) where p.id is not null)
    select 'participant ' || p.participant_id || ' at ' || to_char(p.starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') as sample from (
      select p.*, max(p.ends_at) over (partition by p.participant_id order by p.starts_at, p.id rows between unbounded preceding and 1 preceding) as busy_until
      from people p) p
    where p.starts_at < p.busy_until
    union all
    select 'staff ' || s.staff_id || ' at ' || to_char(s.starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') from (
      select s.*, max(s.ends_at) over (partition by s.staff_id order by s.starts_at, s.offering_id rows between unbounded preceding and 1 preceding) as busy_until
      from (select distinct a.staff_id, a.offering_id, a.starts_at, a.ends_at from live a where a.staff_id is not null) s) s
    where s.starts_at < s.busy_until
    union all
    select 'appointment ' || p.id from people p
    left join appointment_people b on ${at('b')} and b.appointment_id = p.id and b.participant_id = p.participant_id
    where (b.starts_at, b.ends_at) is distinct from (p.starts_at, p.ends_at)`,
}

/**
 * Rule X11 of the specification: a pair of competitors is stored once for both directions, and test participants meet only test companies.
 */
const testDataIsApart: IntegrityCheck = {
  id: 'X11',
  findViolations: (at) => sql`
    select 'competitors ' || c.company_id || ' and ' || c.competitor_id as sample from company_competitors c
    left join companies a on a.tenant_id = c.tenant_id and a.event_id = c.event_id and a.id = c.company_id
    left join companies b on b.tenant_id = c.tenant_id and b.event_id = c.event_id and b.id = c.competitor_id
    where ${at('c')} and (c.company_id >= c.competitor_id or a.is_test_data is distinct from b.is_test_data)
    union all
    select 'lead ' || l.id from leads l
    join participants p on p.tenant_id = l.tenant_id and p.event_id = l.event_id and p.id = l.participant_id
    join companies c on c.tenant_id = l.tenant_id and c.event_id = l.event_id and c.id = l.company_id
    where ${at('l')} and p.is_test_data <> c.is_test_data and ${isChecked(at)}
    union all
    select 'appointment ' || a.id from appointments a
    join participants p on p.tenant_id = a.tenant_id and p.event_id = a.event_id and p.id = a.participant_id
    left join companies c on c.tenant_id = a.tenant_id and c.event_id = a.event_id and c.id = a.company_id
    left join participants w on w.tenant_id = a.tenant_id and w.event_id = a.event_id and w.id = a.with_participant_id
    where ${at('a')} and p.is_test_data <> coalesce(c.is_test_data, w.is_test_data)`,
}

export const EXHIBITOR_INTEGRITY_CHECKS: readonly IntegrityCheck[] = [
  leadsCountScans,
  limitsAreKept,
  appointmentsDoNotOverlap,
  testDataIsApart,
]
