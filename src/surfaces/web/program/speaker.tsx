import { AppError } from '../../../kernel/errors.ts'
import { formatList, formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { isFlowOpen } from '../../../domains/configuration/flow/collected-answers.ts'
import { getRoomName } from '../../../domains/sessions/enrolments.ts'
import { readSpeakerPageToken } from '../../../domains/sessions/speaker-links.ts'
import { getSpeaker, setSpeakerStatus, type SpeakerRow } from '../../../domains/sessions/speakers.ts'
import { confirmSubmission, declineSubmission } from '../../../domains/submissions/confirm.ts'
import { findSubmitter } from '../../../domains/submissions/emails.ts'
import { canChangeProposal, findOwnSubmission, type OwnSubmission } from '../../../domains/submissions/public.ts'
import { FormActions, ErrorSummary, type FieldErrors, Form, LinkButton } from '../components/forms.tsx'
import { Card, DescriptionList, Notice, StatusLabel } from '../components/parts.tsx'
import { sendExpiredPage, sendNotFoundPage } from '../error-pages.tsx'
import { NarrowPage, createEventRouter, showEventPage, toFormErrors } from '../event/event-layout.tsx'
import { toSignedInVisitorActor } from '../event/person.ts'
import { runChangeFromEventPage, PUBLIC_EVENT_PATH, createPublicEventContext, type EventSite, findEventSite } from '../event/event-site.ts'
import { getCsrfToken, readSameOriginForm, type WebContext, type WebServices } from '../web.ts'
import { saveProposalEdit, showProposalEditForm } from './edit-proposal.tsx'
import { saveSpeakerProfile, findSpeakerProfile, ProfileForm } from './profile.tsx'

const PATH = `${PUBLIC_EVENT_PATH}/speaker/:token`

type Opened = { site: EventSite; token: string } & ({ own: OwnSubmission; speaker?: undefined } | { speaker: SpeakerRow; own?: undefined })

const Answer = ({ site, token, csrf, confirm }: { site: EventSite; token: string; csrf: string; confirm: boolean }) => (
  <Form action={site.paths.speaker(token)} csrf={csrf} class="actions">
    {confirm ? (
      <button type="submit" class="button primary large" name="do" value="confirm">
        {site.words.say('speaker.confirm')}
      </button>
    ) : null}
    <button type="submit" class="button large" name="do" value="decline">
      {site.words.say('speaker.decline')}
    </button>
  </Form>
)

function SessionFacts({ site, own: { row, session, speakers } }: { site: EventSite; own: OwnSubmission }) {
  const { say, locale } = site.words
  const format = site.config.sessions.formats.find(({ code }) => code === (row.decided_format_code ?? row.format_code))?.name
  const track = site.config.sessions.tracks.find(({ code }) => code === (row.decided_track_code ?? row.track_code))?.name
  const unscheduled = say('speaker.notScheduled')
  return (
    <Card title={say('speaker.session')}>
      <div class="stack">
        <DescriptionList
          rows={[
            [say('papers.title'), row.title],
            [
              say('agenda.time'),
              session?.starts_at ? formatInstantWithTimeZone(locale, session.starts_at, site.facts.timezone) : unscheduled,
            ],
            [say('speaker.room'), session ? (getRoomName(site.config, session.room_code) ?? unscheduled) : unscheduled],
            [say('papers.formatCode'), [format, track].filter(Boolean).join(', ')],
            [say('speaker.speakers'), formatList(locale, speakers)],
          ]}
        />
        {session ? (
          <FormActions>
            <LinkButton href={`${site.paths.agenda}.ics?session=${session.code}`}>{say('agenda.addToCalendar')}</LinkButton>
          </FormActions>
        ) : null}
      </div>
    </Card>
  )
}

/**
 * `…/speaker/<token>`: the page where a submitter or an invited speaker confirms or declines. GET changes nothing, because mail scanners
 * open every link.
 */
export function speakerPages(web: WebServices) {
  const withLink = (handle: (c: WebContext, opened: Opened) => Promise<Response>) => async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const { token = '' } = c.req.param() as Record<string, string>
    const ctx = createPublicEventContext(web, site, web.services.database.write)
    const link = readSpeakerPageToken(ctx, token)
    if (link?.kind === 'submission') {
      const own = await findOwnSubmission(ctx, link.id)
      if (own) return handle(c, { site, token, own })
    } else if (link) return handle(c, { site, token, speaker: await getSpeaker(ctx, link.id) })
    return showInvalid(c, site)
  }

  const showInvalid = (c: WebContext, site: EventSite) =>
    showEventPage(
      web,
      c,
      site,
      { title: site.words.say('speaker.invalid'), status: 410, referrer: 'no-referrer' },
      <NarrowPage title={site.words.say('speaker.invalid')} text={site.words.say('speaker.invalidText')}>
        <LinkButton href={site.paths.home}>{site.words.say('register.toEvent')}</LinkButton>
      </NarrowPage>,
    )

  const showSubmission = async (c: WebContext, site: EventSite, token: string, own: OwnSubmission, errors: FieldErrors = []) => {
    const profile = await findSpeakerProfile(createPublicEventContext(web, site), own.row.id)
    const { say, locale } = site.words
    const { row, status, notes, others } = own
    const isLate = row.confirm_by !== null && row.confirm_by < site.facts.now
    const isOpen = status === 'accepted' && !isLate
    const title = isOpen ? say('speaker.accepted') : status === 'confirmed' ? say('speaker.confirmed') : row.title
    return showEventPage(
      web,
      c,
      site,
      { title, referrer: 'no-referrer', status: errors.length > 0 ? 400 : 200 },
      <div class="checkout">
        <div class="checkout-main">
          <h1>{title}</h1>
          {c.req.query('saved') === 'yes' ? <Notice tone="success">{say('speaker.saved')}</Notice> : null}
          <ErrorSummary {...toFormErrors(site, errors)} />
          <p class="muted">
            <StatusLabel tone={status === 'accepted' || status === 'confirmed' ? 'success' : undefined}>
              {say(`speaker.status.${status}`)}
            </StatusLabel>{' '}
            {row.number}
          </p>
          {isOpen ? (
            <>
              {row.confirm_by ? (
                <p>{say('speaker.confirmBy', { moment: formatInstantWithTimeZone(locale, row.confirm_by, site.facts.timezone) })}</p>
              ) : null}
              <Answer site={site} token={token} csrf={getCsrfToken(web, c)} confirm />
            </>
          ) : null}
          {status === 'accepted' && isLate ? <p>{say('speaker.late')}</p> : null}
          {canChangeProposal(site.config, site.facts.now, row) ? (
            <p>
              <LinkButton href={`${site.paths.speaker(token)}/edit`} tone={status === 'draft' ? 'primary' : undefined}>
                {say('papers.change')}
              </LinkButton>
            </p>
          ) : null}
          <SessionFacts site={site} own={own} />
          {profile ? <ProfileForm site={site} token={token} csrf={getCsrfToken(web, c)} profile={profile} errors={errors} /> : null}
          {notes.length > 0 ? (
            <Card title={say('speaker.notes')}>
              {notes.map((note) => (
                <p>{note}</p>
              ))}
            </Card>
          ) : null}
          {others.length > 0 ? (
            <Card title={say('speaker.others')}>
              <ul class="links">
                {others.map((other) => (
                  <li class="row-between">
                    <span>
                      {other.number} · {other.title}
                    </span>
                    <StatusLabel>{say(`speaker.status.${other.status}`)}</StatusLabel>
                  </li>
                ))}
              </ul>
            </Card>
          ) : null}
        </div>
      </div>,
    )
  }

  const showInvitation = (c: WebContext, site: EventSite, token: string, speaker: SpeakerRow) => {
    const { say } = site.words
    const flows = site.config.flows.filter((flow) => flow.kind === 'speaker' && !flow.retired && isFlowOpen(flow, site.facts.now))
    const flow = flows.find(({ slug }) => slug === c.req.query('flow')) ?? flows[0]
    const isOpen = speaker.status === 'invited'
    const title = isOpen
      ? say('speaker.invited', { event: site.config.details.name })
      : say(speaker.status === 'confirmed' ? 'speaker.confirmed' : 'speaker.answered')
    return showEventPage(
      web,
      c,
      site,
      { title, referrer: 'no-referrer' },
      <NarrowPage
        title={title}
        text={isOpen ? say('speaker.invitedText', { name: `${speaker.first_name} ${speaker.last_name}` }) : undefined}
      >
        {flow && (isOpen || speaker.status === 'confirmed') && speaker.participant_id === null ? (
          <LinkButton href={site.paths.register(flow.slug)} tone="primary">
            {say('speaker.register')}
          </LinkButton>
        ) : null}
        {isOpen ? <Answer site={site} token={token} csrf={getCsrfToken(web, c)} confirm={!flow} /> : null}
        <LinkButton href={site.paths.agenda}>{say('event.agenda')}</LinkButton>
      </NarrowPage>,
    )
  }

  const show = withLink((c, { site, token, own, speaker }) =>
    own ? showSubmission(c, site, token, own) : showInvitation(c, site, token, speaker!),
  )

  const answer = withLink(async (c, { site, token, own, speaker }) => {
    const form = await readSameOriginForm(web, c)
    if (!form) return sendExpiredPage(web, c)
    const confirms = form['do'] === 'confirm'
    const submitter = own ? await findSubmitter(createPublicEventContext(web, site), own.row.id) : null
    const by = {
      action: own ? 'answer_decision' : 'answer_invitation',
      actor: toSignedInVisitorActor(site, own ? (submitter?.email ?? '') : speaker!.email),
    }
    await runChangeFromEventPage(web, site, by, async (ctx) => {
      if (!own) return setSpeakerStatus(ctx, speaker!.id, confirms ? 'confirmed' : 'declined')
      return confirms ? confirmSubmission(ctx, own.row.number, { inTime: true }) : declineSubmission(ctx, own.row.number)
    }).catch((error: unknown) => {
      // The submission changed since the page was shown, for example because the time to confirm has passed. The page shows its new state.
      if (!(error instanceof AppError) || (error.code !== 'precondition_failed' && error.code !== 'conflict')) throw error
    })
    return c.redirect(site.paths.speaker(token), 303)
  })

  const saveProfile = withLink(async (c, { site, token, own }) => {
    if (!own) return c.redirect(site.paths.speaker(token), 303)
    const errors = await saveSpeakerProfile(web, c, site, own.row.id)
    if (errors === null) return sendExpiredPage(web, c)
    return errors.length > 0 ? showSubmission(c, site, token, own, errors) : c.redirect(`${site.paths.speaker(token)}?saved=yes`, 303)
  })

  const edited = (handle: (c: WebContext, opened: Opened & { own: OwnSubmission }) => Promise<Response>) =>
    withLink((c, opened) => {
      const { site, token, own } = opened
      const mayEdit = own && canChangeProposal(site.config, site.facts.now, own.row)
      return mayEdit ? handle(c, { ...opened, own }) : Promise.resolve(c.redirect(site.paths.speaker(token), 303))
    })
  const showEdit = edited((c, { site, token, own }) => showProposalEditForm(web, c, site, { token, row: own.row }))
  const saveEdit = edited((c, { site, token, own }) => saveProposalEdit(web, c, site, { token, row: own.row }))

  return createEventRouter(web)
    .get(PATH, show)
    .post(PATH, answer)
    .post(`${PATH}/profile`, saveProfile)
    .get(`${PATH}/edit`, showEdit)
    .post(`${PATH}/edit`, saveEdit)
}
