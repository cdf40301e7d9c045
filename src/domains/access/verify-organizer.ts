import type { OrganizerAccess, Actor } from '../../kernel/context.ts'
import type { ToolCallDatabaseFunction } from '../../kernel/commit-change.ts'
import { newId } from '../../kernel/ids.ts'
import type { Role } from '../../kernel/permissions.ts'
import type { Database, Pool } from '../../kernel/ports.ts'
import { hashToken } from '../../kernel/secrets.ts'
import { EVENT_SUMMARY_SQL, type EventsWithSameCode } from '../tenancy/scope.ts'
import { GRANT_IS_LIVE_SQL } from './live-grants.ts'
import { toOrganizerAccess, MEMBERSHIPS_AND_STAFF_SQL, type RolesRow } from './roles.ts'

export const ORGANIZER_REQUESTS_PER_MINUTE = 120

export interface RateLimitState {
  limit: number
  used: number
  /** Unix time in seconds at which the current minute ends and the rate limit starts again. */
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
  /** The events with the code that the call names, read by the statement that verifies the token, to save a round trip. */
  named?: EventsWithSameCode
  /** The result rows of the tool call, if the call ran in the same statement as the verification of its caller. */
  ran?: OneStatementToolCallResult
}

export interface OneStatementToolCallResult {
  tool: string
  rows: readonly unknown[]
}

/**
 * Checks token, grant and user, updates last use at most once a minute, counts the request for this user and app, and reads all roles and
 * the event that the call names, in one round trip. Nothing is cached, so every revocation takes effect immediately.
 */
const verifyStatement = (ran: string) => `
with verified as materialized (
  select g.id as grant_id, g.last_used_at, a.id as app_id, a.name as app_name,
    u.id as user_id, u.name as user_name, u.tenant_id, n.code as tenant_code
  from oauth_tokens t
  join oauth_grants g on g.id = t.grant_id
  join users u on u.id = g.user_id
  join oauth_clients a on a.id = g.client_id
  join tenants n on n.id = u.tenant_id
  where t.hash = $1 and t.kind = 'access' and t.expires_at > lanyard_now()
    and g.resource = $2 and ${GRANT_IS_LIVE_SQL}
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
  (select json_agg(json_build_object('clientId', e.client_id, 'event', ${EVENT_SUMMARY_SQL}))
   from events e where e.tenant_id = v.tenant_id and e.code = $3) as events,
  ${ran} as ran,
${MEMBERSHIPS_AND_STAFF_SQL}
from verified v cross join counted c`

const VERIFY_ORGANIZER = verifyStatement('null::json')

/**
 * Builds the SQL statement that verifies the caller and also runs a call at event $4. The call runs only if the caller has one of the roles
 * $5 at that event, is within the rate limit, and no other event has the same code. These conditions are stricter than the checks of the
 * call pipeline, which the call still passes afterwards. If the statement returns no rows, the call runs as usual.
 */
const toCallStatement = ({ name, values }: ToolCallDatabaseFunction) =>
  verifyStatement(`case when c.count <= ${ORGANIZER_REQUESTS_PER_MINUTE} then (
    select (select json_agg(d) from ${name}(v.tenant_id, p.event_id, ${values.map(({ type }, i) => `$${i + 8}::${type}`).join(', ')},
      jsonb_build_object('id', $6::text, 'tool', $7::text, 'client_id', p.client_id, 'event_id', p.event_id, 'actor_kind', 'organizer',
        'actor_id', v.user_id, 'actor_name', v.user_name, 'app_id', v.app_id, 'app_name', v.app_name)) d)
    from (select e.id as event_id, e.client_id from events e join clients k on k.tenant_id = e.tenant_id and k.id = e.client_id
      where e.tenant_id = v.tenant_id and e.id = $4 and e.code = $3 and k.active and k.ai_assistants_allowed
        and not exists (select from events o where o.tenant_id = e.tenant_id and o.code = e.code and o.id <> e.id)
        and (exists (select from memberships m where m.tenant_id = e.tenant_id and m.user_id = v.user_id and m.client_id = e.client_id and m.role = any($5))
          or exists (select from event_staff s where s.tenant_id = e.tenant_id and s.user_id = v.user_id and s.event_id = e.id and s.role = any($5)))
    ) p) end`)

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
  events: EventsWithSameCode['events'] | null
  ran: readonly unknown[] | null
}

/** Verifies an organizer's access token. Returns null if the token is not valid, for any reason. */
export async function verifyOrganizer(
  pool: Pool,
  token: string,
  resource: string,
  eventCode: string | null = null,
): Promise<Organizer | null> {
  const { rows } = await pool.query<OrganizerRow>(VERIFY_ORGANIZER, [hashToken(token), resource, eventCode])
  return toOrganizer(rows[0], eventCode)
}

/** Cached texts of SQL statements, by the name of the database function that they call. There are few such functions. */
const callStatements = new Map<string, string>()

function callStatementOf(run: ToolCallDatabaseFunction): string {
  const known = callStatements.get(run.name)
  if (known !== undefined) return known
  const text = toCallStatement(run)
  callStatements.set(run.name, text)
  return text
}

/** A tool call that can run in the statement that verifies its caller. */
export interface SingleStatementToolCall {
  tool: string
  eventCode: string
  eventId: string
  /** The roles that may make the call. */
  roles: readonly Role[]
  run: ToolCallDatabaseFunction
}

/** Verifies an organizer's access token and, if the organizer may make the call, runs the call in the same statement. */
export async function verifyOrganizerAndRunCall(
  { runStatement }: Pick<Database, 'runStatement'>,
  token: string,
  resource: string,
  { tool, eventCode, eventId, roles, run }: SingleStatementToolCall,
): Promise<Organizer | null> {
  const values = [hashToken(token), resource, eventCode, eventId, roles, newId(), tool, ...run.values.map(({ value }) => value)]
  const [row] = await runStatement<OrganizerRow>(callStatementOf(run), values, { eventId })
  const organizer = toOrganizer(row, eventCode)
  return organizer && row!.ran ? { ...organizer, ran: { tool, rows: row!.ran } } : organizer
}

function toOrganizer(row: OrganizerRow | undefined, eventCode: string | null): Organizer | null {
  if (!row || (!row.memberships && !row.staff)) return null
  return {
    tenantId: row.tenant_id,
    tenantCode: row.tenant_code,
    actor: { kind: 'organizer', id: row.user_id, name: row.user_name, app: { id: row.app_id, name: row.app_name } },
    access: toOrganizerAccess(row),
    rate: { limit: ORGANIZER_REQUESTS_PER_MINUTE, used: row.used, resetAt: row.reset_at, now: row.now },
    ...(eventCode === null ? {} : { named: { eventCode, events: row.events ?? [] } }),
  }
}
