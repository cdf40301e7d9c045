import { sql } from 'kysely'
import type { IntegrityCheck } from './check.ts'

/**
 * Rule X9 of the specification: a room has one session at a time, a speaker is in one session at a time, enrolments stay within capacity,
 * and the counters match.
 */
const noSessionClashes: IntegrityCheck = {
  id: 'X9',
  findViolations: (at) => sql`
    select 'room ' || a.room_code || ': ' || a.code || ' and ' || b.code as sample from sessions a
    join sessions b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.room_code = a.room_code and b.id > a.id
      and b.status = 'scheduled' and tstzrange(b.starts_at, b.ends_at) && tstzrange(a.starts_at, a.ends_at)
    where ${at('a')} and a.status = 'scheduled'
    union all
    select 'speaker ' || x.speaker_id || ': ' || a.code || ' and ' || b.code from session_speakers x
    join sessions a on a.tenant_id = x.tenant_id and a.event_id = x.event_id and a.id = x.session_id and a.status = 'scheduled'
    join session_speakers y on y.tenant_id = x.tenant_id and y.event_id = x.event_id and y.speaker_id = x.speaker_id and y.session_id > x.session_id
    join sessions b on b.tenant_id = y.tenant_id and b.event_id = y.event_id and b.id = y.session_id and b.status = 'scheduled'
      and tstzrange(b.starts_at, b.ends_at) && tstzrange(a.starts_at, a.ends_at)
    where ${at('x')}
    union all
    select 'session ' || s.code from sessions s
    left join inventory i on i.tenant_id = s.tenant_id and i.event_id = s.event_id and i.key = 'session:' || s.id
    left join (select e.session_id, count(*) as people from session_enrolments e where ${at('e')} and not e.is_test_data and e.status = 'enrolled' group by 1) e
      on e.session_id = s.id
    where ${at('s')} and (i.sold is distinct from coalesce(e.people, 0)::int or i.capacity is distinct from s.capacity
      or coalesce(e.people, 0) > s.capacity + i.overage)`,
}

/** Rule X10 of the specification: one review per reviewer and submission, and every review by an assigned reviewer. */
const oneReviewPerReviewer: IntegrityCheck = {
  id: 'X10',
  findViolations: (at) => sql`
    select 'submission ' || r.submission_id || ', reviewer ' || r.reviewer_id as sample from submission_reviews r
    left join submission_reviewers a on a.tenant_id = r.tenant_id and a.event_id = r.event_id and a.submission_id = r.submission_id
      and a.reviewer_id = r.reviewer_id
    where ${at('r')} group by r.submission_id, r.reviewer_id having count(*) > 1 or count(a.reviewer_id) = 0`,
}

export const SESSION_INTEGRITY_CHECKS: readonly IntegrityCheck[] = [noSessionClashes, oneReviewPerReviewer]
