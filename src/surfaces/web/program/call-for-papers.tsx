import { AppError } from '../../../kernel/errors.ts'
import { formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { type CallForPapersState, getCallForPapersState, submitProposal } from '../../../domains/submissions/public.ts'
import { type FieldErrors, Form, LinkButton } from '../components/forms.tsx'
import { sendExpiredPage, sendNotFoundPage } from '../error-pages.tsx'
import { MainColumn, NarrowPage, createEventRouter, showEventPage, toFormErrors } from '../event/event-layout.tsx'
import { toSignedInVisitorActor } from '../event/person.ts'
import { runChangeFromEventPage, PUBLIC_EVENT_PATH, type EventSite, findEventSite } from '../event/event-site.ts'
import { commitThenDeleteUnusedUploads } from '../uploads.ts'
import { getCsrfToken, type WebContext, type WebServices } from '../web.ts'
import {
  preserveProposalUploads,
  createProposalFieldErrors,
  toProposalFieldErrors,
  type ProposalFormState,
  readProposalForm,
  readProposalTexts,
  readProposalSpeakers,
  type SubmittedProposalForm,
  SessionFields,
  SpeakerFields,
} from './proposal-form.tsx'

const PATH = `${PUBLIC_EVENT_PATH}/call-for-papers`

/** Explains beside the form what happens after a proposal is submitted. */
const NextSteps = ({ site, until }: { site: EventSite; until: string | null }) => {
  const { say } = site.words
  const steps = [
    [say('papers.next.change'), until === null ? say('papers.next.changeAnytime') : say('papers.next.changeText', { moment: until })],
    [say('papers.next.review'), say('papers.next.reviewText')],
    [say('papers.next.confirm'), say('papers.next.confirmText')],
  ]
  return (
    <aside class="order" aria-labelledby="next-title">
      <section class="card">
        <div class="card-body stack">
          <h2 id="next-title">{say('register.next.title')}</h2>
          <ol class="timeline">
            {steps.map(([title, text]) => (
              <li>
                <strong>{title}</strong>
                <div class="muted small">{text}</div>
              </li>
            ))}
          </ol>
        </div>
      </section>
    </aside>
  )
}

/** `…/call-for-papers`: a form to propose a conference session. It works without scripts. */
export function callForPapersPages(web: WebServices) {
  const opened = (handle: (c: WebContext, site: EventSite) => Promise<Response>) => async (c: WebContext) => {
    const site = await findEventSite(web, c)
    const state = site && getCallForPapersState(site.config, site.facts.now)
    if (!site || state === null) return sendNotFoundPage(web, c)
    return state === 'open' && site.event.status === 'published' ? handle(c, site) : showClosed(c, site, state)
  }

  const showClosed = (c: WebContext, site: EventSite, state: CallForPapersState | null) => {
    const { say, locale } = site.words
    const moment = formatInstantWithTimeZone(locale, new Date(site.config.sessions.submissionsOpenAt ?? 0), site.facts.timezone)
    return showEventPage(
      web,
      c,
      site,
      { title: say('papers.heading') },
      <NarrowPage title={say('papers.heading')} text={state === 'notYet' ? say('papers.opensOn', { moment }) : say('papers.closed')}>
        <LinkButton href={site.paths.home}>{say('register.toEvent')}</LinkButton>
      </NarrowPage>,
    )
  }

  const showForm = (c: WebContext, site: EventSite, state: ProposalFormState) => {
    const { say, locale } = site.words
    const { submissionsCloseAt } = site.config.sessions
    const until = submissionsCloseAt && formatInstantWithTimeZone(locale, new Date(submissionsCloseAt), site.facts.timezone)
    return showEventPage(
      web,
      c,
      site,
      { title: say('papers.heading'), status: state.errors.length > 0 ? 400 : 200 },
      <div class="checkout two">
        <MainColumn
          title={say('papers.heading')}
          text={until ? say('papers.until', { moment: until }) : say('papers.lead')}
          formErrors={toFormErrors(site, state.errors)}
        >
          <Form action={site.paths.callForPapers} csrf={getCsrfToken(web, c)} class="stack" files>
            <SessionFields site={site} state={state} />
            <SpeakerFields site={site} state={state} />
            <p class="row">
              <button type="submit" class="button primary large" name="do" value="submit">
                {say('papers.submit')}
              </button>
              <button type="submit" class="button large" name="do" value="draft">
                {say('papers.saveDraft')}
              </button>
            </p>
          </Form>
        </MainColumn>
        <NextSteps site={site} until={until} />
      </div>,
    )
  }

  const showThanks = (c: WebContext, site: EventSite, { title, text }: { title: string; text: string }) =>
    showEventPage(
      web,
      c,
      site,
      { title },
      <NarrowPage title={title} text={text}>
        <LinkButton href={site.paths.home}>{site.words.say('register.toEvent')}</LinkButton>
      </NarrowPage>,
    )

  const answer = async (c: WebContext, site: EventSite, { form, uploads, errors }: SubmittedProposalForm) => {
    const isDraft = form['do'] === 'draft'
    const refuse = async (refused: FieldErrors) => ({
      page: await showForm(c, site, { values: form, errors: refused, kept: preserveProposalUploads(web, site, uploads) }),
      keepsUploads: true,
      deletedFiles: [],
    })
    const [session, people] = [readProposalTexts(site, form, isDraft), readProposalSpeakers(form)]
    const paths = [session, people].flatMap((read) => ('paths' in read ? read.paths : []))
    if ('paths' in session || 'paths' in people || errors.length > 0)
      return refuse([...createProposalFieldErrors(site, form, paths), ...errors])
    const { email: address } = people.speakers[0]!
    const proposal = { ...session.session, speakers: people.speakers, language: site.words.locale }
    try {
      const { number } = await runChangeFromEventPage(
        web,
        site,
        { action: 'submit_proposal', actor: toSignedInVisitorActor(site, address) },
        (ctx) => submitProposal(ctx, proposal, isDraft ? 'draft' : 'submitted', uploads),
      )
      const { say } = site.words
      const thanks = isDraft
        ? { title: say('papers.draftSaved'), text: say('papers.draftText', { email: address }) }
        : { title: say('papers.thanks'), text: say('papers.received', { number, email: address }) }
      return { page: await showThanks(c, site, thanks), deletedFiles: [] }
    } catch (error) {
      if (!(error instanceof AppError) || !error.details.fields) throw error
      return refuse(toProposalFieldErrors(site, form, error.details.fields))
    }
  }

  const send = opened(async (c, site) => {
    const sent = await readProposalForm(web, c, site)
    if (!sent) return sendExpiredPage(web, c)
    return (await commitThenDeleteUnusedUploads(web, site, sent.files, () => answer(c, site, sent))).page
  })

  return createEventRouter(web)
    .get(
      PATH,
      opened((c, site) => showForm(c, site, { values: {}, errors: [] })),
    )
    .post(PATH, send)
}
