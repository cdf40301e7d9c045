import { Hono, type MiddlewareHandler } from 'hono'
import type { AccountContext, ClientAccess, ClientContext } from '../../../kernel/context.ts'
import type { Db } from '../../../kernel/columns.ts'
import { AppError, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { commitChange } from '../../../kernel/commit-change.ts'
import { newContext } from '../../../kernel/new-context.ts'
import { type Permission, type Permissions, permissionsOf } from '../../../kernel/permissions.ts'
import type { BrowserSession } from '../../../domains/sign-in/sessions.ts'
import { listMyEvents } from '../../../domains/tenancy/my-events.ts'
import { reportFailure } from '../../http/report-failure.ts'
import { getRoutePattern } from '../../http/route-pattern.ts'
import { FormActions, Form, LinkButton } from '../components/forms.tsx'
import { renderHtmlDocument, ConsoleLayout } from '../components/layout.tsx'
import { renderCenteredCardPage, type RenderedPage } from '../components/page.tsx'
import { Notice, TimeZoneContext } from '../components/parts.tsx'
import { explainOriginMismatch } from '../address-mismatch.ts'
import {
  getCsrfToken,
  type FormValues,
  readSameOriginForm,
  readSignInSession,
  sendPage,
  type WebServices,
  type WebContext,
  type WebEnv,
} from '../web.ts'
import { buildBanners } from './banners.tsx'
import { EventSearch, EventSwitcher, MAX_SWITCHER_EVENTS } from './event-switch.tsx'
import { listNavigation, type NavigationPosition } from './navigation.ts'

/** Redirects users who are not signed in to the sign-in page, which leads back to the requested page. */
const requireSession =
  (web: WebServices): MiddlewareHandler<WebEnv> =>
  async (c, next) => {
    // Every group of console routes runs this middleware, but the sign-in session is read only once per request.
    if (c.get('session')) return next()
    const session = await readSignInSession(web, c)
    if (session && !session.totpPending) {
      c.set('session', session)
      return next()
    }
    const back = encodeURIComponent(c.req.method === 'GET' ? c.req.path + new URL(c.req.url).search : '/console')
    return c.redirect(session ? `/console/sign-in/totp?next=${back}` : `/console/sign-in?next=${back}`, 303)
  }

/** A group of console routes that requires a signed-in user and renders all errors the same way. */
export function createConsoleRouter(web: WebServices) {
  const pages = new Hono<WebEnv>()
  pages.use('/console', requireSession(web)).use('/console/*', requireSession(web))
  pages.onError((error, c) => sendConsoleError(web, c, error))
  return pages
}

/** An error page with a way back to the console. */
export function sendConsoleError(web: WebServices, c: WebContext, error: Error) {
  const refusal = error instanceof AppError ? error : null
  const reference = refusal ? '' : reportFailure(web.services, { route: getRoutePattern(c) }, error)
  const status =
    refusal?.code === 'forbidden' ? 403 : refusal?.code === 'not_found' ? 404 : refusal && refusal.code !== 'internal' ? 400 : 500
  const title =
    status === 403 ? 'Not allowed' : status === 404 ? 'Page not found' : status === 400 ? 'Something is wrong' : 'Something went wrong'
  const text = refusal?.message ?? `This is a problem on our side. If you report it, include this number: ${reference}.`
  return sendPage(
    c,
    renderHtmlDocument(
      title,
      renderCenteredCardPage(
        { title, text },
        <FormActions>
          <LinkButton href="/console" tone="primary">
            Back to the console
          </LinkButton>
        </FormActions>,
      ).content,
    ),
    status,
  )
}

/** Renders a page in the console layout. */
export async function sendConsolePage(
  web: WebServices,
  c: WebContext,
  place: NavigationPosition,
  page: Omit<RenderedPage, 'status'> & { status: 200 | 400 | 429 },
) {
  const session = c.get('session')
  const zone = place.event?.event.timezone ?? 'UTC'
  const [banners, events] = await Promise.all([buildBanners(web, c), place.event ? listSwitchEvents(web, session) : []])
  return sendPage(
    c,
    renderHtmlDocument(
      page.title,
      <ConsoleLayout
        nav={listNavigation(session, place)}
        lead={
          place.event ? (
            <>
              <EventSwitcher event={place.event} client={place.client} events={events} />
              <EventSearch event={place.event} />
            </>
          ) : null
        }
        event={place.event && { href: place.event.base, name: place.event.event.name }}
        who={
          <>
            <div>
              <bdi>{session.actor.name}</bdi>
            </div>
            <div>{session.email}</div>
            <Form action="/console/sign-out" csrf={getCsrfToken(web, c)}>
              <button type="submit" class="button quiet small">
                Sign out
              </button>
            </Form>
          </>
        }
      >
        {banners}
        {noticeFor(c)}
        <TimeZoneContext.Provider value={zone}>{page.content}</TimeZoneContext.Provider>
        <p class="zone">Times are in {zone}.</p>
      </ConsoleLayout>,
    ),
    page.status,
  )
}

async function listSwitchEvents(web: WebServices, session: BrowserSession) {
  const ctx = createAccountContext(web, ignoreAiAssistantRestrictions(session), web.services.database.read)
  return (await listMyEvents(ctx, { status: ['draft', 'published'], limit: MAX_SWITCHER_EVENTS })).events
}

const NOTICES: Record<string, string> = {
  'run-started': 'The file is being created. It appears under Files and stays for 7 days.',
  'run-cancelled': 'Cancelled. Nothing of the file is left.',
  saved: 'Saved.',
  created: 'Event created as a draft in test mode.',
  resent: 'Confirmation sent again.',
  cancelled: 'Registration cancelled.',
  'written-off': 'Written off. If the payer pays later, the write-off is reversed by that amount.',
  substituted: 'Registration transferred to this participant.',
  published: 'Published. Your changes are live.',
  'plan-published': 'Floor plan published. Exhibitors and visitors see it as it is now.',
  informed: 'Emails sent. The authors know the decisions now.',
  'session-added': 'Session added.',
  'plan-copied': 'Floor plan copied. The copy is a draft.',
  restored: 'Draft restored. The live version has not changed.',
  invited: 'Invitation sent. The link is valid for 72 hours.',
  invitations: 'Invitations sent.',
  removed: 'User removed. Their connected apps are signed out.',
  disconnected: 'App disconnected. It no longer has access.',
  revoked: 'Token revoked. It no longer works.',
  deleted: 'Deleted.',
  again: 'Delivery sent again with the same id.',
  ended: 'All other sessions are signed out.',
  password: 'Password changed. Your other browsers and connected apps are signed out.',
  'factor-off': 'Second factor turned off. You now sign in with your password only.',
  thanks: 'Thank you. We have received your feedback.',
  'checklist-hidden': 'Checklist hidden for you. Banners still show urgent problems, and lanyard doctor checks everything.',
}

/**
 * The notice about the result of the previous page. The query contains only the key of a predefined text, so a link cannot inject any
 * text.
 */
const noticeFor = (c: WebContext) => {
  const done = c.req.query('done') ?? ''
  const text = Object.hasOwn(NOTICES, done) ? NOTICES[done] : null
  return text ? <Notice tone="success">{text}</Notice> : null
}

/** Returns the user's client with this code, even if assistants are disabled for it. */
export function getClientOfUser(session: BrowserSession, code: string | undefined): ClientAccess {
  const client = session.access.clients.find((one) => one.code === code)
  if (!client) throw notFound(`There is no client ${code ?? ''}, or you have no access to it.`)
  return client
}

export function requireClientPermission(client: ClientAccess, permission: Permission): void {
  requirePermission(client.name, permissionsOf(client.roles), permission)
}

/** Throws if the user's permissions, which can include roles at an event, lack the required one. */
export function requirePermission(place: string, permissions: Permissions, permission: Permission): void {
  if (!permissions.has(permission))
    throw new AppError('forbidden', `This page needs the ${permission} permission at ${place}. Ask a client administrator for access.`)
}

/** Returns the user's access as if all clients allowed assistants, because that setting does not apply to the console. */
export const ignoreAiAssistantRestrictions = (session: BrowserSession): BrowserSession => ({
  ...session,
  access: { ...session.access, clients: session.access.clients.map((client) => ({ ...client, aiAssistantsAllowed: true })) },
})

export const createInvalidFormError = (web: WebServices, c: WebContext): AppError =>
  preconditionFailed(
    explainOriginMismatch(web, c) ?? 'This form has expired or did not come from this site. Go back, reload the page and try again.',
  )

/** Returns the submitted form. Throws if it has expired or came from another site. */
export async function requireConsoleForm(web: WebServices, c: WebContext): Promise<FormValues> {
  const form = await readSameOriginForm(web, c)
  if (!form) throw createInvalidFormError(web, c)
  return form
}

/** Runs a change as the signed-in organizer and records it in the audit log. */
export function runClientChange<T>(
  web: WebServices,
  session: BrowserSession,
  at: { client: ClientAccess; action: string; eventId?: string | null },
  run: (ctx: ClientContext) => Promise<T>,
): Promise<T> {
  const { client, action, eventId } = at
  const permissions = permissionsOf(client.roles)
  const contextOn = (db: Db): ClientContext => ({ ...createAccountContext(web, session, db), client, permissions })
  return commitChange(web.services.database, { name: action, clientId: client.id, eventId }, contextOn, run)
}

/** Runs a change to the user's own account and records it in the audit log. */
export function runOwnAccountChange<T>(
  web: WebServices,
  session: BrowserSession,
  action: string,
  run: (ctx: AccountContext) => Promise<T>,
): Promise<T> {
  return commitChange(web.services.database, { name: action }, (db) => createAccountContext(web, session, db), run)
}

export const createAccountContext = (web: WebServices, session: BrowserSession, db: Db): AccountContext => ({
  ...newContext(web.services, { ...session, cursorScope: `${session.userId}|console` }, db),
  access: session.access,
})
