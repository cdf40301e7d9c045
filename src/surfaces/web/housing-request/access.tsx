import { findRequestByLink } from '../../../domains/block-requests/links.ts'
import {
  findRequesterOfBlockRequest,
  listManagedRequesters,
  type ManagedRequester,
} from '../../../domains/block-requests/own-requesters.ts'
import { getBlockRequestRow } from '../../../domains/block-requests/requests.ts'
import type { BlockRequestRow } from '../../../domains/block-requests/tables.ts'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import type { Actor } from '../../../kernel/context.ts'
import { LinkButton } from '../components/forms.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import { NarrowPage, showEventPage } from '../event/event-layout.tsx'
import { PUBLIC_EVENT_PATH, createPublicEventContext, type EventSite, findEventSite } from '../event/event-site.ts'
import { findPersonSignInSession, toSignedInVisitorActor } from '../event/person.ts'
import type { SignInArea } from '../event/sign-in.tsx'
import type { WebContext, WebServices } from '../web.ts'

export const ROOM_REQUEST_PATH = `${PUBLIC_EVENT_PATH}/housing/request`

/** Whether the event takes room requests, so that other pages link to them. */
export const areRoomRequestsEnabled = ({ config: { housing } }: Pick<EventSite, 'config'>): boolean =>
  housing.enabled && housing.requests?.enabled === true

/**
 * The sign-in area for room requests. Admins of groups and companies sign in with an emailed code, which also signs them in to the pages of
 * a group.
 */
export const ROOM_REQUEST_SIGN_IN_AREA: SignInArea = {
  route: ROOM_REQUEST_PATH,
  purpose: 'groupAdmin',
  kind: 'groupAdmin',
  home: (_c, { paths }) => paths.blockRequests,
  text: 'blockRequest.signIn',
}

/** A person with a verified email address, and the groups and companies that this person manages. */
export interface SignedInRoomRequester {
  site: EventSite
  email: string
  actor: Actor
  ctx: RegistrationContext
  own: ManagedRequester[]
}

const openPerson = async (web: WebServices, site: EventSite, email: string): Promise<SignedInRoomRequester> => {
  const actor = toSignedInVisitorActor(site, email)
  const ctx = createPublicEventContext(web, site, web.services.database.write, actor)
  return { site, email, actor, ctx, own: await listManagedRequesters(ctx, email) }
}

/** Admits signed-in admins of a group or company, and redirects all other visitors to sign in. */
export const withRoomRequesterAccess =
  (web: WebServices, handler: (c: WebContext, person: SignedInRoomRequester) => Promise<Response> | Response) =>
  async (c: WebContext): Promise<Response> => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const session = await findPersonSignInSession(web, c, site, 'groupAdmin')
    if (!session) return c.redirect(`${site.paths.blockRequests}/sign-in`, 303)
    const person = await openPerson(web, site, session.email)
    if (person.own.length > 0) return handler(c, person)
    const { say } = site.words
    return showEventPage(
      web,
      c,
      site,
      { title: say('blockRequest.none'), status: 403 },
      <NarrowPage title={say('blockRequest.none')}>
        <p>{say('blockRequest.noneText', { email: person.email, event: site.config.details.name })}</p>
        <LinkButton href={`${site.paths.blockRequests}/sign-in?email=`}>{say('group.otherEmail')}</LinkButton>
      </NarrowPage>,
    )
  }

/** A room request that the signed-in person manages. */
export interface ManagedRoomRequest extends SignedInRoomRequester {
  row: BlockRequestRow
  requester: ManagedRequester
}

/**
 * Opens a room request by the token of an emailed link, or by its number for a signed-in admin. In both cases the person must still be an
 * admin of the group or company.
 */
export const withRoomRequestAccess =
  (web: WebServices, handler: (c: WebContext, open: ManagedRoomRequest) => Promise<Response>) =>
  async (c: WebContext): Promise<Response> => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const { token = '' } = c.req.param() as Record<string, string>
    const linked = await findRequestByLink(createPublicEventContext(web, site, web.services.database.write), token)
    const session = linked ? null : await findPersonSignInSession(web, c, site, 'groupAdmin')
    const email = linked?.email ?? session?.email
    const isNumber = /^(T-)?BR-\d+$/i.test(token)
    if (email === undefined)
      return isNumber
        ? c.redirect(`${site.paths.blockRequests}/sign-in?next=${encodeURIComponent(c.req.path)}`, 303)
        : showDeadLink(web, c, site)
    const person = await openPerson(web, site, email)
    const row =
      linked || isNumber
        ? await getBlockRequestRow(person.ctx, linked ? { requestId: linked.requestId } : { number: token }).catch(() => null)
        : null
    const requester = row && findRequesterOfBlockRequest(person.own, row)
    return row && requester ? handler(c, { ...person, row, requester }) : showDeadLink(web, c, site)
  }

function showDeadLink(web: WebServices, c: WebContext, site: EventSite) {
  const { say } = site.words
  return showEventPage(
    web,
    c,
    site,
    { title: say('blockRequest.dead'), status: 410, referrer: 'no-referrer' },
    <NarrowPage title={say('blockRequest.dead')} text={say('blockRequest.deadText')}>
      <LinkButton href={`${site.paths.blockRequests}/sign-in`} tone="primary">
        {say('signIn.heading')}
      </LinkButton>
    </NarrowPage>,
  )
}
