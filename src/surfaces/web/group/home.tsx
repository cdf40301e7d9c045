import { countSeatsLeft } from '../../../domains/groups/groups.ts'
import { listGroupInvites, listGroupMembers } from '../../../domains/groups/list.ts'
import { canManageMembers } from '../../../domains/groups/managers.ts'
import { AppError } from '../../../kernel/errors.ts'
import { formatLocalDate } from '../../../kernel/language/format.ts'
import { Form, LinkButton } from '../components/forms.tsx'
import { StatusLabel, Card, Notice, type ColourTone } from '../components/parts.tsx'
import { createEventRouter } from '../event/event-layout.tsx'
import { SignOutForm } from '../event/sign-out.tsx'
import { getCsrfToken, type WebServices, type WebContext } from '../web.ts'
import {
  GROUP_MANAGER_PATH,
  type ManagedGroup,
  findGroupClosedReason,
  withGroupManagerAccess,
  isGroupChangeable,
  listInvitableRoles,
  showGroupPage,
} from './group-access.tsx'
import { areRoomRequestsEnabled } from '../housing-request/access.tsx'
import { GroupJoinCodeCard } from './join-code.tsx'
import { GroupOrder, readGroupOrder } from './order.tsx'

type Members = Awaited<ReturnType<typeof listGroupMembers>>
type Invites = Awaited<ReturnType<typeof listGroupInvites>>

const MEMBERS_PER_PAGE = 50
const MAX_INVITES_SHOWN = 50

export const MEMBER_STATUS_COLOURS: Record<Members['items'][number]['status'], ColourTone> = {
  complete: 'success',
  waitlisted: 'warning',
  incomplete: 'warning',
  cancelled: 'danger',
}

const Roster = ({ at, members, first }: { at: ManagedGroup; members: Members; first: boolean }) => {
  const { say } = at.site.words
  return (
    <Card title={say('group.roster')}>
      {members.items.length === 0 ? (
        <p class="muted">{say('group.empty')}</p>
      ) : (
        <ul class="people">
          {members.items.map(({ participantId, name, email, status, leader }) => (
            <li>
              <a href={`${at.home}/members/${participantId}`}>
                <strong>{name || email}</strong>
                {name && email ? <span class="muted small">{email}</span> : null}
              </a>
              <span class="row">
                {leader ? <StatusLabel tone="accent">{say('group.leader')}</StatusLabel> : null}
                <StatusLabel tone={MEMBER_STATUS_COLOURS[status]}>{say(`status.${status}`)}</StatusLabel>
              </span>
            </li>
          ))}
        </ul>
      )}
      {members.nextCursor || !first ? (
        <nav class="row" aria-label={say('group.roster')}>
          {first ? null : (
            <a class="tap" href={at.home}>
              {say('group.first')}
            </a>
          )}
          {members.nextCursor ? (
            <a class="tap" href={`${at.home}?cursor=${encodeURIComponent(members.nextCursor)}`}>
              {say('group.next')}
            </a>
          ) : null}
        </nav>
      ) : null}
    </Card>
  )
}

const INVITE_TONES: Partial<Record<Invites[number]['status'], ColourTone>> = {
  accepted: 'success',
  bounced: 'danger',
  declined: 'danger',
  expired: 'warning',
  queued: 'accent',
  sent: 'accent',
}

const isOpen = ({ status }: Invites[number]) => status === 'queued' || status === 'sent' || status === 'expired'

