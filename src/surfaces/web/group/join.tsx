import {
  acceptInvite,
  declineInvite,
  findGroupInvite,
  type GroupInvite,
  listRegistrationsByEmail,
} from '../../../domains/groups/accept-invite.ts'
import { recordAdminSignIn } from '../../../domains/groups/admins.ts'
import { findRegistrationProgress } from '../../../domains/checkout/progress.ts'
import { getGroup, type GroupRow, countSeatsLeft } from '../../../domains/groups/groups.ts'
import { isFlowOpen } from '../../../domains/configuration/flow/collected-answers.ts'
import { createPersonSession } from '../../../domains/codes/person-sessions.ts'
import { formatParticipantName, type ParticipantRow } from '../../../domains/registration/participant-shape.ts'
import { AppError } from '../../../kernel/errors.ts'
import { RadioGroup } from '../components/choices.tsx'
import { Form, LinkButton } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { createEventRouter, NarrowPage, showEventPage } from '../event/event-layout.tsx'
import { toSignedInVisitorActor, signInToRegistration, setPersonSessionCookie } from '../event/person.ts'
import { runChangeFromEventPage, createPublicEventContext, type EventSite, findEventSite } from '../event/event-site.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import { getCsrfToken, type FormValues, readSameOriginForm, type WebServices, type WebContext } from '../web.ts'
import { signInAndPrefillRegistration } from '../register/open-registration.ts'
import { GROUP_MANAGER_PATH, buildGroupPaths } from './group-access.tsx'

const PATH = `${GROUP_MANAGER_PATH}/join/:token`

interface OpenInvitation {
  site: EventSite
  token: string
  invite: GroupInvite
  group: GroupRow
  /** The registrations that have the invited email address. */
  own: readonly ParticipantRow[]
}

const NEW_PARTICIPANT = 'new'

const InvitationTerms = ({ invited: { site, invite, group } }: { invited: OpenInvitation }) => {
  const { say } = site.words
  const flow = site.config.flows.find(({ slug }) => slug === group.flow_slug)
  const points =
    invite.role === 'admin'
      ? [say('join.meansAdmin')]
      : [
          say('join.meansSeat', { flow: flow?.name ?? group.name }),
          say(group.pay_by === 'group' ? 'join.meansPays' : 'join.meansOwn'),
          say('join.meansSeen'),
          ...(invite.role === 'leader' ? [say('join.meansLeader')] : []),
        ]
  return (
    <Card title={say('join.means')}>
      <ul class="points">
        {points.map((point) => (
          <li>{point}</li>
        ))}
      </ul>
    </Card>
  )
}

/** A choice between the registrations with an email address: several people may share one, so the visitor chooses who joins. */
const ParticipantChoice = ({ invited: { site, group, own, invite } }: { invited: OpenInvitation }) => {
  const { say } = site.words
  if (invite.role === 'admin' || own.some(({ group_id }) => group_id === group.id)) return null
  const free = own.filter(({ group_id }) => group_id === null)
  const others = own.filter(({ group_id }) => group_id !== null)
  return (
    <>
      {others.map((row) => (
        <Notice tone="warning">{say('join.inOther', { name: formatParticipantName(row) || invite.email })}</Notice>
      ))}
      {free.length > 0 ? (
        <div class="options-plain">
          <RadioGroup
            name="who"
            legend={say('join.which')}
            value={free[0]!.id}
            options={[
              ...free.map((row) => ({
                value: row.id,
                label: `${formatParticipantName(row) || invite.email} · ${say(`status.${row.status}`)}`,
              })),
              ...(isFormOpen(site, group) ? [{ value: NEW_PARTICIPANT, label: say('join.newPerson') }] : []),
            ]}
          />
        </div>
      ) : null}
    </>
  )
}

/**
 * `…/group/<code>/join/<token>`: explains the invitation, then accepts or declines it. GET changes nothing, because mail scanners open
 * every link.
 */
