import type { BrowserSession } from '../../../domains/sign-in/sessions.ts'
import { resolveEvent } from '../../../domains/tenancy/scope.ts'
import { commitChange } from '../../../kernel/commit-change.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { permissionsOf } from '../../../kernel/permissions.ts'
import { createAccountContext, ignoreAiAssistantRestrictions } from '../console/frame.tsx'
import type { WebServices } from '../web.ts'

const MAX_EVENTS = 50

/**
 * Lists the events at which the user may scan, the one nearest in time first. An event's key consists of its client code and event code.
 */
export async function listScannableEvents(web: WebServices, session: BrowserSession): Promise<{ key: string; name: string }[]> {
  const { clients, staff } = session.access
  const allowed = clients.filter(({ active, roles }) => active && permissionsOf(roles).has('onsite.write')).map(({ id }) => id)
  const staffed = staff.filter(({ role }) => permissionsOf([role]).has('onsite.write')).map(({ eventId }) => eventId)
  const { rows } = await web.services.database.pool.query<{ key: string; name: string }>(
    `select c.code || '/' || e.code as key, e.name from events e join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id
     where e.tenant_id = $1 and e.status <> 'archived' and c.active and (e.client_id = any($2) or e.id = any($3))
     order by abs(e.starts_on - lanyard_now()::date), e.id limit ${MAX_EVENTS}`,
    [session.tenantId, allowed, staffed],
  )
  return rows
}

/**
 * Finds the event by its key (client code and event code). The returned function runs a change at that event as the user. Null if the user
 * may not scan there.
 */
export async function openScannableEvent(web: WebServices, session: BrowserSession, key: string) {
  const [clientCode = '', eventCode = ''] = key.split('/')
  const found = await resolveEvent(web.services.database.pool, ignoreAiAssistantRestrictions(session), { clientCode, eventCode }).catch(
    () => null,
  )
  if (!found) return null
  const roles = session.access.staff.filter(({ eventId }) => eventId === found.event.id).map(({ role }) => role)
  const permissions = permissionsOf([...found.client.roles, ...roles])
  if (!permissions.has('onsite.write')) return null
  return {
    change: <T>(action: string, run: (ctx: EventContext) => Promise<T>): Promise<T> =>
      commitChange(
        web.services.database,
        { name: action, clientId: found.client.id, eventId: found.event.id },
        (db) => ({ ...createAccountContext(web, session, db), client: found.client, event: found.event, permissions }),
        run,
      ),
  }
}
