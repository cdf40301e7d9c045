/**
 * Maximum number of wrong codes and tokens per IP address and minute; more are rejected without being counted. A correct code is
 * always accepted, because all exhibitors of a hall share one address and any visitor of its network could lock them out. So the limit
 * only keeps wrong attempts from writing to the database, and guessing is infeasible without it: a code has 80 random bits. At an event
 * with 10,000 companies, 10,000 guesses a second for a year (3.2e11) hit a code with a probability of 3.2e11 * 1e4 / 2^80 = 2.6e-9. Device
 * tokens have 256 bits.
 */
const FAILURES_PER_MINUTE = 30
export const MAX_SCANS_PER_MINUTE = 600

/** The rate limit key for failed attempts from one IP address. */
export const toFailedAttemptsKey = (address: string) => `lead-tries:${address}`

/** SQL that increases the count of the current rate limit window, or starts a new window. */
export const INCREMENT_RATE_LIMIT_SQL = `
  on conflict (key) do update set
    count = case when w.window_start = excluded.window_start then w.count else 0 end + excluded.count,
    window_start = excluded.window_start`

/** SQL subquery (CTE) with the current time, and whether the failed attempts counted under the rate limit key are below the limit. */
export const buildAttemptLimitCte = (key: string) => `asking as materialized (
  select n.now, n.minute, coalesce((select w.count from rate_windows w where w.key = ${key} and w.window_start = n.minute), 0) < ${FAILURES_PER_MINUTE} as may_try
  from (select t.now, date_trunc('minute', t.now) as minute from (select lanyard_now() as now) t) n
)`

/**
 * SQL for the configuration version of real badges at the event (alias `e`): the published one, or the draft before the first
 * publication.
 */
export const CONFIG_VERSION_SQL = `coalesce(v.id, r.sha256, '')`
export const JOIN_CONFIG_VERSION_SQL = `
  left join config_versions v on v.tenant_id = e.tenant_id and v.event_id = e.id and v.number = e.published_version
  left join config_drafts r on r.tenant_id = e.tenant_id and r.event_id = e.id and e.published_version is null`

/** SQL subquery (CTE) that finds the event by the codes of tenant, client and event ($2, $3 and $4). */
export const EVENT_BY_CODES_CTE = `place as materialized (
  select e.tenant_id, e.id, e.client_id, e.code, e.name, e.locale, e.starts_on, ${CONFIG_VERSION_SQL} as version
  from tenants t
  join clients k on k.tenant_id = t.id and k.code = $3 and k.active
  join events e on e.tenant_id = t.id and e.client_id = k.id and e.code = $4 and e.status <> 'archived'${JOIN_CONFIG_VERSION_SQL}
  where t.code = $2
)`

/**
 * SQL that finds the participant who has the badge id in the row `named`. `at` is the alias of a row with the ids of tenant and event. A
 * case-insensitive match counts only if it is unique.
 */
export const buildBadgeHoldersSql = (at: string) => `
    select p.id, 0 as spelled from participants p
    where p.tenant_id = ${at}.tenant_id and p.event_id = ${at}.event_id and p.badge_id = named.badge_id
    union all
    select min(p.id), 1 from participants p
    where named.any_case and p.tenant_id = ${at}.tenant_id and p.event_id = ${at}.event_id and lower(p.badge_id) = lower(named.badge_id collate "C")
    having count(*) = 1`

/** SQL columns of a participant (alias `p`) that `applySharingChoices` needs. */
export const PARTICIPANT_SHARING_COLUMNS_SQL = `p.first_name, p.last_name, p.email, p.job_title, p.company, p.bio, p.headshot, p.website, p.work_phone, p.mobile_phone,
  p.ai_avatar_file_id, p.avatar_choice, p.sharing, p.custom_field_responses,
  (select json_agg(json_build_object('id', f.id, 'name', f.name, 'purpose', f.purpose)) from files f
    where f.tenant_id = p.tenant_id and f.id in (p.headshot, p.ai_avatar_file_id) and f.deleted_at is null) as pictures`
