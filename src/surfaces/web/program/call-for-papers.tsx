import { z } from 'zod'
import { email, name, text } from '../../../kernel/args.ts'
import { AppError } from '../../../kernel/errors.ts'
import { formatMoment } from '../../../kernel/language/format.ts'
import { type CallState, getCallState, submitProposal } from '../../../domains/submissions/public.ts'
import { type FieldErrors, findFieldError, Form, Input, LinkButton, Select, TextArea } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { sendExpiredPage, sendNotFoundPage } from '../error-pages.tsx'
import { MainColumn, NarrowPage, newEventRouter, showEventPage, toFormErrors } from '../event/event-layout.tsx'
import { toPersonActor } from '../event/person.ts'
import { changeAtEvent, EVENT_PATH, type EventSite, findEventSite } from '../event/event-site.ts'
import { csrfFor, type FormValues, readOwnForm, type WebContext, type WebServices } from '../web.ts'

const PATH = `${EVENT_PATH}/call-for-papers`

const optional = (type: z.ZodType<string>) =>
  z.preprocess((value) => (typeof value === 'string' && value.trim() === '' ? undefined : value), type.optional())

const ProposalForm = z.object({
  title: name(200),
  abstract: text(5000),
  trackCode: text(63),
  formatCode: text(63),
  keywords: optional(text(500)),
  firstName: name(80),
  lastName: name(80),
  email: email(),
  company: optional(name()),
  jobTitle: optional(name()),
})

/** Questions of the event that the page can ask. Others are answered later, with the organizer. */
const ASKED_TYPES = new Set(['text', 'longText', 'choice', 'email', 'url', 'number'])

const listQuestions = ({ config }: EventSite) =>
  config.customFields.filter(
    ({ code, retired, responseType }) => config.sessions.submissionFields.includes(code) && !retired && ASKED_TYPES.has(responseType),
  )

interface FormState {
  values: FormValues
  errors: FieldErrors
}

/** Errors in the visitor's language: the field's label names what to correct. */
const labelErrors = (site: EventSite, paths: readonly string[]): FieldErrors => {
  const labels = new Map<string, string>([
    ...(['title', 'abstract', 'trackCode', 'formatCode', 'keywords', 'firstName', 'lastName', 'email', 'company', 'jobTitle'] as const).map(
      (path) => [path, site.words.say(`papers.${path}`)] as const,
    ),
    ...listQuestions(site).map((field) => [`answers.${field.code}`, field.name] as const),
  ])
  return [...new Set(paths)].map((path) => ({ path, message: site.words.say('papers.check', { field: labels.get(path) ?? path }) }))
}

function Fields({ site, state: { values, errors } }: { site: EventSite; state: FormState }) {
  const { say } = site.words
  const { tracks, formats } = site.config.sessions
  const field = (path: 'title' | 'keywords' | 'firstName' | 'lastName' | 'email' | 'company' | 'jobTitle') => ({
    name: path,
    label: say(`papers.${path}`),
    value: values[path],
    error: findFieldError(errors, path),
  })
  return (
    <>
      <Card title={say('papers.proposal')}>
        <div class="stack">
          <Input {...field('title')} maxlength={200} />
          <TextArea
            name="abstract"
            label={say('papers.abstract')}
            help={say('papers.abstractHelp')}
            rows={8}
            value={values['abstract']}
            error={findFieldError(errors, 'abstract')}
          />
          <Select
            name="trackCode"
            label={say('papers.trackCode')}
            value={values['trackCode']}
            error={findFieldError(errors, 'trackCode')}
            options={tracks.map(({ code, name: label }) => ({ value: code, label }))}
          />
          <Select
            name="formatCode"
            label={say('papers.formatCode')}
            value={values['formatCode']}
            error={findFieldError(errors, 'formatCode')}
            options={formats.map(({ code, name: label, minutes }) => ({
              value: code,
              label: say('papers.format', { format: label, minutes }),
            }))}
          />
          <Input {...field('keywords')} help={say('papers.keywordsHelp')} />
          {listQuestions(site).map((question) => (
            <Question question={question} state={{ values, errors }} />
          ))}
        </div>
      </Card>
      <Card title={say('papers.speaker')}>
        <div class="stack">
          <Input {...field('firstName')} autocomplete="given-name" />
          <Input {...field('lastName')} autocomplete="family-name" />
          <Input {...field('email')} type="email" autocomplete="email" />
          <Input {...field('company')} autocomplete="organization" />
          <Input {...field('jobTitle')} autocomplete="organization-title" />
        </div>
      </Card>
    </>
  )
}

