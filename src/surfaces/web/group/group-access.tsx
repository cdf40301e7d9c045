import type { Child } from 'hono/jsx'
import { recordAdminSignIn } from '../../../domains/groups/admins.ts'
import { buildGroupPageUrls } from '../../../domains/groups/links.ts'
import { findManagedGroup, type GroupAccess } from '../../../domains/groups/managers.ts'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import type { Actor } from '../../../kernel/context.ts'
import { LinkButton } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { BackLink, NarrowPage, showEventPage } from '../event/event-layout.tsx'
import { toSignedInVisitorActor, findPersonSignInSession } from '../event/person.ts'
import {
  PUBLIC_EVENT_PATH,
  runChangeFromEventPage,
  createPublicEventContext,
  type EventSite,
  findEventSite,
  previewChangeFromEventPage,
} from '../event/event-site.ts'
import type { SignInArea } from '../event/sign-in.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import { type FormValues, readSameOriginForm, type WebServices, type WebContext } from '../web.ts'

export const GROUP_MANAGER_PATH = `${PUBLIC_EVENT_PATH}/group/:code`

export const buildGroupPaths = (site: EventSite, code: string) => buildGroupPageUrls({ ...site, baseUrl: '' }, code)

/**
 * The sign-in area of group admins, who sign in with an emailed code for this group. Group leaders use the sign-in session of their own
 * registration.
 */
export const GROUP_ADMIN_SIGN_IN_AREA: SignInArea = {
  route: GROUP_MANAGER_PATH,
  purpose: 'groupAdmin',
  kind: 'groupAdmin',
  home: (c, site) => buildGroupPaths(site, c.req.param('code') ?? '').home,
  text: 'signIn.groupText',
  aside: (c, site) => {
    const next = encodeURIComponent(buildGroupPaths(site, c.req.param('code') ?? '').home)
    return (
      <p class="small muted">
        {site.words.say('group.leaderAside')} <a href={`${site.paths.signIn}?next=${next}`}>{site.words.say('group.leaderSignIn')}</a>
      </p>
    )
  },
  opened: async (ctx, email) => void (await recordAdminSignIn(ctx, email)),
}

/** A group and its signed-in manager. */
export interface ManagedGroup extends GroupAccess {
  site: EventSite
  actor: Actor
  /** Read-only context with the manager as actor. */
  ctx: RegistrationContext
  /** Path of the group's home page. */
  home: string
}

type Handler<R> = (c: WebContext, at: ManagedGroup) => Promise<R> | R

/** Admits managers of the group and redirects all other visitors to sign in. The check reads the database on every request. */
export const withGroupManagerAccess =
  <R extends Response>(web: WebServices, handler: Handler<R>) =>
  async (c: WebContext): Promise<Response> => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const code = c.req.param('code') ?? ''
    const [admin, person] = [await findPersonSignInSession(web, c, site, 'groupAdmin'), await findPersonSignInSession(web, c, site)]
    const proofs = { adminEmail: admin?.email ?? null, participantIds: person?.participantIds ?? [] }
    const managed = await findManagedGroup(createPublicEventContext(web, site), code, proofs)
    const { home } = buildGroupPaths(site, code)
    if (!managed) return admin ? showGroupNotFound(web, c, site, { email: admin.email, home }) : c.redirect(`${home}/sign-in`, 303)
    const { manager } = managed
    const actor =
      manager.as === 'admin'
        ? { ...toSignedInVisitorActor(site, manager.email), name: manager.name }
        : toSignedInVisitorActor(site, person!.email)
    return handler(c, { ...managed, site, actor, home, ctx: createPublicEventContext(web, site, web.services.database.read, actor) })
  }

/** Like `withGroupManagerAccess`, for POST requests. A form with an invalid CSRF token, or of an archived event, redirects to the group. */
export const handleGroupManagerPost = <R extends Response>(
  web: WebServices,
  handler: (c: WebContext, at: ManagedGroup, form: FormValues) => Promise<R>,
) =>
  withGroupManagerAccess(web, async (c, at): Promise<Response> => {
    const form = await readSameOriginForm(web, c)
    return form && isGroupChangeable(at) ? handler(c, at, form) : c.redirect(at.home, 303)
  })

