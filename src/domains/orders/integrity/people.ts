import { sql } from 'kysely'
import type { IntegrityCheck } from './check.ts'

/** Rule I1 of the specification: no person is registered twice. Registrations with an unverified mailbox do not count. */
const noDuplicateParticipants: IntegrityCheck = {
  id: 'I1',
  findViolations: (at) => sql`
    select 'participant ' || min(p.id) as sample from participants p
    where ${at('p')} and not p.is_test_data and p.status <> 'cancelled' and p.first_name is not null and p.last_name is not null
      and coalesce(p.email_norm, p.host_id) is not null and not p.email_unverified
    group by p.name_norm, coalesce(p.email_norm, p.host_id) having count(*) > 1`,
}

/**
 * Rule I2 of the specification: no product, flow or event is oversold, and the counters of sold and held units match the rows. For guests of
 * earlier versions it is unknown whether they took a seat, so the sold counts of flow and event lie between those without and with them.
 */
const inventoryMatches: IntegrityCheck = {
  id: 'I2',
  findViolations: (at) => sql`
    select 'inventory ' || i.key as sample from inventory i
    left join (select h.key, sum(h.quantity) as held from holds h where ${at('h')} and h.status = 'active' group by 1) h on h.key = i.key
    left join (
      select 'product:' || l.product_code as key, sum(l.quantity) as least, sum(l.quantity) as most
      from order_lines l where ${at('l')} and not l.is_test_data and l.product_code is not null group by 1
      union all
      select 'flow:' || p.flow_slug, count(*) filter (where p.host_id is null or p.counts_toward_capacity),
        count(*) filter (where p.host_id is null or p.counts_toward_capacity is distinct from false)
      from participants p where ${at('p')} and not p.is_test_data and p.status = 'complete' group by 1
      union all
      select 'event', count(*) filter (where p.host_id is null or p.counts_toward_capacity),
        count(*) filter (where p.host_id is null or p.counts_toward_capacity is distinct from false)
      from participants p where ${at('p')} and not p.is_test_data and p.status = 'complete'
      union all
      select 'session:' || e.session_id, count(*), count(*)
      from session_enrolments e where ${at('e')} and not e.is_test_data and e.status = 'enrolled' group by 1
      union all
      select 'licence:' || d.company_id || ':device', count(*), count(*) from lead_devices d where ${at('d')} and d.status = 'active' group by 1
      union all
      select 'staff:' || f.company_id, count(*), count(*)
      from exhibitor_staff f where ${at('f')} and f.status <> 'removed' and f.pass = 'free' group by 1
      union all
      select r.place, count(*), count(*) from attendance_presence r
      where ${at('r')} and r.inside and not r.is_test_data and r.place <> 'event' group by 1) s on s.key = i.key
    where ${at('i')} and i.key not like 'discount:%' and (i.held + i.sold > i.capacity + i.overage or i.held <> coalesce(h.held, 0)
      or i.sold not between coalesce(s.least, 0) and coalesce(s.most, 0))`,
}

/** Rule I10 of the specification: a participant who hosts guests is not a guest. */
const hostsAreNotGuests: IntegrityCheck = {
  id: 'I10',
  findViolations: (at) => sql`
    select 'participant ' || g.id as sample from participants g
    left join participants h on h.tenant_id = g.tenant_id and h.event_id = g.event_id and h.id = g.host_id
    where ${at('g')} and not g.is_test_data and g.host_id is not null and (h.id is null or h.host_id is not null)`,
}

/** Rule I11 of the specification: group leaders are members; a group's member count is correct and within its limit. */
const groupCountsMatch: IntegrityCheck = {
  id: 'I11',
  findViolations: (at) => sql`
    select 'participant ' || p.id as sample from participants p
    where ${at('p')} and not p.is_test_data and p.group_leader and p.group_id is null
    union all
    select 'group ' || g.code from managed_groups g
    left join (
      select p.group_id, count(*) as members from participants p
      where ${at('p')} and p.group_id is not null and p.status <> 'cancelled' group by 1) m on m.group_id = g.id
    where ${at('g')} and not g.is_test_data and (g.member_count <> coalesce(m.members, 0) or g.member_count > g.max_members)`,
}

/**
 * Rule I12 of the specification: a participant is on each waiting list at most once, and every offer from a waiting list has an active
 * hold.
 */
const offersHaveHolds: IntegrityCheck = {
  id: 'I12',
  findViolations: (at) => sql`
    select 'participant ' || w.participant_id || ' for ' || w.target as sample from waitlist_entries w
    where ${at('w')} and not w.is_test_data and w.status in ('waiting', 'offered') group by w.participant_id, w.target having count(*) > 1
    union all
    select 'waitlist entry ' || w.id from waitlist_entries w
    where ${at('w')} and not w.is_test_data and (w.status = 'offered') <> exists (
      select from holds h where h.tenant_id = w.tenant_id and h.event_id = w.event_id and h.entry_id = w.id and h.status = 'active'
        and (w.status = 'offered' or not h.charging))`,
}

export const PARTICIPANT_INTEGRITY_CHECKS: readonly IntegrityCheck[] = [
  noDuplicateParticipants,
  inventoryMatches,
  hostsAreNotGuests,
  groupCountsMatch,
  offersHaveHolds,
]
