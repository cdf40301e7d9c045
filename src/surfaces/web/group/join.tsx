import { acceptInvite, declineInvite, findInvite, type Invite, registrationsOf } from '../../../domains/groups/accept-invite.ts'
import { noteAdminSignIn } from '../../../domains/groups/admins.ts'
import { getGroup, type GroupRow, seatsLeft } from '../../../domains/groups/groups.ts'
import { isFlowOpen } from '../../../domains/configuration/flow/collects.ts'
import { openPersonSession } from '../../../domains/codes/person-sessions.ts'
import { nameOf, type ParticipantRow } from '../../../domains/registration/participant-shape.ts'
import { AppError } from '../../../kernel/errors.ts'
import { Radios } from '../components/choices.tsx'
import { Form, LinkButton } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { eventPagesOf, Narrow, showAt } from '../event/frame.tsx'
import { actingAs, enterRegistration, rememberPerson } from '../event/person.ts'
import { changeHere, contextAt, type Place, placeOf } from '../event/place.ts'
import { showMissing } from '../lost.tsx'
import { csrfFor, type FormValues, readForm, type Web, type WebContext } from '../web.ts'
import { AT_GROUP, pathsOf } from './at.tsx'

const PATH = `${AT_GROUP}/join/:token`

interface Invited {
  place: Place
  token: string
  invite: Invite
  group: GroupRow
  /** What the address has registered; the link went there. */
  own: readonly ParticipantRow[]
}

const NEW = 'new'

