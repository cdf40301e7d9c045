import type { ClientAccess, ClientContext } from '../../../kernel/context.ts'
import { type Permission, permissionsOf } from '../../../kernel/permissions.ts'
import type { BrowserSession } from '../../../domains/sign-in/sessions.ts'
import type { WebServices, WebContext } from '../web.ts'
import { getClientOfUser, createAccountContext, requireClientPermission } from './frame.tsx'

/** The client that a console page is about, with the user's access and a read-only database context. */
export interface ClientPageContext {
  session: BrowserSession
  client: ClientAccess
  base: string
  /** Whether the page shows forms for changes. Each change checks the permission again. */
  mayChange: boolean
  reading: ClientContext
}

/** The permissions needed to view a page and to change something there. */
export interface PagePermissions {
  see: Permission
  change: Permission
}

const SETTINGS_PERMISSIONS: PagePermissions = { see: 'clients.read', change: 'clients.admin' }

/**
 * Returns the client in the URL. Throws if the user may not see the page. By default, the permissions are those of the settings pages.
 */
export function getClientPageContext(
  web: WebServices,
  c: WebContext,
  { see, change }: PagePermissions = SETTINGS_PERMISSIONS,
): ClientPageContext {
  const session = c.get('session')
  const client = getClientOfUser(session, c.req.param('code'))
  requireClientPermission(client, see)
  const permissions = permissionsOf(client.roles)
  return {
    session,
    client,
    base: `/console/clients/${client.code}`,
    mayChange: permissions.has(change),
    reading: { ...createAccountContext(web, session, web.services.database.read), client, permissions },
  }
}

/** Like `getClientPageContext`, but requires the permission to make changes. */
export function getClientPageContextForChange(
  web: WebServices,
  c: WebContext,
  demands: PagePermissions = SETTINGS_PERMISSIONS,
): ClientPageContext {
  const at = getClientPageContext(web, c, demands)
  requireClientPermission(at.client, demands.change)
  return at
}
