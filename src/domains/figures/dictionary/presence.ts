import { eventTimezone, sameEvent } from './define.ts'

/** The accepted scans at a session in order, with the direction of the person's scan before; at equal times people leave before they enter. */
const moves = (session: string): string => `(select sc.participant_id as person, sc.direction, sc.at, sc.assumed,
  lag(sc.direction) over (partition by sc.participant_id order by sc.at, sc.direction desc, sc.id) as before
  from attendance_scans sc where ${sameEvent('sc', session)} and sc.session_id = ${session}.id and sc.scope = 'session' and sc.result = 'accepted'
    and not sc.is_test_data and sc.participant_id is not null)`

/**
 * The stays of people at a session, as get_attendance_summary counts them: from an entry to the next exit. A stay without an exit ends with
 * the session and is assumed, as is one that ends because the person was seen in another room.
 */
const stays = (session: string): string => `(select mv.person, mv.at as from_at, mv.next_at is null or mv.next_assumed as assumed,
  coalesce(mv.next_at, greatest(mv.at, coalesce(${session}.ends_at,
    ((mv.at at time zone ${eventTimezone(session)})::date + 1)::timestamp at time zone ${eventTimezone(session)}))) as until_at
  from (select ch.*, lead(ch.at) over following as next_at, coalesce(lead(ch.assumed) over following, false) as next_assumed
    from ${moves(session)} ch where (ch.direction = 'in') <> (coalesce(ch.before, 'out') = 'in')
    window following as (partition by ch.person order by ch.at, ch.direction desc)) mv
  where mv.direction = 'in')`

/** Whole minutes of all people within the times of a session. The minutes and the assumed minutes of each person are rounded down. */
export const sessionMinutes = (session: string): string => `(select coalesce(sum(pm.minutes), 0)::int from (
  select floor(coalesce(sum(sy.seconds) filter (where not sy.assumed), 0) / 60) + floor(coalesce(sum(sy.seconds) filter (where sy.assumed), 0) / 60) as minutes
  from (select st.person, st.assumed,
    greatest(0, extract(epoch from least(st.until_at, ${session}.ends_at) - greatest(st.from_at, ${session}.starts_at))) as seconds
    from ${stays(session)} st) sy group by sy.person) pm)`

/** The largest number of people who were in a session at the same time. */
export const sessionPeak = (session: string): string => `(select coalesce(max(oc.inside), 0)::int from (
  select sum(sum(cg.change)) over (order by cg.at) as inside from (
    select st.from_at as at, 1 as change from ${stays(session)} st where st.until_at > st.from_at
    union all select st.until_at, -1 from ${stays(session)} st where st.until_at > st.from_at) cg group by cg.at) oc)`
