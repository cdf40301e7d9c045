import type { Pool } from '../../kernel/ports.ts'
import { hashToken } from '../../kernel/secrets.ts'
import type { ClientCoveredByApiAccount, EventCoveredByApiAccount } from './tables.ts'
import type { RateLimitState } from './verify-organizer.ts'

/** The client and event codes in a REST request. */
export interface RestRequestScope {
  tenantCode?: string | undefined
  clientCode?: string | undefined
  eventCode?: string | undefined
}

/** An API account with a valid token, and those clients and events of the request that the account covers. */
export interface RestAccount {
  tenantId: number
  tenantCode: string
  id: string
  name: string
  canActAsParticipantAgent: boolean
  restAccess: boolean
  sensitiveData: boolean
  allowedTenants: readonly string[]
  allowedClients: readonly ClientCoveredByApiAccount[]
  allowedEvents: readonly EventCoveredByApiAccount[]
  /** Clients that the account covers completely; empty if the request names an event. */
  clientIds: readonly string[]
  /** Single events that the account covers; if the request names an event, all events that the name can refer to. */
  eventIds: readonly string[]
  rate: RateLimitState
}

/**
 * One round trip: checks token and account, updates last use at most once a minute, counts the request per account, and reads the
 * coverage. Clients and events grant access; tenants only restrict it; inactive clients are never covered.
 */
const VERIFY_REST_ACCOUNT = `
with verified as materialized (
  select t.hash, t.last_used_at, a.tenant_id, n.code as tenant_code, a.id, a.name, a.can_act_as_participant_agent, a.rest_access,
    a.sensitive_data, a.allowed_tenants, a.allowed_clients, a.allowed_events, a.rate_limit_per_minute
  from api_tokens t
  join api_accounts a on a.tenant_id = t.tenant_id and a.id = t.account_id
  join tenants n on n.id = a.tenant_id
  where t.hash = $1 and t.revoked_at is null and (t.expires_at is null or t.expires_at > lanyard_now()) and a.active
), touched as (
  update api_tokens t set last_used_at = lanyard_now()
  from verified v where t.hash = v.hash and (v.last_used_at is null or v.last_used_at < lanyard_now() - interval '1 minute')
), counted as (
  insert into rate_windows as w (key, window_start, count)
  select 'rest:' || id, date_trunc('minute', lanyard_now()), 1 from verified
  on conflict (key) do update set
    count = case when w.window_start = excluded.window_start then w.count + 1 else 1 end,
    window_start = excluded.window_start
  returning count, window_start
)
select v.tenant_id as "tenantId", v.tenant_code as "tenantCode", v.id, v.name, v.can_act_as_participant_agent as "canActAsParticipantAgent",
  v.rest_access as "restAccess", v.sensitive_data as "sensitiveData", v.allowed_tenants as "allowedTenants",
  v.allowed_clients as "allowedClients", v.allowed_events as "allowedEvents",
  array(
    select k.id from jsonb_to_recordset(v.allowed_clients) as x("tenantCode" text, "clientCode" text)
    join clients k on k.tenant_id = v.tenant_id and k.code = x."clientCode" and k.active
    where x."tenantCode" = v.tenant_code and (cardinality(v.allowed_tenants) = 0 or v.tenant_code = any(v.allowed_tenants))
      and coalesce($2::text, v.tenant_code) = v.tenant_code and coalesce($3::text, k.code) = k.code and $4::text is null
  ) as "clientIds",
  case when $4::text is null then array(
    select e.id from jsonb_to_recordset(v.allowed_events) as x("tenantCode" text, "clientCode" text, "eventCode" text)
    join clients k on k.tenant_id = v.tenant_id and k.code = x."clientCode" and k.active
    join events e on e.tenant_id = k.tenant_id and e.client_id = k.id and e.code = x."eventCode"
    where x."tenantCode" = v.tenant_code and (cardinality(v.allowed_tenants) = 0 or v.tenant_code = any(v.allowed_tenants))
      and coalesce($2::text, v.tenant_code) = v.tenant_code and coalesce($3::text, k.code) = k.code
  ) else array(
    select e.id from events e join clients k on k.tenant_id = e.tenant_id and k.id = e.client_id and k.active
    where e.tenant_id = v.tenant_id and e.code = $4::text and coalesce($2::text, v.tenant_code) = v.tenant_code and coalesce($3::text, k.code) = k.code
      and api_account_covers(v.allowed_tenants, v.allowed_clients, v.allowed_events, v.tenant_code, k.code, e.code)
  ) end as "eventIds",
  v.rate_limit_per_minute as "limit", c.count as used,
  extract(epoch from c.window_start)::float8 + 60 as "resetAt", extract(epoch from lanyard_now())::float8 as now
from verified v cross join counted c`

type RestAccountRow = Omit<RestAccount, 'rate'> & RateLimitState

/** Verifies the token of an API account. Returns null if the token is not valid. */
export async function verifyRestAccount(pool: Pool, token: string, at: RestRequestScope = {}): Promise<RestAccount | null> {
  const { rows } = await pool.query<RestAccountRow>(VERIFY_REST_ACCOUNT, [
    hashToken(token),
    at.tenantCode ?? null,
    at.clientCode ?? null,
    at.eventCode ?? null,
  ])
  if (!rows[0]) return null
  const { limit, used, resetAt, now, ...account } = rows[0]
  return { ...account, rate: { limit, used, resetAt, now } }
}
