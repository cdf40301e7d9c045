import type { BrowserSession } from '../../../../domains/sign-in/sessions.ts'
import { resolveEvent } from '../../../../domains/tenancy/scope.ts'
import type { Db } from '../../../../kernel/columns.ts'
import type { ClientAccess, EventContext, EventHead } from '../../../../kernel/context.ts'
import { AppError, notFound } from '../../../../kernel/errors.ts'
import { keepChange, previewChange } from '../../../../kernel/keep-change.ts'
import { cleanText } from '../../../../kernel/outside-text.ts'
import { type Permission, type Permissions, permissionsOf } from '../../../../kernel/permissions.ts'
import type { Web, WebContext } from '../../web.ts'
import { contextOf, demandAt, whateverAssistants } from '../frame.tsx'

export const EVENT_PATH = '/console/events/:client/:event'

/** One page of one event: who looks at it, what they may do there, and a context to read with. */
export interface AtEvent {
  session: BrowserSession
  client: ClientAccess
  event: EventHead
  base: string
  /** By their roles in all of the client and at this event. */
  permissions: Permissions
  reading: EventContext
}

/** The event of the address, for whoever may see this page of it. Without a permission named, any role there will do. */
export async function atEvent(web: Web, c: WebContext, see?: Permission): Promise<AtEvent> {
  const session = c.get('session')
  const { client, event } = await eventOf(web, session, { clientCode: codeIn(c, 'client'), eventCode: codeIn(c, 'event') })
  const staff = session.access.staff.filter(({ eventId }) => eventId === event.id).map(({ role }) => role)
  const permissions = permissionsOf([...client.roles, ...staff])
  if (see) demandAt(event.name, permissions, see)
  const at = { session, client, event, permissions, base: `/console/events/${client.code}/${event.code}` }
  return { ...at, reading: contextAt(web, at, web.road.database.read) }
}

const codeIn = (c: WebContext, name: string) => cleanText(c.req.param(name) ?? '', 80).toLowerCase()

/** What is not among theirs and what never was are answered alike. */
async function eventOf(web: Web, session: BrowserSession, named: { clientCode: string; eventCode: string }) {
  try {
    const { client, event } = await resolveEvent(web.road.database.pool, whateverAssistants(session), named)
    return { client: session.access.clients.find(({ id }) => id === client.id)!, event }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    throw notFound(`No event ${named.eventCode} of ${named.clientCode} among yours`)
  }
}

const contextAt = (web: Web, { session, client, event, permissions }: Omit<AtEvent, 'reading'>, db: Db): EventContext => ({
  ...contextOf(web, session, db),
  client,
  event,
  permissions,
})

/** Runs a change at the event as the signed-in organizer, under the console's name. */
export const changeAtEvent = <T>(web: Web, at: AtEvent, action: string, run: (ctx: EventContext) => Promise<T>): Promise<T> =>
  keepChange(web.road.database, { name: action, clientId: at.client.id, eventId: at.event.id }, (db) => contextAt(web, at, db), run)

/** What that change would come to: done, told and undone. */
export const previewAtEvent = <T>(web: Web, at: AtEvent, action: string, run: (ctx: EventContext) => Promise<T>): Promise<T> =>
  previewChange(web.road.database, action, (db) => contextAt(web, at, db), run)
