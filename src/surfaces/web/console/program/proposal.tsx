import type { Child } from 'hono/jsx'
import type { z } from 'zod'
import type { ProposalFile } from '../../../../domains/submissions/proposal-files.ts'
import { DECISIONS, isOpenSubmission } from '../../../../domains/submissions/states.ts'
import { describeSubmission, type SubmissionShape } from '../../../../domains/submissions/submission-shape.ts'
import { readSubmissionConfig } from '../../../../domains/submissions/submissions.ts'
import { cleanText } from '../../../../kernel/clean-text.ts'
import manageSubmission from '../../../../toolsets/sessions/manage-submission.ts'
import { formatShortDeadline } from '../../components/dates.ts'
import { Button, Checkbox, Form, Select, TextArea } from '../../components/forms.tsx'
import { createFieldPropsGetter, SubmitForm } from '../../components/form-page.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Card, DescriptionList, Notice } from '../../components/parts.tsx'
import { type FormErrors, catchFormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { callEventTool, type ToolArguments } from '../tool-call.ts'
import {
  SUBMISSION_DECISION_LABELS,
  mayChangeProgram,
  findNameByCode,
  PROGRAM_PATH,
  type ProgramConfig,
  SubmissionStatusLabel,
} from './program-page.tsx'
import { readSessionSlotForm, SessionSlotFields, toSessionSlotFormValues } from './slot-form.tsx'

const PATH = `${PROGRAM_PATH}/:proposal{[Ss]-[0-9]+}`

type ShownSubmission = z.input<typeof SubmissionShape>

interface ProposalPage extends EventPageContext {
  here: string
  submission: ShownSubmission
  config: ProgramConfig
  days: { startsOn: string; endsOn: string }
}

async function getProposalPage(web: WebServices, c: WebContext, see: 'sessions.read' | 'sessions.write'): Promise<ProposalPage> {
  const at = await getEventPageContext(web, c, see)
  const submission = await describeSubmission(at.reading, cleanText(c.req.param('proposal') ?? '', 40), ['reviews'])
  const { config, facts } = await readSubmissionConfig(at.reading)
  return { ...at, submission, config: config.sessions, days: facts, here: `${at.base}/program/${submission.number}` }
}

interface FormState {
  form: FormValues
  formErrors: FormErrors | null
}

const CONFLICTS: Record<string, string> = {
  speaker_unavailable: 'is not available then',
  speaker_not_confirmed: 'has declined or withdrawn',
}

/** The time and room of the conference session that an accepted proposal became, and the form that changes them. */
const ScheduleCard = ({ at, csrf, state: { form, formErrors } }: { at: ProposalPage; csrf: string; state: FormState }) => {
  const { session } = at.submission
  const isScheduled = session?.status === 'scheduled' && session.startsAt !== null
  const given = Object.keys(form).length > 0 || !isScheduled ? form : toSessionSlotFormValues(session, at.event.timezone)
  return (
    <Card title="Room and time">
      <div class="stack">
        {isScheduled ? (
          <p>
            {formatShortDeadline(new Date(session.startsAt!), at.event.timezone)} in{' '}
            <bdi>{findNameByCode(at.config.rooms, session.roomCode)}</bdi>
          </p>
        ) : (
          <p class="muted">Not scheduled yet. The length follows from the type of session.</p>
        )}
        <SubmitForm action={`${at.here}/schedule`} csrf={csrf} submit={isScheduled ? 'Move session' : 'Schedule session'}>
          <SessionSlotFields form={given} formErrors={formErrors} rooms={at.config.rooms} days={at.days} zone={at.event.timezone} />
        </SubmitForm>
        {isScheduled ? (
          <Form action={`${at.here}/unschedule`} csrf={csrf}>
            <Button>Remove from the schedule</Button>
          </Form>
        ) : null}
      </div>
    </Card>
  )
}

const DecideCard = ({ at, csrf, state: { form, formErrors } }: { at: ProposalPage; csrf: string; state: FormState }) => {
  const field = createFieldPropsGetter(form, formErrors)
  const { pending, reviewsDone = 0 } = at.submission
  return (
    <Card title="Decision">
      <SubmitForm action={`${at.here}/decide`} csrf={csrf} submit="Save decision">
        <Select
          {...field('decision')}
          label="Decision"
          value={form['decision'] ?? pending ?? 'none'}
          options={[
            { value: 'none', label: 'No decision yet' },
            ...DECISIONS.map((value) => ({ value, label: SUBMISSION_DECISION_LABELS[value] })),
          ]}
          help="Authors see their decisions only after you send them, on the page Programme."
        />
        <TextArea {...field('note')} label="Note to the author" optional="(optional)" rows={3} />
        {reviewsDone < at.config.reviewsPerSubmission ? (
          <Checkbox
            name="force"
            label={`Decide anyway: only ${reviewsDone} of ${at.config.reviewsPerSubmission} reviews are in`}
            help="Needed to save a decision before all reviews are in."
            checked={form['force'] === 'on'}
          />
        ) : null}
      </SubmitForm>
    </Card>
  )
}

const Reviews = ({ submission: { reviews = [] } }: { submission: ShownSubmission }) => (
  <Card title="Reviews">
    {reviews.length === 0 ? (
      <p class="muted">No reviews yet.</p>
    ) : (
      <div class="stack">
        {reviews.map(({ reviewer, total, recommendation, noteToCommittee, recused }) => (
          <div>
            <p>
              <strong>{reviewer}</strong>{' '}
              <span class="muted">
                {recused ? 'recused' : [total === null ? '' : `score ${total}`, recommendation].filter(Boolean).join(', ')}
              </span>
            </p>
            {noteToCommittee ? <p dir="auto">{noteToCommittee}</p> : null}
          </div>
        ))}
      </div>
    )}
  </Card>
)

const Proposal = ({ at }: { at: ProposalPage }) => {
  const { submission, config } = at
  const chosen = submission.decided ?? { trackCode: null, formatCode: null }
  return (
    <Card title="Proposal">
      <div class="stack">
        {submission.abstract ? (
          <p class="prose" dir="auto">
            {submission.abstract}
          </p>
        ) : (
          <p class="muted">No abstract.</p>
        )}
        <DescriptionList
          rows={[
            [
              'Speakers',
              <bdi>{submission.speakers?.map(({ name, company }) => [name, company].filter(Boolean).join(', ')).join('; ') || '–'}</bdi>,
            ],
            ['Track', <bdi>{findNameByCode(config.tracks, chosen.trackCode ?? submission.preferred.trackCode)}</bdi>],
            ['Type', <bdi>{findNameByCode(config.formats, chosen.formatCode ?? submission.preferred.formatCode)}</bdi>],
            ...(submission.keywords.length > 0 ? [['Keywords', <bdi>{submission.keywords.join(', ')}</bdi>] as [string, Child]] : []),
            ...(submission.adjusted == null ? [] : [['Score', `${submission.adjusted}`] as [string, Child]]),
            ...submission.answers.map(({ label, value }): [string, Child] => [label, <Answer value={value} />]),
          ]}
        />
      </div>
    </Card>
  )
}

/** An answer of a proposal. A file is shown as a link that stays valid for an hour. */
const Answer = ({ value }: { value: unknown }) => (isFile(value) ? <a href={value.url}>{value.name}</a> : <bdi>{formatAnswer(value)}</bdi>)

const isFile = (value: unknown): value is ProposalFile => typeof value === 'object' && value !== null && 'fileId' in value

const formatAnswer = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join(', ') : typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value ?? '–')

