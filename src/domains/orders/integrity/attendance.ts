import { sql } from 'kysely'
import type { EventSqlConditionBuilder, IntegrityCheck } from './check.ts'

/** Rule X7 of the specification: a badge id is used once per event, and a former badge id never becomes valid again. */
const badgeIdsAreUnique: IntegrityCheck = {
  id: 'X7',
  findViolations: (at) => sql`
    select 'badge of participant ' || p.id as sample from badge_id_history h
    join participants p on p.tenant_id = h.tenant_id and p.event_id = h.event_id and p.badge_id = h.badge_id
    where ${at('h')}
    union all
    select 'badge ' || p.badge_id from participants p where ${at('p')} and p.badge_id is not null group by p.badge_id having count(*) > 1`,
}

/**
 * Maximum number of scans of an event that are all checked. Of larger events only the scans of the last hour are checked, because the check
 * runs every minute.
 */
const MAX_SCANS_CHECKED = 100_000

const isChecked = (at: EventSqlConditionBuilder) => sql`(s.updated_at > lanyard_now() - interval '1 hour'
  or (select count(*) from (select from attendance_scans n where ${at('n')} limit ${sql.lit(MAX_SCANS_CHECKED + 1)}) n) <= ${sql.lit(MAX_SCANS_CHECKED)})`

/**
 * Rule X8 of the specification: the accepted scans of a person at a location alternate between in and out, unless they are flagged, and a
 * device never sends two scans with the same nonce. Scans at the same millisecond have no order. A scan whose flag is the reason for which the
 * door would have refused it, such as `full`, still moved the person.
 */
const scansAlternate: IntegrityCheck = {
  id: 'X8',
  findViolations: (at) => sql`
    select 'scan ' || s.id as sample from attendance_scans s
    cross join lateral (
      select b.direction, b.at from attendance_scans b
      where b.tenant_id = s.tenant_id and b.event_id = s.event_id and b.participant_id = s.participant_id and b.at <= s.at and b.id <> s.id
        and b.result = 'accepted' and coalesce(b.flag, '') not in ('second_entry', 'missed_out', 'not_in', 'already_in', 'out_of_order')
        and b.scope = s.scope and b.gate_code is not distinct from s.gate_code and b.session_id is not distinct from s.session_id
      order by b.at desc limit 1) b
    where ${at('s')} and s.result = 'accepted' and s.flag is null and not s.is_test_data and b.at < s.at and b.direction = s.direction
      and ${isChecked(at)}
    union all
    select 'nonce ' || s.nonce || coalesce(' of device ' || s.device_name, '') from attendance_scans s
    where ${at('s')} and s.nonce is not null and ${isChecked(at)} group by s.nonce, s.device_name having count(*) > 1`,
}

export const ATTENDANCE_INTEGRITY_CHECKS: readonly IntegrityCheck[] = [badgeIdsAreUnique, scansAlternate]
