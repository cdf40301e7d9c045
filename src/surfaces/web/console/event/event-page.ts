import type { BrowserSession } from '../../../../domains/sign-in/sessions.ts'
import { resolveEvent } from '../../../../domains/tenancy/scope.ts'
import type { Db } from '../../../../kernel/columns.ts'
import type { ClientAccess, EventContext, EventSummaryRow } from '../../../../kernel/context.ts'
import { AppError, notFound } from '../../../../kernel/errors.ts'
import { commitChange, previewChange } from '../../../../kernel/commit-change.ts'
import { cleanText } from '../../../../kernel/clean-text.ts'
import { type Permission, type Permissions, permissionsOf } from '../../../../kernel/permissions.ts'
import type { WebServices, WebContext } from '../../web.ts'
import { createAccountContext, requirePermission, ignoreAiAssistantRestrictions } from '../frame.tsx'

export const CONSOLE_EVENT_PATH = '/console/events/:client/:event'

/** The event that a console page is about, with the user's access and a read-only database context. */
export interface EventPageContext {
  session: BrowserSession
  client: ClientAccess
  event: EventSummaryRow
  base: string
  /** The user's permissions, from their roles at the client and at this event. */
  permissions: Permissions
  reading: EventContext
}

/**
 * Returns the event in the URL. Throws if the user lacks the permission `see`. If `see` is omitted, any role at the event is enough.
 */
export async function getEventPageContext(web: WebServices, c: WebContext, see?: Permission): Promise<EventPageContext> {
  const session = c.get('session')
  const { client, event } = await getUserEvent(web, session, { clientCode: readCode(c, 'client'), eventCode: readCode(c, 'event') })
  const staff = session.access.staff.filter(({ eventId }) => eventId === event.id).map(({ role }) => role)
  const permissions = permissionsOf([...client.roles, ...staff])
  if (see) requirePermission(event.name, permissions, see)
  const at = { session, client, event, permissions, base: `/console/events/${client.code}/${event.code}` }
  return { ...at, reading: eventContext(web, at, web.services.database.read) }
}

const readCode = (c: WebContext, name: string) => cleanText(c.req.param(name) ?? '', 80).toLowerCase()

/**
 * Finds the event in the URL. The response is identical for events that do not exist and events of others, so that it reveals nothing.
 */
async function getUserEvent(web: WebServices, session: BrowserSession, named: { clientCode: string; eventCode: string }) {
  try {
    const { client, event } = await resolveEvent(web.services.database.pool, ignoreAiAssistantRestrictions(session), named)
    return { client: session.access.clients.find(({ id }) => id === client.id)!, event }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    throw notFound(`There is no event “${named.eventCode}”, or you have no access to it.`)
  }
}

const eventContext = (
  web: WebServices,
  { session, client, event, permissions }: Omit<EventPageContext, 'reading'>,
  db: Db,
): EventContext => ({
  ...createAccountContext(web, session, db),
  client,
  event,
  permissions,
})

/** Runs a change at the event as the signed-in organizer and records it in the audit log. */
export const runEventChange = <T>(
  web: WebServices,
  at: EventPageContext,
  action: string,
  run: (ctx: EventContext) => Promise<T>,
): Promise<T> =>
  commitChange(
    web.services.database,
    { name: action, clientId: at.client.id, eventId: at.event.id },
    (db) => eventContext(web, at, db),
    run,
  )

/** Runs a change and rolls it back, to show its effects. */
export const previewEventChange = <T>(
  web: WebServices,
  at: EventPageContext,
  action: string,
  run: (ctx: EventContext) => Promise<T>,
): Promise<T> => previewChange(web.services.database, { name: action, eventId: at.event.id }, (db) => eventContext(web, at, db), run)
