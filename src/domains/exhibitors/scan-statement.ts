import { buildSdkLicenceCondition } from './licences.ts'
import {
  buildAttemptLimitCte,
  MAX_SCANS_PER_MINUTE,
  INCREMENT_RATE_LIMIT_SQL,
  EVENT_BY_CODES_CTE,
  PARTICIPANT_SHARING_COLUMNS_SQL,
  buildBadgeHoldersSql,
} from './scan-sql.ts'
import { RESTORED_LEAD_STATUS } from './states.ts'

/**
 * SQL for a complete scan in one round trip: activation code, rate limit of the client address if the code is wrong, rate limit of the
 * code, licence, participant, lead and capture. If one step fails, the later steps do nothing. $13 is true if the caller announces the
 * capture to webhooks in the same transaction. If it is false and a webhook subscribes to lead.captured, nothing is counted or stored. $6
 * is the configuration version by which the badge was parsed. If another version is live, nothing is counted or stored, and the caller
 * retries. The insert locks the lead's row. A trigger counts its captures at the end of the statement, so the count returned here is one
 * higher than the row read.
 */
export const BADGE_SCAN_SQL = `
with ${buildAttemptLimitCte('$5')}, ${EVENT_BY_CODES_CTE}, company as materialized (
  select c.tenant_id, c.event_id, c.id, c.is_test_data, c.activation_hmac, p.version is not distinct from $6 as known, h.heard,
    p.version is not distinct from $6 and ($13 or not h.heard) as fresh,
    exists (select from lead_licences l where l.tenant_id = c.tenant_id and l.event_id = c.event_id and l.company_id = c.id and ${buildSdkLicenceCondition('$12')}) as licensed
  from place p join companies c on c.tenant_id = p.tenant_id and c.event_id = p.id and c.activation_hmac = any($1) and c.status <> 'cancelled'
  cross join lateral (select exists (select from webhook_endpoints w where w.tenant_id = p.tenant_id and w.status = 'active'
    and w.kinds && '{*,lead.captured}') as heard) h
), counted as (
  insert into rate_windows as w (key, window_start, count)
  select 'lead-code:' || c.activation_hmac, a.minute, 1 from company c, asking a where c.fresh
  ${INCREMENT_RATE_LIMIT_SQL}
  returning w.count <= ${MAX_SCANS_PER_MINUTE} as may_call
), found as materialized (
  select p.id from company c, counted n, unnest($7::text[], $8::boolean[]) with ordinality as named (badge_id, any_case, rank)
  cross join lateral (${buildBadgeHoldersSql('c')}
  ) p
  where n.may_call and c.licensed
  order by named.rank, p.spelled limit 1
), person as materialized (
  select p.* from company c join found f on true
  join participants p on p.tenant_id = c.tenant_id and p.event_id = c.event_id and p.id = f.id
  where p.status = 'complete' and not p.is_test_data and not c.is_test_data
), lead as (
  insert into leads (tenant_id, event_id, id, company_id, participant_id, is_test_data, source)
  select p.tenant_id, p.event_id, $9, c.id, p.id, p.is_test_data, 'sdk' from person p, company c
  on conflict on constraint leads_once do update set status = '${RESTORED_LEAD_STATUS}'
  returning id, captures, first_captured_at, last_captured_at
), captured as (
  insert into lead_captures (tenant_id, event_id, id, lead_id, company_id, type, at)
  select c.tenant_id, c.event_id, $10, l.id, c.id, 'sdk', a.now from lead l, company c, asking a
), failed as (
  insert into rate_windows as w (key, window_start, count)
  select $5, a.minute, 1 from asking a where a.may_try and not exists (select from company)
  union all
  select 'lead-failures:' || p.id, date_trunc('hour', a.now), 1 from asking a, place p
  where case when exists (select from company) then
    exists (select from company c, counted n where n.may_call and (not c.licensed or (not $11 and not exists (select from person))))
    else a.may_try end
  ${INCREMENT_RATE_LIMIT_SQL}
  returning w.key, w.count
)
select a.now, a.may_try, extract(epoch from a.minute + interval '1 minute' - a.now)::float8 as seconds_left,
  s.tenant_id, s.id as event_id, s.code as event_code, s.locale, s.starts_on, s.version,
  c.id as company_id, c.known, c.heard, c.fresh, c.licensed, n.may_call,
  p.badge_id, ${PARTICIPANT_SHARING_COLUMNS_SQL},
  l.id as lead_id, l.captures + 1 as captures,
  least(l.first_captured_at, a.now) as first_captured_at, greatest(l.last_captured_at, a.now) as last_captured_at,
  (select x.count from failed x where x.key = 'lead-failures:' || s.id) as failures
from asking a
left join place s on true left join company c on true left join counted n on true left join person p on true left join lead l on true`