export const isGroupChangeable = ({ site }: Pick<ManagedGroup, 'site'>) => site.event.status !== 'archived'

/** Responds in the same way for an unknown group and for a group of another manager, so that it reveals no group. */
function showGroupNotFound(web: WebServices, c: WebContext, site: EventSite, { email, home }: { email: string; home: string }) {
  const { say } = site.words
  return showEventPage(
    web,
    c,
    site,
    { title: say('group.notFound'), status: 404 },
    <NarrowPage title={say('group.notFound')}>
      <p>{say('group.notFoundText', { email, event: site.config.details.name })}</p>
      <LinkButton href={`${home}/sign-in?email=`}>{say('group.otherEmail')}</LinkButton>
    </NarrowPage>,
  )
}

export const runGroupChange = <T,>(
  web: WebServices,
  { site, actor }: ManagedGroup,
  action: string,
  run: (ctx: RegistrationContext) => Promise<T>,
): Promise<T> => runChangeFromEventPage(web, site, { action, actor }, run)

export const previewGroupChange = <T,>(
  web: WebServices,
  { site, actor }: ManagedGroup,
  action: string,
  run: (ctx: RegistrationContext) => Promise<T>,
): Promise<T> => previewChangeFromEventPage(web, site, { action, actor }, run)

/** Renders a page of the group, with a link to the group's home page. */
export function showGroupPage(
  web: WebServices,
  c: WebContext,
  { site, home, group }: Pick<ManagedGroup, 'site' | 'home' | 'group'>,
  { title, status, wide = false }: { title: string; status?: 200 | 400 | 429; wide?: boolean },
  body: Child,
) {
  return showEventPage(
    web,
    c,
    site,
    { title, ...(status ? { status } : {}) },
    <div class={wide ? 'mine' : 'mine narrow'}>
      {wide ? null : <BackLink href={home}>{group.name}</BackLink>}
      {noticesOf(c, site).map((notice) => (
        <Notice tone="success">{notice}</Notice>
      ))}
      {body}
    </div>,
  )
}

const NOTICE_KEYS = {
  added: 'group.addedNotice',
  saved: 'group.savedNotice',
  out: 'group.removedNotice',
  cancelled: 'group.cancelledNotice',
  revoked: 'group.revokedNotice',
  code: 'group.newJoinCodeNotice',
} as const

/** Notices about the previous action. Only predefined texts and numbers are shown, because the query string is user input. */
function noticesOf(c: WebContext, { words: { say } }: EventSite): string[] {
  const done = c.req.query('done') ?? ''
  const count = (name: string) => Math.min(999, Number(/^\d{1,3}$/.exec(c.req.query(name) ?? '')?.[0] ?? 0))
  if (done === 'invited')
    return [
      say('group.invitedNotice', { count: count('sent') }),
      ...(count('skipped') > 0 ? [say('group.skippedNotice', { count: count('skipped') })] : []),
    ]
  return Object.hasOwn(NOTICE_KEYS, done) ? [say(NOTICE_KEYS[done as keyof typeof NOTICE_KEYS])] : []
}

/** Returns why members cannot be added or invited now; null if they can. */
export function findGroupClosedReason({ site, group }: Pick<ManagedGroup, 'site' | 'group'>): string | null {
  const { say } = site.words
  if (!isGroupChangeable({ site })) return say('group.ended')
  if (group.status === 'closed') return say('group.closedText')
  return group.is_test_data === site.facts.testMode ? null : say('group.testModeDiffers')
}

/** Lists the roles that a manager can invite to. Only the organizer appoints admins, who receive the invoices. Admins appoint leaders. */
export const listInvitableRoles = ({ manager }: GroupAccess): readonly ('member' | 'leader')[] =>
  manager.as === 'admin' ? ['member', 'leader'] : ['member']
