import type { Access, ClientAccess, EventHead } from '../../kernel/context.ts'
import { AppError, type Fix, notFound } from '../../kernel/errors.ts'
import type { Pool } from '../../kernel/ports.ts'

const START: Fix = { tool: 'list_my_events', arguments: {} }

const turnedOff = (client: ClientAccess) => new AppError('forbidden', `AI assistant access is turned off for client ${client.code}`)

/** The organizer's client of that code. One of another tenant and one that never was are equally unknown. */
export function resolveClient(access: Access, code: string): ClientAccess {
  const client = access.clients.find((c) => c.code === code)
  if (!client) throw notFound(`No client ${code} — list_clients shows yours`, { fix: { tool: 'list_clients', arguments: {} } })
  if (!client.aiAssistantsAllowed) throw turnedOff(client)
  return client
}

interface EventRow extends EventHead {
  clientId: string
}

/** Only what the organizer's memberships and staff roles reach is looked at, so nothing else can be found. */
const EVENTS_BY_CODE = `
select e.id, e.client_id as "clientId", e.code, e.name, e.status, e.timezone, e.currency, e.test_mode as "testMode"
from events e
where e.tenant_id = $1 and e.code = $2 and (e.client_id = any($3) or e.id = any($4))`

/** The event of that code; clients that are off make no code ambiguous, and inactive ones hide their events. */
export async function resolveEvent(
  pool: Pool,
  organizer: { tenantId: number; access: Access },
  named: { eventCode: string; clientCode?: string | undefined },
): Promise<{ client: ClientAccess; event: EventHead }> {
  const { access, tenantId } = organizer
  const { eventCode, clientCode } = named
  const members = access.clients.filter((c) => c.roles.length > 0).map((c) => c.id)
  const staffed = access.staff.map((s) => s.eventId)
  const { rows } = await pool.query<EventRow>(EVENTS_BY_CODE, [tenantId, eventCode, members, staffed])
  const reached = rows
    .map(({ clientId, ...event }) => ({ client: access.clients.find((c) => c.id === clientId)!, event }))
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
  if (reached[0]) throw turnedOff(reached[0].client)
  const where = clientCode === undefined ? '' : ` at client ${clientCode}`
  throw notFound(`No event ${eventCode}${where} — list_my_events shows the events you can work on`, { fix: START })
}

const EVENT_OF_CLIENT = `
select json_build_object('id', c.id, 'code', c.code, 'name', c.name) as client,
  json_build_object('id', e.id, 'code', e.code, 'name', e.name, 'status', e.status, 'timezone', e.timezone, 'currency', e.currency,
    'testMode', e.test_mode) as event
from tenants t
join clients c on c.tenant_id = t.id
join events e on e.tenant_id = c.tenant_id and e.client_id = c.id
where t.id = $1 and t.code = $2 and c.code = $3 and e.code = $4 and c.active`

/** The event that three codes name, of a client that is active; null for all else, without saying which of them is wrong. */
export async function findEventOfClient(
  pool: Pool,
  tenantId: number,
  { tenantCode, clientCode, eventCode }: { tenantCode: string; clientCode: string; eventCode: string },
): Promise<{ client: { id: string; code: string; name: string }; event: EventHead } | null> {
  const { rows } = await pool.query<{ client: { id: string; code: string; name: string }; event: EventHead }>(EVENT_OF_CLIENT, [
    tenantId,
    tenantCode,
    clientCode,
    eventCode,
  ])
  return rows[0] ?? null
}
