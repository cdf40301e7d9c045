/** Guessing a code of 80 bits is hopeless; this keeps those who try from costing anything. */
const FAILURES_PER_MINUTE = 30
export const CALLS_PER_MINUTE = 600

/** Under which the failures of one address are counted, whatever it asks for. */
export const triesKey = (address: string) => `lead-tries:${address}`

/** How what is counted in a window goes on. */
export const COUNT_ON = `
  on conflict (key) do update set
    count = case when w.window_start = excluded.window_start then w.count else 0 end + excluded.count,
    window_start = excluded.window_start`

/** The time, and whether the address whose failures are counted under `key` may still try. */
export const askingBy = (key: string) => `asking as materialized (
  select n.now, n.minute, coalesce((select w.count from rate_windows w where w.key = ${key} and w.window_start = n.minute), 0) < ${FAILURES_PER_MINUTE} as may_try
  from (select t.now, date_trunc('minute', t.now) as minute from (select lanyard_now() as now) t) n
)`

/** The version of the configuration that holds for real badges at the event `e`: the one that is live, or before the first publish the draft. */
export const VERSION = `coalesce(v.id, r.sha256, '')`
export const VERSIONS = `
  left join config_versions v on v.tenant_id = e.tenant_id and v.event_id = e.id and v.number = e.published_version
  left join config_drafts r on r.tenant_id = e.tenant_id and r.event_id = e.id and e.published_version is null`

/** The event that the codes at $2, $3 and $4 name. */
export const PLACE = `place as materialized (
  select e.tenant_id, e.id, e.client_id, e.code, e.name, e.locale, e.starts_on, ${VERSION} as version
  from tenants t
  join clients k on k.tenant_id = t.id and k.code = $3 and k.active
  join events e on e.tenant_id = t.id and e.client_id = k.id and e.code = $4 and e.status <> 'archived'${VERSIONS}
  where t.code = $2
)`

/** Who wears the badge that `named` means now, at the event of `at`; another spelling does where only one person has it. */
export const wearers = (at: string) => `
    select p.id, 0 as spelled from participants p
    where p.tenant_id = ${at}.tenant_id and p.event_id = ${at}.event_id and p.badge_id = named.badge_id
    union all
    select min(p.id), 1 from participants p
    where named.any_case and p.tenant_id = ${at}.tenant_id and p.event_id = ${at}.event_id and lower(p.badge_id) = lower(named.badge_id collate "C")
    having count(*) = 1`

/** What is read of the participant `p` to say what an exhibitor may see. */
export const SEEN = `p.first_name, p.last_name, p.email, p.job_title, p.company, p.bio, p.headshot, p.website, p.work_phone, p.mobile_phone,
  p.ai_avatar_file_id, p.avatar_choice, p.sharing, p.custom_field_responses,
  (select json_agg(json_build_object('id', f.id, 'name', f.name, 'purpose', f.purpose)) from files f
    where f.tenant_id = p.tenant_id and f.id in (p.headshot, p.ai_avatar_file_id) and f.deleted_at is null) as pictures`
