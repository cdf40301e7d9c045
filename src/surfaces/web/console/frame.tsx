import { Hono, type MiddlewareHandler } from 'hono'
import type { Child } from 'hono/jsx'
import type { AccountContext, ClientAccess, ClientContext } from '../../../kernel/context.ts'
import type { Db } from '../../../kernel/columns.ts'
import { AppError, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { keepChange } from '../../../kernel/keep-change.ts'
import { newContext } from '../../../kernel/new-context.ts'
import { type Permission, type Permissions, permissionsAnywhere, permissionsOf } from '../../../kernel/permissions.ts'
import type { BrowserSession } from '../../../domains/sign-in/sessions.ts'
import { reportFailure } from '../../http/report-failure.ts'
import { routePattern } from '../../http/route-pattern.ts'
import { Form } from '../components/forms.tsx'
import { document, FocusPage, type NavGroup, Shell } from '../components/layout.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { openedElsewhere } from '../opened-at.ts'
import { csrfFor, type FormValues, readForm, sessionOf, show, type Web, type WebContext, type WebEnv } from '../web.ts'
import { bannersFor } from './banners.tsx'

/** Lets only signed-in organizers through; others sign in first and come back. */
const signedIn =
  (web: Web): MiddlewareHandler<WebEnv> =>
  async (c, next) => {
    // The console is put together from parts that all ask; one answer serves the request.
    if (c.get('session')) return next()
    const session = await sessionOf(web, c)
    if (session && !session.totpPending) {
      c.set('session', session)
      return next()
    }
    const back = encodeURIComponent(c.req.method === 'GET' ? c.req.path + new URL(c.req.url).search : '/console')
    return c.redirect(session ? `/console/sign-in/totp?next=${back}` : `/console/sign-in?next=${back}`, 303)
  }

/** A part of the console: signed in, with one answer for every refusal. */
export function consolePages(web: Web) {
  const pages = new Hono<WebEnv>()
  pages.use('/console', signedIn(web)).use('/console/*', signedIn(web))
  pages.onError((error, c) => refusalPage(web, c, error))
  return pages
}

/** A refusal as a page: what is wrong, and where to go from here. */
export function refusalPage(web: Web, c: WebContext, error: Error) {
  const refusal = error instanceof AppError ? error : null
  const reference = refusal ? '' : reportFailure(web.road, { route: routePattern(c) }, error)
  const status = refusal?.code === 'forbidden' ? 403 : refusal?.code === 'not_found' ? 404 : refusal ? 400 : 500
  const title =
    status === 403 ? 'Not allowed' : status === 404 ? 'Not found' : status === 400 ? 'That did not work' : 'Something went wrong'
  const text = refusal?.message ?? `It was not your fault. If you tell us, give this number: ${reference}.`
  return show(
    c,
    document(
      title,
      <FocusPage foot={<a href="/console">Back to the console</a>}>
        <Card>
          <h1>{title}</h1>
          <p>{text}</p>
        </Card>
      </FocusPage>,
    ),
    status,
  )
}

/** An event as the navigation needs it. */
export interface EventPlace {
  base: string
  event: { name: string }
  permissions: Permissions
}

export interface FrameOptions {
  title: string
  /** The address of the navigation entry that this page belongs to. */
  current: string
  /** Settings entries of this client are shown. */
  client?: ClientAccess
  /** The pages of this event are shown. */
  event?: EventPlace
  status?: 200 | 400 | 429
}

/** Puts a page into the console's frame. */
export async function frame(web: Web, c: WebContext, options: FrameOptions, content: Child) {
  const session = c.get('session')
  const banners = await bannersFor(web, c)
  return show(
    c,
    document(
      options.title,
      <Shell
        nav={navigation(session, options)}
        who={
          <>
            <div>
              <bdi>{session.actor.name}</bdi>
            </div>
            <div>{session.email}</div>
            <Form action="/console/sign-out" csrf={csrfFor(web, c)}>
              <button type="submit" class="button quiet small">
                Sign out
              </button>
            </Form>
          </>
        }
      >
        {banners}
        {noticeOf(c)}
        {content}
      </Shell>,
    ),
    options.status ?? 200,
  )
}

function navigation(session: BrowserSession, { current, client, event }: FrameOptions): NavGroup[] {
  const anywhere = permissionsAnywhere(session.access)
  const item = (href: string, label: string) => ({ href, label, current: current === href })
  const groups: NavGroup[] = [
    {
      title: 'Work',
      items: [item('/console', 'Events'), item('/console/connect', 'Connect an assistant'), item('/console/mailbox', 'Mailbox')],
    },
  ]
  if (event) {
    const { base, permissions } = event
    groups.push({
      title: event.event.name,
      items: [
        item(base, 'Overview'),
        ...(permissions.has('events.read') ? [item(`${base}/draft`, 'Draft'), item(`${base}/versions`, 'Versions')] : []),
        ...(permissions.has('registration.read')
          ? [item(`${base}/participants`, 'Participants'), item(`${base}/products`, 'Products')]
          : []),
      ],
    })
  }
  const shown = client ?? firstWith(session, 'clients.read') ?? firstWith(session, 'events.read')
  if (shown) {
    const base = `/console/clients/${shown.code}`
    const permissions = permissionsOf(shown.roles)
    const items = [
      ...(permissions.has('events.read') ? [item(`${base}/memory`, 'Memory')] : []),
      ...(permissions.has('clients.read')
        ? [
            item(`${base}/settings`, 'Settings'),
            item(`${base}/users`, 'Users'),
            item(`${base}/accounts`, 'API accounts'),
            item(`${base}/webhooks`, 'Webhooks'),
          ]
        : []),
    ]
    if (items.length > 0) groups.push({ title: shown.name, items })
  }
  if (anywhere.has('clients.read')) groups.push({ title: 'Record', items: [item('/console/audit', 'Audit log')] })
  groups.push({
    title: 'You',
    items: [
      item('/console/account', 'Account security'),
      item('/console/account/apps', 'Connected apps'),
      item('/console/feedback', 'Feedback'),
    ],
  })
  return groups
}

const firstWith = (session: BrowserSession, permission: Permission) =>
  session.access.clients.find((one) => permissionsOf(one.roles).has(permission))

const NOTICES: Record<string, string> = {
  saved: 'Saved.',
  created: 'The event is created, as a draft in test mode.',
  resent: 'The confirmation is on its way again.',
  cancelled: 'The registration is cancelled.',
  substituted: 'This person now has the place.',
  published: 'Published. It is live now.',
  restored: 'The draft is as that version was. Nothing changed for visitors.',
  invited: 'Invited. The link is in the mail and works for 72 hours.',
  removed: 'Removed. Their connected apps are signed out.',
  disconnected: 'Disconnected. The app has no access any more.',
  revoked: 'Revoked. The token no longer works.',
  deleted: 'Deleted.',
  again: 'It is sent again, under the same id.',
  ended: 'All other sessions are signed out.',
  password: 'The password is changed. Your other browsers and connected apps are signed out.',
  'factor-off': 'The second factor is off. Signing in takes the password alone.',
  thanks: 'Thank you. It was noted.',
  'checklist-hidden': 'Hidden, for you alone. Banners still say what is urgent, and lanyard doctor checks everything.',
}

/** What the page before did. Only sentences of ours can be shown, whatever the address says. */
const noticeOf = (c: WebContext) => {
  const done = c.req.query('done') ?? ''
  const text = Object.hasOwn(NOTICES, done) ? NOTICES[done] : null
  return text ? <Notice tone="success">{text}</Notice> : null
}

/** The organizer's client of that code; assistants being off does not matter here. */
export function clientOf(session: BrowserSession, code: string | undefined): ClientAccess {
  const client = session.access.clients.find((one) => one.code === code)
  if (!client) throw notFound(`No client ${code ?? ''} among yours`)
  return client
}

export function demand(client: ClientAccess, permission: Permission): void {
  demandAt(client.name, permissionsOf(client.roles), permission)
}

/** The same where roles at an event count too. */
export function demandAt(place: string, permissions: Permissions, permission: Permission): void {
  if (!permissions.has(permission))
    throw new AppError('forbidden', `This page needs the ${permission} permission at ${place}. A client administrator can give it.`)
}

/** In the console it does not matter whether a client lets assistants in. */
export const whateverAssistants = (session: BrowserSession): BrowserSession => ({
  ...session,
  access: { ...session.access, clients: session.access.clients.map((client) => ({ ...client, aiAssistantsAllowed: true })) },
})

export const notOurForm = (web: Web, c: WebContext): AppError =>
  preconditionFailed(
    openedElsewhere(web, c) ?? 'This form is too old or did not come from this site. Go back, reload the page and send it again.',
  )

/** The form of this request, from our own page and not too old. */
export async function formOf(web: Web, c: WebContext): Promise<FormValues> {
  const form = await readForm(web, c)
  if (!form) throw notOurForm(web, c)
  return form
}

/** Runs a change as the signed-in organizer, under the console's name. */
export function changeAt<T>(
  web: Web,
  session: BrowserSession,
  at: { client: ClientAccess; action: string; eventId?: string | null },
  run: (ctx: ClientContext) => Promise<T>,
): Promise<T> {
  const { client, action, eventId } = at
  const permissions = permissionsOf(client.roles)
  const contextOn = (db: Db): ClientContext => ({ ...contextOf(web, session, db), client, permissions })
  return keepChange(web.road.database, { name: action, clientId: client.id, eventId }, contextOn, run)
}

/** The same for what belongs to the person and no client. */
export function changeOwn<T>(web: Web, session: BrowserSession, action: string, run: (ctx: AccountContext) => Promise<T>): Promise<T> {
  return keepChange(web.road.database, { name: action }, (db) => contextOf(web, session, db), run)
}

export const contextOf = (web: Web, session: BrowserSession, db: Db): AccountContext => ({
  ...newContext(web.road, { ...session, cursorScope: `${session.userId}|console` }, db),
  access: session.access,
})