/** A warning about a speaker who may be unavailable at the scheduled time. After scheduling, the page's URL names the speaker. */
const ConflictNotice = ({ c, at }: { c: WebContext; at: ProposalPage }) => {
  const kind = c.req.query('conflict') ?? ''
  const speaker = at.submission.speakers?.find(({ speakerId }) => speakerId === c.req.query('speaker'))
  if (!Object.hasOwn(CONFLICTS, kind) || !speaker) return null
  return (
    <Notice tone="warning">
      <p>
        Scheduled, but <bdi>{speaker.name}</bdi> {CONFLICTS[kind]}.
      </p>
    </Notice>
  )
}

async function sendProposalPage(web: WebServices, c: WebContext, at: ProposalPage, state: FormState = { form: {}, formErrors: null }) {
  const { submission } = at
  const csrf = mayChangeProgram(at) ? getCsrfToken(web, c) : null
  const isAccepted = submission.status === 'accepted' || submission.status === 'confirmed'
  const page = renderContentPage(
    {
      title: submission.title,
      text: (
        <>
          {submission.number} · <SubmissionStatusLabel status={submission.status} pending={submission.pending} />
        </>
      ),
      crumbs: [{ href: `${at.base}/program`, label: 'Programme' }],
      formErrors: state.formErrors,
    },
    <div class="stack">
      <ConflictNotice c={c} at={at} />
      <Proposal at={at} />
      <Reviews submission={submission} />
      {csrf !== null && isOpenSubmission(submission.status) ? <DecideCard at={at} csrf={csrf} state={state} /> : null}
      {csrf !== null && isAccepted ? <ScheduleCard at={at} csrf={csrf} state={state} /> : null}
    </div>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'program'), page)
}

