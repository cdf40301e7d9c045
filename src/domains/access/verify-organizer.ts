import type { OrganizerAccess, Actor } from '../../kernel/context.ts'
import type { Pool } from '../../kernel/ports.ts'
import { hashToken } from '../../kernel/secrets.ts'
import { EVENT_HEAD, type NamedEvents } from '../tenancy/scope.ts'
import { LIVE_GRANT } from './live-grants.ts'
import { toOrganizerAccess, MEMBERSHIPS_AND_STAFF, type RolesRow } from './roles.ts'

export const REQUESTS_PER_MINUTE = 120

export interface RateLimitState {
  limit: number
  used: number
  /** Unix seconds when the current minute ends. */
  resetAt: number
  now: number
}

/** An organizer with a valid token. */
export interface Organizer {
  tenantId: number
  tenantCode: string
  actor: Actor
  access: OrganizerAccess
  rate: RateLimitState
  /** Read together with the token to save a round trip, if the call names an event. */
  named?: NamedEvents
}

/**
 * Checks token, grant and user, updates last use at most once a minute, counts the request for this user and app, and reads all roles and
 * the event that the call names, in one round trip. Nothing is cached, so every revocation takes effect immediately.
 */
const VERIFY_ORGANIZER = `
with verified as materialized (
  select g.id as grant_id, g.last_used_at, a.id as app_id, a.name as app_name,
    u.id as user_id, u.name as user_name, u.tenant_id, n.code as tenant_code
  from oauth_tokens t
  join oauth_grants g on g.id = t.grant_id
  join users u on u.id = g.user_id
  join oauth_clients a on a.id = g.client_id
  join tenants n on n.id = u.tenant_id
  where t.hash = $1 and t.kind = 'access' and t.expires_at > lanyard_now()
    and g.resource = $2 and ${LIVE_GRANT}
), touched as (
  update oauth_grants g set last_used_at = lanyard_now()
  from verified v where g.id = v.grant_id and v.last_used_at < lanyard_now() - interval '1 minute'
), counted as (
  insert into rate_windows as w (key, window_start, count)
  select 'app:' || user_id || ':' || app_id, date_trunc('minute', lanyard_now()), 1 from verified
  on conflict (key) do update set
    count = case when w.window_start = excluded.window_start then w.count + 1 else 1 end,
    window_start = excluded.window_start
  returning count, window_start
)
select v.app_id, v.app_name, v.user_id, v.user_name, v.tenant_id, v.tenant_code, c.count as used,
  extract(epoch from c.window_start)::float8 + 60 as reset_at, extract(epoch from lanyard_now())::float8 as now,
  (select json_agg(json_build_object('clientId', e.client_id, 'event', ${EVENT_HEAD}))
   from events e where e.tenant_id = v.tenant_id and e.code = $3) as events,
${MEMBERSHIPS_AND_STAFF}
from verified v cross join counted c`

interface OrganizerRow extends RolesRow {
  app_id: string
  app_name: string
  user_id: string
  user_name: string
  tenant_id: number
  tenant_code: string
  used: number
  reset_at: number
  now: number
  events: NamedEvents['events'] | null
}

/** Verifies an organizer's access token. Returns null if it is not valid for any reason. */
export async function verifyOrganizer(
  pool: Pool,
  token: string,
  resource: string,
  eventCode: string | null = null,
): Promise<Organizer | null> {
  const { rows } = await pool.query<OrganizerRow>(VERIFY_ORGANIZER, [hashToken(token), resource, eventCode])
  const row = rows[0]
  if (!row || (!row.memberships && !row.staff)) return null
  return {
    tenantId: row.tenant_id,
    tenantCode: row.tenant_code,
    actor: { kind: 'organizer', id: row.user_id, name: row.user_name, app: { id: row.app_id, name: row.app_name } },
    access: toOrganizerAccess(row),
    rate: { limit: REQUESTS_PER_MINUTE, used: row.used, resetAt: row.reset_at, now: row.now },
    ...(eventCode === null ? {} : { named: { eventCode, events: row.events ?? [] } }),
  }
}