function Question({ question, state: { values, errors } }: { question: ReturnType<typeof listQuestions>[number]; state: FormState }) {
  const path = `answers.${question.code}`
  const field = {
    name: path,
    label: question.name,
    help: question.help ?? undefined,
    value: values[path],
    error: findFieldError(errors, path),
  }
  if (question.responseType === 'longText') return <TextArea {...field} rows={4} />
  if (question.responseType !== 'choice') return <Input {...field} />
  const choices = question.choices.filter(({ retired }) => !retired).map(({ code, name: label }) => ({ value: code, label }))
  return <Select {...field} options={[{ value: '', label: '–' }, ...choices]} />
}

/** `…/call-for-papers`: a form to propose a session. It works without scripts. */
export function callForPapersPages(web: WebServices) {
  const opened = (handle: (c: WebContext, site: EventSite) => Promise<Response>) => async (c: WebContext) => {
    const site = await findEventSite(web, c)
    const state = site && getCallState(site.config, site.facts.now)
    if (!site || state === null) return sendNotFoundPage(web, c)
    return state === 'open' && site.event.status === 'published' ? handle(c, site) : showClosed(c, site, state)
  }

  const showClosed = (c: WebContext, site: EventSite, state: CallState | null) => {
    const { say, locale } = site.words
    const moment = formatMoment(locale, new Date(site.config.sessions.submissionsOpenAt ?? 0), site.facts.timezone)
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

  const showForm = (c: WebContext, site: EventSite, state: FormState) => {
    const { say, locale } = site.words
    const { submissionsCloseAt } = site.config.sessions
    const until = submissionsCloseAt && formatMoment(locale, new Date(submissionsCloseAt), site.facts.timezone)
    return showEventPage(
      web,
      c,
      site,
      { title: say('papers.heading'), status: state.errors.length > 0 ? 400 : 200 },
      <div class="checkout">
        <MainColumn
          title={say('papers.heading')}
          text={until ? say('papers.until', { moment: until }) : say('papers.lead')}
          formErrors={toFormErrors(site, state.errors)}
        >
          <Form action={site.paths.callForPapers} csrf={csrfFor(web, c)} class="stack">
            <Fields site={site} state={state} />
            <p>
              <button type="submit" class="button primary large">
                {say('papers.submit')}
              </button>
            </p>
          </Form>
        </MainColumn>
      </div>,
    )
  }

  const send = opened(async (c, site) => {
    const form = await readOwnForm(web, c)
    if (!form) return sendExpiredPage(web, c)
    const parsed = ProposalForm.safeParse(form)
    if (!parsed.success)
      return showForm(c, site, {
        values: form,
        errors: labelErrors(
          site,
          parsed.error.issues.map(({ path }) => path.join('.')),
        ),
      })
    const { firstName, lastName, email: address, company, jobTitle, keywords, ...fields } = parsed.data
    const answers = Object.fromEntries(
      listQuestions(site).flatMap(({ code }) => (form[`answers.${code}`] ? [[code, form[`answers.${code}`]]] : [])),
    )
    try {
      const { number } = await changeAtEvent(web, site, { action: 'submit_proposal', actor: toPersonActor(site, address) }, (ctx) =>
        submitProposal(ctx, {
          ...fields,
          answers,
          keywords: [
            ...new Set(
              (keywords ?? '')
                .split(',')
                .map((word) => word.trim())
                .filter(Boolean),
            ),
          ].slice(0, 20),
          speaker: { firstName, lastName, email: address, company, jobTitle },
          language: site.words.locale,
        }),
      )
      const { say } = site.words
      return await showEventPage(
        web,
        c,
        site,
        { title: say('papers.thanks') },
        <NarrowPage title={say('papers.thanks')} text={say('papers.received', { number, email: address })}>
          <LinkButton href={site.paths.home}>{say('register.toEvent')}</LinkButton>
        </NarrowPage>,
      )
    } catch (error) {
      if (!(error instanceof AppError) || !error.details.fields) throw error
      return showForm(c, site, {
        values: form,
        errors: labelErrors(
          site,
          error.details.fields.map(({ path }) => path),
        ),
      })
    }
  })

  return newEventRouter(web)
    .get(
      PATH,
      opened((c, site) => showForm(c, site, { values: {}, errors: [] })),
    )
    .post(PATH, send)
}
