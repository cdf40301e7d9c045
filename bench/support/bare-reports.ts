/**
 * The SQL statements that an engineer would write by hand for the figures of reports, with tenant, event and time zone as $1, $2 and $3.
 * They run without the database role of reports, without limits and without permission checks.
 */
export const BARE_REPORTS = {
  count: 'select count(*) from participants where tenant_id = $1 and event_id = $2 and not is_test_data',
  status: 'select status, count(*) from participants where tenant_id = $1 and event_id = $2 and not is_test_data group by 1',
  day: `
    select (completed_at at time zone $3)::date, count(*), count(cancelled_at), max(updated_at)
    from participants where tenant_id = $1 and event_id = $2 and not is_test_data and tags @> '{member}' group by 1`,
  linesByDay: `
    select (l.priced_at at time zone $3)::date, count(*), sum(l.net), sum(l.tax)
    from order_lines l join participants p on p.tenant_id = l.tenant_id and p.event_id = l.event_id and p.id = l.participant_id
    where l.tenant_id = $1 and l.event_id = $2 and not l.is_test_data and p.tags @> '{member}' group by 1`,
  percentile: `
    select percentile_cont(0.9) within group (order by net) from order_lines where tenant_id = $1 and event_id = $2 and not is_test_data`,
  custom: `
    select custom_field_responses ->> 'trade', count(*) from participants where tenant_id = $1 and event_id = $2 and not is_test_data group by 1`,
  across: `
    select e.currency, date_trunc('month', l.at at time zone e.timezone), sum(l.amount)
    from ledger_entries l join events e on e.tenant_id = l.tenant_id and e.id = l.event_id
    where l.tenant_id = $1 and l.kind = 'invoice' and not l.is_test_data group by 1, 2`,
  events: `
    select e.id, p.complete, p.others, m.net, m.total, a.attended, w.recent, pace.people
    from events e
    left join (select id, lag(id) over w as previous, lag(starts_on) over w as started from events where tenant_id = $1
      window w as (partition by client_id, regexp_replace(code, '\\d+', '', 'g') order by starts_on)) b on b.id = e.id
    left join lateral (select count(*) as people from participants p where p.tenant_id = $1 and p.event_id = b.previous and p.status = 'complete'
      and not p.is_test_data and p.completed_at <= (b.started - (e.starts_on - lanyard_now()::date))::timestamptz) pace on true
    left join (select event_id, sum(people) filter (where status = 'complete') as complete, sum(people) filter (where status <> 'complete') as others
      from people_figures where tenant_id = $1 and not is_test_data group by 1) p on p.event_id = e.id
    left join (select event_id, sum(net) filter (where origin = 'line') as net, sum(total) filter (where origin = 'line') as total
      from money_figures where tenant_id = $1 and not is_test_data group by 1) m on m.event_id = e.id
    left join (select r.event_id, count(*) as attended from attendance_people r
      join participants p on p.tenant_id = r.tenant_id and p.event_id = r.event_id and p.id = r.participant_id
      where r.tenant_id = $1 and r.checked_in_at is not null and p.status = 'complete' and not p.is_test_data group by 1) a on a.event_id = e.id
    left join (select event_id, count(*) as recent from participants
      where tenant_id = $1 and completed_at > lanyard_now() - interval '14 days' and not is_test_data group by 1) w on w.event_id = e.id
    where e.tenant_id = $1 and e.status = 'published'`,
  attendance: `
    with moves as materialized (
      select participant_id as person, scope <> 'session' as at_door, direction, at, (at at time zone $3)::date as day,
        lag(direction) over (partition by participant_id, scope <> 'session', (at at time zone $3)::date order by at, direction desc, id) as before,
        lag(direction) over (partition by participant_id, coalesce(gate_code, session_id), (at at time zone $3)::date order by at, direction desc, id) as before_here
      from attendance_scans where tenant_id = $1 and event_id = $2 and result = 'accepted' and not is_test_data),
    stays as materialized (
      select m.person, m.at as from_at, coalesce(m.next_at, (m.day + 1)::timestamp at time zone $3) as until_at
      from (select c.*, lead(c.at) over (partition by c.person, c.day order by c.at, c.direction desc) as next_at
        from moves c where c.at_door and (c.direction = 'in') <> (coalesce(c.before, 'out') = 'in')) m
      where m.direction = 'in'),
    changes as (
      select c.at, sum(sum(c.change)) over (order by c.at) as inside
      from (select from_at as at, 1 as change from stays union all select until_at, -1 from stays) c group by 1)
    select (select count(*) from moves m where (m.direction = 'in') = (coalesce(m.before_here, 'out') = 'in')) as ignored,
      (select avg(m.minutes) from (select sum(extract(epoch from until_at - from_at)) / 60 as minutes from stays group by person) m) as minutes,
      (select max(inside) from changes) as peak,
      (select json_agg(s) from (select distinct on (date_bin('5 minutes', at, timestamptz '2000-01-01 00:00Z')) at, inside from changes
        order by date_bin('5 minutes', at, timestamptz '2000-01-01 00:00Z'), at) s) as occupancy,
      (select json_build_object('expected', count(*) filter (where p.status = 'complete'), 'attended', count(a.checked_in_at) filter (where p.status = 'complete'),
          'first', min(a.checked_in_at), 'last', max(a.checked_in_at))
        from participants p left join attendance_people a on a.tenant_id = p.tenant_id and a.event_id = p.event_id and a.participant_id = p.id
        where p.tenant_id = $1 and p.event_id = $2 and not p.is_test_data) as people,
      (select json_object_agg(f.result, f.scans) from (select result, sum(scans) as scans from attendance_figures
        where tenant_id = $1 and event_id = $2 group by 1) f) as scans`,
  survey: `
    with r as materialized (
      select id, shown, completed_at from survey_responses
      where tenant_id = $1 and event_id = $2 and survey_code = 'after' and status = 'complete' and not is_test_data),
    texts as materialized (
      select a.text, a.terms, r.completed_at as at from r join survey_answers a on a.tenant_id = $1 and a.event_id = $2 and a.response_id = r.id
      where a.type = 'text')
    select (select count(*) from r) as complete,
      (select json_agg(v) from (select a.question_code, coalesce(a.rating::text, a.nps::text, a.choice) as value, count(*) from r
        join survey_answers a on a.tenant_id = $1 and a.event_id = $2 and a.response_id = r.id where a.type <> 'text' group by 1, 2) v) as answers,
      (select json_agg(c) from (select c.code, count(*) from r cross join unnest(r.shown) c(code) group by 1) c) as shown,
      (select percentile_cont(0.5) within group (order by char_length(text)) from texts) as median,
      (select json_agg(t) from (select w.term, count(*) from texts t cross join unnest(t.terms) w(term) group by 1 order by 2 desc limit 20) t) as terms,
      (select json_agg(s) from (select t.text from (select text, row_number() over (order by at) - 1 as place, count(*) over () as n from texts) t
        where t.place in (0, (t.n - 1) / 4, (t.n - 1) / 2, (t.n - 1) * 3 / 4, t.n - 1)) s) as samples,
      (select json_agg(i) from (select status, count(*) from survey_invites
        where tenant_id = $1 and event_id = $2 and survey_code = 'after' and not is_test_data group by 1) i) as invites`,
} as const

export type BareReport = keyof typeof BARE_REPORTS

/** Reads the page of rows after this participant, as `query_data` shows it. */
export const BARE_PAGE = `
  select id, status, flow_slug, completed_at, email from participants
  where tenant_id = $1 and event_id = $2 and not is_test_data and id > $3 order by id limit 101`
