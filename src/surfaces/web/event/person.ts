import type { Actor } from '../../../kernel/context.ts'
import type { Secret } from '../../../kernel/secrets.ts'
import {
  openPersonSession,
  PERSON_SESSION_SECONDS,
  type PersonSession,
  verifyPersonSession,
} from '../../../domains/codes/person-sessions.ts'
import type { SessionKind } from '../../../domains/codes/tables.ts'
import { cookieOf, putCookie } from '../cookies.ts'
import type { Web, WebContext } from '../web.ts'
import type { Place } from './place.ts'

/** Who is signed in at this event, as the database stands at this moment. A session of another event is none here. */
export async function personAt(web: Web, c: WebContext, place: Place, kind: SessionKind = 'person'): Promise<PersonSession | null> {
  const token = cookieOf(web, c, kind)
  return token ? verifyPersonSession(web.road.database.pool, { tenantId: place.tenantId, eventId: place.event.id }, token, kind) : null
}

export const rememberPerson = (web: Web, c: WebContext, token: Secret, kind: SessionKind = 'person') =>
  putCookie(web, c, kind, token.reveal(), { maxAge: PERSON_SESSION_SECONDS })

export const forgetPerson = (web: Web, c: WebContext, kind: SessionKind = 'person') => putCookie(web, c, kind, '', { maxAge: 0 })

/** In whose name a person's own changes are kept; the same address at another event is somebody else. */
export const actingAs = (place: Place, email: string): Actor => ({
  ...place.visitor,
  id: `${place.event.id}:${email.toLowerCase()}`,
  name: email,
})

/** Lets this browser go on with one registration and no other. */
export async function enterRegistration(
  web: Web,
  c: WebContext,
  { tenantId, event }: Place,
  { participantId, email }: { participantId: string; email: string },
): Promise<void> {
  rememberPerson(web, c, await openPersonSession(web.road.database.write, { tenantId, eventId: event.id, email, participantId }))
}
