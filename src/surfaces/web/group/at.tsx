import type { Child } from 'hono/jsx'
import { noteAdminSignIn } from '../../../domains/groups/admins.ts'
import { groupPages } from '../../../domains/groups/links.ts'
import { findManaged, type Managed } from '../../../domains/groups/managed-by.ts'
import type { AtEvent } from '../../../domains/registration/scene.ts'
import type { Actor } from '../../../kernel/context.ts'
import { LinkButton } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { Narrow, showAt } from '../event/frame.tsx'
import { actingAs, personAt } from '../event/person.ts'
import { AT_EVENT, changeHere, contextAt, type Place, placeOf, previewHere } from '../event/place.ts'
import type { Door } from '../event/sign-in.tsx'
import { showMissing } from '../lost.tsx'
import { type FormValues, readForm, type Web, type WebContext } from '../web.ts'

export const AT_GROUP = `${AT_EVENT}/group/:code`

export const pathsOf = (place: Place, code: string) => groupPages({ ...place, baseUrl: '' }, code)

/** Admins prove with a code of their own who they are; leaders have done so with their registration. */
export const GROUP_DOOR: Door = {
  route: AT_GROUP,
  purpose: 'groupAdmin',
  kind: 'groupAdmin',
  home: (c, place) => pathsOf(place, c.req.param('code') ?? '').home,
  text: 'signIn.groupText',
  aside: (c, place) => {
    const next = encodeURIComponent(pathsOf(place, c.req.param('code') ?? '').home)
    return (
      <p class="small muted">
        {place.words.say('group.leaderAside')} <a href={`${place.paths.signIn}?next=${next}`}>{place.words.say('group.leaderSignIn')}</a>
      </p>
    )
  },
  opened: async (ctx, email) => void (await noteAdminSignIn(ctx, email)),
}

/** Somebody on the pages of a group that they look after. */
export interface AtGroup extends Managed {
  place: Place
  actor: Actor
  /** For reading, in their name. */
  ctx: AtEvent
  /** Where the group's pages are. */
  home: string
}

type Handler<R> = (c: WebContext, at: AtGroup) => Promise<R> | R

/** Lets people through to a group that they look after, as the database stands at this moment, and to no other. */
export const forManager =
  <R extends Response>(web: Web, handler: Handler<R>) =>
  async (c: WebContext): Promise<Response> => {
    const place = await placeOf(web, c)
    if (!place) return showMissing(web, c)
    const code = c.req.param('code') ?? ''
    const [admin, person] = [await personAt(web, c, place, 'groupAdmin'), await personAt(web, c, place)]
    const proofs = { adminEmail: admin?.email ?? null, participantIds: person?.participantIds ?? [] }
    const managed = await findManaged(contextAt(web, place), code, proofs)
    const { home } = pathsOf(place, code)
    if (!managed) return admin ? showNotTheirs(web, c, place, { email: admin.email, home }) : c.redirect(`${home}/sign-in`, 303)
    const { manager } = managed
    const actor = manager.as === 'admin' ? { ...actingAs(place, manager.email), name: manager.name } : actingAs(place, person!.email)
    return handler(c, { ...managed, place, actor, home, ctx: contextAt(web, place, web.road.database.read, actor) })
  }

/** The same for what a form asks to be done. A form that is not ours, and any once the event is over, leads back to the group. */
export const whenManagerSends = <R extends Response>(web: Web, handler: (c: WebContext, at: AtGroup, form: FormValues) => Promise<R>) =>
  forManager(web, async (c, at): Promise<Response> => {
    const form = await readForm(web, c)
    return form && isChangeable(at) ? handler(c, at, form) : c.redirect(at.home, 303)
  })

export const isChangeable = ({ place }: Pick<AtGroup, 'place'>) => place.event.status !== 'archived'

/** The same for a group that is another's and for one that never was. */
function showNotTheirs(web: Web, c: WebContext, place: Place, { email, home }: { email: string; home: string }) {
  const { say } = place.words
  return showAt(
    web,
    c,
    place,
    { title: say('group.notYours'), status: 404 },
    <Narrow title={say('group.notYours')}>
      <p>{say('group.notYoursText', { email, event: place.config.details.name })}</p>
      <LinkButton href={`${home}/sign-in?email=`}>{say('group.otherEmail')}</LinkButton>
    </Narrow>,
  )
}

export const changeGroup = <T,>(web: Web, { place, actor }: AtGroup, action: string, run: (ctx: AtEvent) => Promise<T>): Promise<T> =>
  changeHere(web, place, { action, actor }, run)

export const previewGroup = <T,>(web: Web, { place, actor }: AtGroup, action: string, run: (ctx: AtEvent) => Promise<T>): Promise<T> =>
  previewHere(web, place, { action, actor }, run)

/** A page of a group, with the way back to it. */
export function showGroup(
  web: Web,
  c: WebContext,
  { place, home, group }: Pick<AtGroup, 'place' | 'home' | 'group'>,
  { title, status, wide = false }: { title: string; status?: 200 | 400 | 429; wide?: boolean },
  body: Child,
) {
  return showAt(
    web,
    c,
    place,
    { title, ...(status ? { status } : {}) },
    <div class={wide ? 'mine' : 'mine narrow'}>
      {wide ? null : (
        <a class="tap" href={home}>
          ← {group.name}
        </a>
      )}
      {noticesOf(c, place).map((notice) => (
        <Notice tone="success">{notice}</Notice>
      ))}
      {body}
    </div>,
  )
}

const DONE = {
  added: 'group.addedNow',
  begun: 'group.begunNow',
  saved: 'group.savedNow',
  out: 'group.outNow',
  cancelled: 'group.cancelNow',
  revoked: 'group.revokedNow',
} as const

/** What the page before did. Only sentences and figures of ours can be shown, whatever the address says. */
function noticesOf(c: WebContext, { words: { say } }: Place): string[] {
  const done = c.req.query('done') ?? ''
  const count = (name: string) => Math.min(999, Number(/^\d{1,3}$/.exec(c.req.query(name) ?? '')?.[0] ?? 0))
  if (done === 'invited')
    return [
      say('group.invitedNow', { count: count('sent') }),
      ...(count('skipped') > 0 ? [say('group.skippedNow', { count: count('skipped') })] : []),
    ]
  return Object.hasOwn(DONE, done) ? [say(DONE[done as keyof typeof DONE])] : []
}

/** Why nobody can be added or asked now; null while they can. */
export function closedInWords({ place, group }: Pick<AtGroup, 'place' | 'group'>): string | null {
  const { say } = place.words
  if (!isChangeable({ place })) return say('group.ended')
  if (group.status === 'closed') return say('group.closedText')
  return group.is_test_data === place.facts.testMode ? null : say('group.otherKind')
}

/** Who gets the group's invoices is for the organizer to say; who leads it, for its admins. */
export const rolesToInvite = ({ manager }: Managed): readonly ('member' | 'leader')[] =>
  manager.as === 'admin' ? ['member', 'leader'] : ['member']