const Means = ({ invited: { place, invite, group } }: { invited: Invited }) => {
  const { say } = place.words
  const flow = place.config.flows.find(({ slug }) => slug === group.flow_slug)
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

/** Who of those that have the address joins: they are asked where there is a choice. */
const Who = ({ invited: { place, group, own, invite } }: { invited: Invited }) => {
  const { say } = place.words
  if (invite.role === 'admin' || own.some(({ group_id }) => group_id === group.id)) return null
  const free = own.filter(({ group_id }) => group_id === null)
  const others = own.filter(({ group_id }) => group_id !== null)
  return (
    <>
      {others.map((row) => (
        <Notice tone="warning">{say('join.inOther', { name: nameOf(row) || invite.email })}</Notice>
      ))}
      {free.length > 0 ? (
        <div class="options-plain">
          <Radios
            name="who"
            legend={say('join.which')}
            value={free[0]!.id}
            options={[
              ...free.map((row) => ({ value: row.id, label: `${nameOf(row) || invite.email} · ${say(`status.${row.status}`)}` })),
              ...(isFormOpen(place, group) ? [{ value: NEW, label: say('join.somebodyNew') }] : []),
            ]}
          />
        </div>
      ) : null}
    </>
  )
}

/** `…/group/<code>/join/<token>`: what joining means, then yes or no. Looking changes nothing: programs that check mails open every link in them. */
export function groupJoinPages(web: Web) {
  const showOver = (c: WebContext, place: Place, text: 'join.overText' | 'join.expiredText') => {
    const { say } = place.words
    return showAt(
      web,
      c,
      place,
      { title: say('join.over'), status: 410, referrer: 'no-referrer' },
      <Narrow title={say('join.over')}>
        <p>{say(text)}</p>
        <LinkButton href={place.paths.signIn}>{say('join.signIn')}</LinkButton>
      </Narrow>,
    )
  }

  const invitedBy = (handle: (c: WebContext, invited: Invited) => Promise<Response>) => async (c: WebContext) => {
    const place = await placeOf(web, c)
    if (!place) return showMissing(web, c)
    if (place.event.status === 'archived') return c.redirect(place.paths.home, 303)
    const { code = '', token = '' } = c.req.param() as Record<string, string>
    const ctx = contextAt(web, place, web.road.database.write)
    try {
      const invite = await findInvite(ctx, token)
      const group = await getGroup(ctx, invite.groupId)
      if (group.code !== code.toLowerCase()) return await showOver(c, place, 'join.overText')
      return await handle(c, { place, token, invite, group, own: await registrationsOf(ctx, invite.email) })
    } catch (error) {
      // Used, withdrawn or over, also by somebody who was quicker with the same link.
      if (error instanceof AppError && error.code === 'not_found') return showOver(c, place, 'join.overText')
      if (error instanceof AppError && error.code === 'precondition_failed') return showOver(c, place, 'join.expiredText')
      throw error
    }
  }

  const show = invitedBy((c, invited) => {
    const { place, token, group, invite } = invited
    const { say } = place.words
    const names = { group: group.name, event: place.config.details.name }
    const refusal = refusalOf(invited)
    return showAt(
      web,
      c,
      place,
      { title: say('join.title', { group: group.name }), referrer: 'no-referrer' },
      <div class="checkout narrow">
        <h1>{say('join.title', { group: group.name })}</h1>
        <p class="lead">{say(invite.role === 'admin' ? 'join.leadAdmin' : 'join.lead', names)}</p>
        <Means invited={invited} />
        {refusal ? (
          <Notice tone="warning">
            <strong>{say(refusal)}</strong>
            <p>{say('join.cannotText')}</p>
          </Notice>
        ) : (
          <Form action={pathsOf(place, group.code).joinWith(token)} csrf={csrfFor(web, c)} class="stack">
            <Who invited={invited} />
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
    const { place, token, group } = invited
    const form = await readForm(web, c)
    const back = pathsOf(place, group.code).joinWith(token)
    if (!form) return c.redirect(back, 303)
    if (form['do'] === 'decline') return decline(c, invited)
    if (refusalOf(invited)) return c.redirect(back, 303)
    return accept(c, invited, form).catch((error: unknown) => {
      // Filled or closed since the page was shown: it says so.
      if (error instanceof AppError && error.code !== 'not_found') return c.redirect(back, 303)
      throw error
    })
  })

  const decline = async (c: WebContext, { place, token, invite }: Invited): Promise<Response> => {
    const { say } = place.words
    await changeHere(web, place, { action: 'decline_group_invite', actor: actingAs(place, invite.email) }, (ctx) =>
      declineInvite(ctx, token),
    )
    return showAt(
      web,
      c,
      place,
      { title: say('join.declined'), referrer: 'no-referrer' },
      <Narrow title={say('join.declined')}>
        <p>{say('join.declinedText')}</p>
        <LinkButton href={place.paths.home}>{say('register.toEvent')}</LinkButton>
      </Narrow>,
    )
  }

  const accept = async (c: WebContext, { place, token, invite, own }: Invited, form: FormValues): Promise<Response> => {
    const chosen = own.find(({ id }) => id === form['who'])
    const locale = place.words.locale
    const { participant, group, email, session } = await changeHere(
      web,
      place,
      { action: 'accept_group_invite', actor: actingAs(place, invite.email) },
      async (ctx) => {
        const accepted = await acceptInvite(ctx, token, { locale, participantId: chosen?.id })
        if (accepted.role !== 'admin') return { ...accepted, session: null }
        await noteAdminSignIn(ctx, accepted.email)
        const opening = { tenantId: ctx.tenantId, eventId: ctx.event.id, email: accepted.email, kind: 'groupAdmin' as const }
        return { ...accepted, session: await openPersonSession(ctx.db, opening) }
      },
    )
    if (session) {
      rememberPerson(web, c, session, 'groupAdmin')
      return c.redirect(pathsOf(place, group.code).home, 303)
    }
    await enterRegistration(web, c, place, { participantId: participant!.id, email })
    const { status, flow_slug } = participant!
    return c.redirect(status === 'incomplete' && flow_slug !== null ? place.paths.register(flow_slug) : place.paths.myRegistration, 303)
  }

  return eventPagesOf(web).get(PATH, show).post(PATH, answer)
}

/** Why somebody cannot join now, told before they try; the invitation stays. Whoever is in already is only made what they are asked to be. */
function refusalOf({ place, invite, group, own }: Invited): 'join.closed' | 'join.full' | 'join.formClosed' | null {
  if (invite.role === 'admin' || own.some(({ group_id }) => group_id === group.id)) return null
  if (group.status === 'closed' || group.is_test_data !== place.facts.testMode) return 'join.closed'
  if (seatsLeft(group) === 0) return 'join.full'
  return own.some(({ group_id }) => group_id === null) || isFormOpen(place, group) ? null : 'join.formClosed'
}

function isFormOpen({ config, facts }: Place, { flow_slug }: GroupRow): boolean {
  const flow = config.flows.find(({ slug }) => slug === flow_slug)
  return flow !== undefined && !flow.retired && isFlowOpen(flow, facts.now)
}