export function groupJoinPages(web: WebServices) {
  const showOver = (c: WebContext, site: EventSite, text: 'join.invalidText' | 'join.expiredText') => {
    const { say } = site.words
    return showEventPage(
      web,
      c,
      site,
      { title: say('join.invalid'), status: 410, referrer: 'no-referrer' },
      <NarrowPage title={say('join.invalid')}>
        <p>{say(text)}</p>
        <LinkButton href={site.paths.signIn}>{say('join.signIn')}</LinkButton>
      </NarrowPage>,
    )
  }

  const invitedBy = (handle: (c: WebContext, invited: OpenInvitation) => Promise<Response>) => async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    if (site.event.status === 'archived') return c.redirect(site.paths.home, 303)
    const { code = '', token = '' } = c.req.param() as Record<string, string>
    const ctx = createPublicEventContext(web, site, web.services.database.write)
    try {
      const invite = await findGroupInvite(ctx, token)
      const group = await getGroup(ctx, invite.groupId)
      if (group.code !== code.toLowerCase()) return await showOver(c, site, 'join.invalidText')
      return await handle(c, { site, token, invite, group, own: await listRegistrationsByEmail(ctx, invite.email) })
    } catch (error) {
      // The invitation was used, withdrawn or expired meanwhile, possibly by a concurrent request with the same link.
      if (error instanceof AppError && error.code === 'not_found') return showOver(c, site, 'join.invalidText')
      if (error instanceof AppError && error.code === 'precondition_failed') return showOver(c, site, 'join.expiredText')
      throw error
    }
  }

  const show = invitedBy((c, invited) => {
    const { site, token, group, invite } = invited
    const { say } = site.words
    const names = { group: group.name, event: site.config.details.name }
    const refusal = joinObstacle(invited)
    return showEventPage(
      web,
      c,
      site,
      { title: say('join.title', { group: group.name }), referrer: 'no-referrer' },
      <div class="checkout narrow">
        <h1>{say('join.title', { group: group.name })}</h1>
        <p class="lead">{say(invite.role === 'admin' ? 'join.leadAdmin' : 'join.lead', names)}</p>
        <InvitationTerms invited={invited} />
        {refusal ? (
          <Notice tone="warning">
            <strong>{say(refusal)}</strong>
            <p>{say('join.retryText')}</p>
          </Notice>
        ) : (
          <Form action={buildGroupPaths(site, group.code).joinWith(token)} csrf={getCsrfToken(web, c)} class="stack">
            <ParticipantChoice invited={invited} />
            <div class="actions">
              <button type="submit" class="button primary large" name="do" value="accept">
                {say('join.accept')}
              </button>
              <button type="submit" class="button large" name="do" value="decline">
                {say('join.decline')}
              </button>
            </div>
          </Form>
        )}
      </div>,
    )
  })

  const answer = invitedBy(async (c, invited) => {
    const { site, token, group } = invited
    const form = await readSameOriginForm(web, c)
    const back = buildGroupPaths(site, group.code).joinWith(token)
    if (!form) return c.redirect(back, 303)
    if (form['do'] === 'decline') return decline(c, invited)
    if (joinObstacle(invited)) return c.redirect(back, 303)
    return accept(c, invited, form).catch((error: unknown) => {
      // The group was filled or closed since the page was shown. The page shows the reason.
      if (error instanceof AppError && error.code !== 'not_found') return c.redirect(back, 303)
      throw error
    })
  })

  const decline = async (c: WebContext, { site, token, invite }: OpenInvitation): Promise<Response> => {
    const { say } = site.words
    await runChangeFromEventPage(web, site, { action: 'decline_group_invite', actor: toSignedInVisitorActor(site, invite.email) }, (ctx) =>
      declineInvite(ctx, token),
    )
    return showEventPage(
      web,
      c,
      site,
      { title: say('join.declined'), referrer: 'no-referrer' },
      <NarrowPage title={say('join.declined')}>
        <p>{say('join.declinedText')}</p>
        <LinkButton href={site.paths.home}>{say('register.toEvent')}</LinkButton>
      </NarrowPage>,
    )
  }

  const accept = async (c: WebContext, { site, token, invite, own }: OpenInvitation, form: FormValues): Promise<Response> => {
    const chosen = own.find(({ id }) => id === form['who'])
    const locale = site.words.locale
    const { participant, group, email, session } = await runChangeFromEventPage(
      web,
      site,
      { action: 'accept_group_invite', actor: toSignedInVisitorActor(site, invite.email) },
      async (ctx) => {
        const accepted = await acceptInvite(ctx, token, { locale, participantId: chosen?.id })
        if (accepted.role !== 'admin') return { ...accepted, session: null }
        await recordAdminSignIn(ctx, accepted.email)
        const opening = { tenantId: ctx.tenantId, eventId: ctx.event.id, email: accepted.email, kind: 'groupAdmin' as const }
        return { ...accepted, session: await createPersonSession(ctx.db, opening) }
      },
    )
    if (session) {
      setPersonSessionCookie(web, c, session, 'groupAdmin')
      return c.redirect(buildGroupPaths(site, group.code).home, 303)
    }
    const { id: participantId, status, flow_slug } = participant!
    const progress =
      status === 'incomplete' && flow_slug !== null
        ? await findRegistrationProgress(createPublicEventContext(web, site), participantId)
        : null
    if (!progress) {
      await signInToRegistration(web, c, site, { participantId, email, verified: true })
      return c.redirect(site.paths.myRegistration, 303)
    }
    await signInAndPrefillRegistration(web, c, site, progress)
    return c.redirect(site.paths.register(progress.flow.slug), 303)
  }

  return createEventRouter(web).get(PATH, show).post(PATH, answer)
}

/**
 * Returns why the invitee cannot join now; null if they can. The invitation stays valid. Existing members only change their role, so limits
 * do not apply to them.
 */
function joinObstacle({ site, invite, group, own }: OpenInvitation): 'join.closed' | 'join.full' | 'join.formClosed' | null {
  if (invite.role === 'admin' || own.some(({ group_id }) => group_id === group.id)) return null
  if (group.status === 'closed' || group.is_test_data !== site.facts.testMode) return 'join.closed'
  if (countSeatsLeft(group) === 0) return 'join.full'
  return own.some(({ group_id }) => group_id === null) || isFormOpen(site, group) ? null : 'join.formClosed'
}

function isFormOpen({ config, facts }: EventSite, { flow_slug }: GroupRow): boolean {
  const flow = config.flows.find(({ slug }) => slug === flow_slug)
  return flow !== undefined && !flow.retired && isFlowOpen(flow, facts.now)
}
