import { type RawBuilder, sql } from 'kysely'
import type { ClientContext, OrganizerAccess, ClientAccess, EventSummaryRow } from '../../kernel/context.ts'
import { AppError, type ErrorFix, notFound } from '../../kernel/errors.ts'
import { type Permission, permissionsOf } from '../../kernel/permissions.ts'
import type { Pool } from '../../kernel/ports.ts'

const LIST_EVENTS_FIX: ErrorFix = { tool: 'list_my_events', arguments: {} }

const assistantsOffError = (client: ClientAccess) =>
  new AppError('forbidden', `AI assistant access is turned off for client ${client.code}`)

/** Finds the organizer's client by code. A client of another tenant is reported as unknown. */
export function resolveClient(access: OrganizerAccess, code: string): ClientAccess {
  const client = access.clients.find((c) => c.code === code)
  if (!client) throw notFound(`No client ${code}. Use list_clients to see your clients`, { fix: { tool: 'list_clients', arguments: {} } })
  if (!client.aiAssistantsAllowed) throw assistantsOffError(client)
  return client
}

/**
 * SQL condition for the events `e` of the client at which the caller has a permission: all of them if a role at the client includes it,
 * otherwise those where the caller is staff with such a role.
 */
export function buildPermittedEventSql(
  { tenantId, client, access }: Pick<ClientContext, 'tenantId' | 'client' | 'access'>,
  permission: Permission,
): RawBuilder<boolean> {
  const staffOf = access.staff.filter(({ role }) => permissionsOf([role]).has(permission)).map(({ eventId }) => eventId)
  return sql<boolean>`(e.tenant_id = ${tenantId} and e.client_id = ${client.id}
    and (${permissionsOf(client.roles).has(permission)}::boolean or e.id = any(${staffOf})))`
}

/** All events of the tenant with the same code, including events that the organizer may not see. */
export interface EventsWithSameCode {
  eventCode: string
  events: readonly { clientId: string; event: EventSummaryRow }[]
}

/** SQL expression for the head (id, name and basic settings) of the event in row `e`. */
export const EVENT_SUMMARY_SQL = `json_build_object('id', e.id, 'code', e.code, 'name', e.name, 'status', e.status, 'timezone', e.timezone,
  'currency', e.currency, 'testMode', e.test_mode, 'sandboxCards', e.sandbox_cards)`

/** The event of a record that was found by a token, before the tenant is known. */
export interface EventFoundByToken {
  tenantId: number
  tenantCode: string
  client: { id: string; code: string; name: string }
  event: EventSummaryRow
}

/** SQL for the columns of `EventFoundByToken`: of an event `e`, its client `k` and its tenant `t`. */
export const EVENT_WITH_CLIENT_COLUMNS_SQL = `e.tenant_id as "tenantId", t.code as "tenantCode",
  json_build_object('id', k.id, 'code', k.code, 'name', k.name) as client, ${EVENT_SUMMARY_SQL} as event`

/** SQL for the joins that `EVENT_WITH_CLIENT_COLUMNS_SQL` needs, from a row of an event. Rows of inactive clients are left out. */
export const buildEventAndClientJoins = (row: string): string => `join events e on e.tenant_id = ${row}.tenant_id and e.id = ${row}.event_id
join clients k on k.tenant_id = e.tenant_id and k.id = e.client_id and k.active
join tenants t on t.id = e.tenant_id`

const EVENTS_BY_CODE = `
select e.client_id as "clientId", ${EVENT_SUMMARY_SQL} as event from events e where e.tenant_id = $1 and e.code = $2`

/**
 * Finds the event with this code among the events that the organizer may see by membership or staff role. Events of clients with assistants
 * turned off do not make a code ambiguous; events of inactive clients are hidden.
 */
export async function resolveEvent(
  pool: Pool,
  organizer: { tenantId: number; access: OrganizerAccess; named?: EventsWithSameCode },
  named: { eventCode: string; clientCode?: string | undefined },
): Promise<{ client: ClientAccess; event: EventSummaryRow }> {
  const { access, tenantId } = organizer
  const { eventCode, clientCode } = named
  const members = new Set(access.clients.filter((c) => c.roles.length > 0).map((c) => c.id))
  const staffed = new Set(access.staff.map((s) => s.eventId))
  const events =
    organizer.named?.eventCode === eventCode
      ? organizer.named.events
      : (await pool.query<EventsWithSameCode['events'][number]>(EVENTS_BY_CODE, [tenantId, eventCode])).rows
  const reached = events
    .filter(({ clientId, event }) => members.has(clientId) || staffed.has(event.id))
    .map(({ clientId, event }) => ({ client: access.clients.find((c) => c.id === clientId)!, event }))
    .filter(({ client }) => client.active && (clientCode === undefined || client.code === clientCode))
    .toSorted((a, b) => (a.client.code < b.client.code ? -1 : 1))
  const open = reached.filter(({ client }) => client.aiAssistantsAllowed)
  if (open.length > 1) {
    throw new AppError('ambiguous', 'Ambiguous event code — pass clientCode', {
      candidates: open.map(({ client }) => ({ eventCode, clientCode: client.code })),
      fix: { ask: `which client is meant: ${open.map(({ client }) => client.code).join(', ')}` },
    })
  }
  if (open[0]) return open[0]
  if (reached[0]) throw assistantsOffError(reached[0].client)
  const where = clientCode === undefined ? '' : ` at client ${clientCode}`
  throw notFound(`No event ${eventCode}${where}. Use list_my_events to see the events you can work on`, { fix: LIST_EVENTS_FIX })
}

const EVENT_OF_CLIENT = `
select json_build_object('id', c.id, 'code', c.code, 'name', c.name) as client,
  ${EVENT_SUMMARY_SQL} as event
from tenants t
join clients c on c.tenant_id = t.id
join events e on e.tenant_id = c.tenant_id and e.client_id = c.id
where t.id = $1 and t.code = $2 and c.code = $3 and e.code = $4 and c.active`

/** Finds an event of an active client by the codes of tenant, client and event. Returns null without revealing which code is wrong. */
export async function findEventOfClient(
  pool: Pool,
  tenantId: number,
  { tenantCode, clientCode, eventCode }: { tenantCode: string; clientCode: string; eventCode: string },
): Promise<{ client: { id: string; code: string; name: string }; event: EventSummaryRow } | null> {
  const { rows } = await pool.query<{ client: { id: string; code: string; name: string }; event: EventSummaryRow }>(EVENT_OF_CLIENT, [
    tenantId,
    tenantCode,
    clientCode,
    eventCode,
  ])
  return rows[0] ?? null
}
