import type { Actor } from '../../../kernel/context.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import type { Secret } from '../../../kernel/secrets.ts'
import {
  createPersonSession,
  PERSON_SESSION_SECONDS,
  type PersonSession,
  verifyPersonSession,
} from '../../../domains/codes/person-sessions.ts'
import type { PersonSessionKind } from '../../../domains/codes/tables.ts'
import { readCookie, writeCookie } from '../cookies.ts'
import type { WebServices, WebContext } from '../web.ts'
import type { EventSite } from './event-site.ts'

/** Finds the visitor's sign-in session in the database, on every request. A session of another event is ignored. */
export async function findPersonSignInSession(
  web: WebServices,
  c: WebContext,
  { tenantId, event }: Pick<EventSite, 'tenantId' | 'event'>,
  kind: PersonSessionKind = 'person',
): Promise<PersonSession | null> {
  const token = readCookie(web, c, kind)
  return token ? verifyPersonSession(web.services.database.pool, { tenantId, eventId: event.id }, token, kind) : null
}

export const setPersonSessionCookie = (web: WebServices, c: WebContext, token: Secret, kind: PersonSessionKind = 'person') =>
  writeCookie(web, c, kind, token.reveal(), { maxAge: PERSON_SESSION_SECONDS })

export const clearPersonSessionCookie = (web: WebServices, c: WebContext, kind: PersonSessionKind = 'person') =>
  writeCookie(web, c, kind, '', { maxAge: 0 })

/** The actor in the audit log. Its id includes the event, because the same email address at another event is another person. */
export const toSignedInVisitorActor = (site: EventSite, email: string): Actor => ({
  ...site.visitor,
  id: `${site.event.id}:${foldEmailCase(email)}`,
  name: email,
})

/**
 * Signs the browser in to one registration. `verified`: the visitor followed a link or entered a code that was sent to the registration's
 * email address.
 */
export async function signInToRegistration(
  web: WebServices,
  c: WebContext,
  { tenantId, event }: EventSite,
  { participantId, email, verified }: { participantId: string; email: string; verified: boolean },
): Promise<void> {
  const session = await web.services.database.transact((db) =>
    createPersonSession(db, { tenantId, eventId: event.id, email, participantId, verified }),
  )
  setPersonSessionCookie(web, c, session)
}