const Invitations = ({ at, invites, csrf, decides }: { at: ManagedGroup; invites: Invites; csrf: string; decides: boolean }) => {
  const { say, locale } = at.site.words
  const list = (
    <ul class="people">
      {invites.slice(0, MAX_INVITES_SHOWN).map((invite) => (
        <li>
          <span>
            <strong>{invite.name ?? invite.email}</strong>
            <span class="muted small">
              {[
                ...(invite.name === null ? [] : [invite.email]),
                ...(invite.role === 'member' ? [] : [say(invite.role === 'leader' ? 'group.leader' : 'group.role.admin')]),
                ...(invite.status === 'sent' || invite.status === 'queued'
                  ? [say('group.until', { day: formatLocalDate(locale, new Date(invite.expiresAt), at.site.facts.timezone) })]
                  : []),
              ].join(' · ')}
            </span>
          </span>
          <span class="row">
            <StatusLabel {...(INVITE_TONES[invite.status] ? { tone: INVITE_TONES[invite.status]! } : {})}>
              {say(`group.invite.${invite.status}`)}
            </StatusLabel>
            {decides && isOpen(invite) && listInvitableRoles(at).some((role) => role === invite.role) ? (
              <>
                <button type="submit" class="button quiet small" name="resend" value={`${invite.role} ${invite.email}`}>
                  {say('group.resend')}
                  <span class="hidden"> {invite.email}</span>
                </button>
                <button type="submit" class="button quiet small" name="revoke" value={`${invite.role} ${invite.email}`}>
                  {say('group.revoke')}
                  <span class="hidden"> {invite.email}</span>
                </button>
              </>
            ) : null}
          </span>
        </li>
      ))}
    </ul>
  )
  return (
    <Card title={say('group.invitations')}>
      {decides ? (
        <Form action={`${at.home}/invites`} csrf={csrf}>
          {list}
        </Form>
      ) : (
        list
      )}
    </Card>
  )
}

/** `…/group/<code>`: the members and invitations of a group, and for its admins the order. */
export function groupHomePages(web: WebServices) {
  const read = async ({ ctx, group }: ManagedGroup, cursor: string | undefined) =>
    listGroupMembers(ctx, group.id, { limit: MEMBERS_PER_PAGE, cursor })

  const page = async (c: WebContext, at: ManagedGroup): Promise<Response> => {
    const { site, group, ctx, manager } = at
    const { say } = site.words
    const cursor = c.req.query('cursor') || undefined
    const members = await read(at, cursor).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'invalid_arguments') return null
      throw error
    })
    if (!members) return c.redirect(at.home, 303)
    const decides = canManageMembers(at)
    const invites = await listGroupInvites(ctx, group.id)
    const order = manager.as === 'admin' ? await readGroupOrder(ctx, group.id) : null
    const closed = findGroupClosedReason(at)
    const csrf = getCsrfToken(web, c)
    const full = countSeatsLeft(group) === 0
    return showGroupPage(
      web,
      c,
      at,
      { title: group.name, wide: true },
      <>
        <div class="row-between">
          <h1>{group.name}</h1>
          {group.status === 'closed' ? <StatusLabel>{say('group.closed')}</StatusLabel> : null}
        </div>
        <p class="lead">
          {group.max_members === null
            ? say('group.members', { count: group.member_count })
            : say('group.seats', { taken: group.member_count, seats: group.max_members })}
          {' · '}
          {say(group.pay_by === 'group' ? 'group.pays' : 'group.membersPay')}
        </p>
        {closed ? <Notice tone="warning">{closed}</Notice> : full ? <Notice tone="warning">{say('group.full')}</Notice> : null}
        {decides && !closed ? (
          <div class="actions first">
            {full ? null : (
              <LinkButton href={`${at.home}/add`} tone="primary">
                {say('group.add')}
              </LinkButton>
            )}
            <LinkButton href={`${at.home}/invite`}>{say('group.invite')}</LinkButton>
            {manager.as === 'admin' && areRoomRequestsEnabled(site) ? (
              <LinkButton href={`${site.paths.blockRequests}?for=g-${group.id}`}>{say('blockRequest.title')}</LinkButton>
            ) : null}
          </div>
        ) : null}
        <div class="mine-grid">
          <div>
            <Roster at={at} members={members} first={cursor === undefined} />
            {invites.length > 0 ? <Invitations at={at} invites={invites} csrf={csrf} decides={decides && isGroupChangeable(at)} /> : null}
          </div>
          <div>
            {manager.as === 'admin' ? <GroupOrder at={at} order={order} /> : null}
            <GroupJoinCodeCard at={at} csrf={csrf} />
          </div>
        </div>
        <div class="portal-foot small muted">
          {manager.as === 'admin' ? (
            <SignOutForm site={site} action={`${at.home}/sign-out`} csrf={csrf} email={manager.email} />
          ) : (
            <a href={site.paths.myRegistration}>{say('myRegistration.title')}</a>
          )}
        </div>
      </>,
    )
  }
  return createEventRouter(web).get(GROUP_MANAGER_PATH, withGroupManagerAccess(web, page))
}