const LABELS: Record<string, string> = { startsAt: 'Time', roomCode: 'Room' }
const labelOf = (path: string) => LABELS[path] ?? ''

interface ScheduleResult {
  conflicts?: { kind: string; speakerId: string }[]
}

/** `…/program/<number>`: one proposal, its decision, and its room and time. */
export function proposalDetailPages(web: WebServices) {
  const change =
    (read: (at: ProposalPage, form: FormValues) => { args: ToolArguments } | { errors: FormErrors['errors'] & object }) =>
    async (c: WebContext) => {
      const form = await requireConsoleForm(web, c)
      const at = await getProposalPage(web, c, 'sessions.write')
      const given = read(at, form)
      if ('errors' in given) return sendProposalPage(web, c, at, { form, formErrors: { errors: given.errors } })
      let result: ScheduleResult = {}
      const formErrors = await catchFormErrors(async () => {
        result = await callEventTool<ScheduleResult>(web, at, manageSubmission, given.args)
      }, labelOf)
      if (formErrors) return sendProposalPage(web, c, at, { form, formErrors })
      const [conflict] = result.conflicts ?? []
      return c.redirect(`${at.here}?${conflict ? `conflict=${conflict.kind}&speaker=${conflict.speakerId}` : 'done=saved'}`, 303)
    }

  return createConsoleRouter(web)
    .get(PATH, async (c) => sendProposalPage(web, c, await getProposalPage(web, c, 'sessions.read')))
    .post(
      `${PATH}/decide`,
      change(({ submission }, form) => ({
        args: {
          action: 'decide',
          decisions: [
            {
              number: submission.number,
              decision: DECISIONS.find((one) => one === form['decision']) ?? 'none',
              ...(form['note']?.trim() ? { note: form['note'].trim() } : {}),
            },
          ],
          ...(form['force'] === 'on' ? { force: true } : {}),
        },
      })),
    )
    .post(
      `${PATH}/schedule`,
      change((at, form) => {
        const read = readSessionSlotForm(form, at.event.timezone) ?? {
          errors: [{ path: 'room', message: 'Choose a room, a day and a time.' }],
        }
        return 'errors' in read ? read : { args: { action: 'schedule', number: at.submission.number, ...read.slot } }
      }),
    )
    .post(
      `${PATH}/unschedule`,
      change(({ submission }) => ({ args: { action: 'unschedule', number: submission.number } })),
    )
}
