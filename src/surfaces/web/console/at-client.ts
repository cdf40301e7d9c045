import type { ClientAccess, ClientContext } from '../../../kernel/context.ts'
import { type Permission, permissionsOf } from '../../../kernel/permissions.ts'
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

/** What a page asks of whoever looks at it, and of whoever changes something there. */
export interface Demands {
  see: Permission
  change: Permission
}

const OF_SETTINGS: Demands = { see: 'clients.read', change: 'clients.admin' }

/** The client of the address, for whoever may see this page of it; without more said, its settings. */
export function atClient(web: Web, c: WebContext, { see, change }: Demands = OF_SETTINGS): AtClient {
  const session = c.get('session')
  const client = clientOf(session, c.req.param('code'))
  demand(client, see)
  const permissions = permissionsOf(client.roles)
  return {
    session,
    client,
    base: `/console/clients/${client.code}`,
    mayChange: permissions.has(change),
    reading: { ...contextOf(web, session, web.road.database.read), client, permissions },
  }
}

/** The same for a change; of settings, only administrators of the client make one. */
export function changingAt(web: Web, c: WebContext, demands: Demands = OF_SETTINGS): AtClient {
  const at = atClient(web, c, demands)
  demand(at.client, demands.change)
  return at
}
