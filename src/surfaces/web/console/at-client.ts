import type { ClientAccess, ClientContext } from '../../../kernel/context.ts'
import { permissionsOf } from '../../../kernel/permissions.ts'
import type { BrowserSession } from '../../../domains/sign-in/sessions.ts'
import type { Web, WebContext } from '../web.ts'
import { clientOf, contextOf, demand } from './frame.tsx'

/** One page of one client: who looks at it, what they may do there, and a context to read with. */
export interface AtClient {
  session: BrowserSession
  client: ClientAccess
  base: string
  /** Whether the page offers its changes; each change asks again. */
  mayChange: boolean
  reading: ClientContext
}

/** The client of the address, for whoever may see its settings. */
export function atClient(web: Web, c: WebContext): AtClient {
  const session = c.get('session')
  const client = clientOf(session, c.req.param('code'))
  demand(client, 'clients.read')
  const permissions = permissionsOf(client.roles)
  return {
    session,
    client,
    base: `/console/clients/${client.code}`,
    mayChange: permissions.has('clients.admin'),
    reading: { ...contextOf(web, session, web.road.database.read), client, permissions },
  }
}

/** The same for a change, which only administrators of the client make. */
export function changingAt(web: Web, c: WebContext): AtClient {
  const at = atClient(web, c)
  demand(at.client, 'clients.admin')
  return at
}
