import { countAudience } from '../../../../domains/surveys/audience.ts'
import { listSurveys, type ListedSurvey } from '../../../../domains/surveys/figures/list-surveys.ts'
import { type CreatedInvite, createSurveyInvites, MAX_INVITES } from '../../../../domains/surveys/invites.ts'
import { getSurvey, readSurveyConfig } from '../../../../domains/surveys/survey-config.ts'
import { formatCsvLine } from '../../../../domains/sheets/csv.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { formatInstantWithTimeZone } from '../../../../kernel/language/format.ts'
import type { Permission } from '../../../../kernel/permissions.ts'
import { RadioGroup } from '../../components/choices.tsx'
import { formatInteger } from '../../components/figures.tsx'
import { FormActions, Button, Form, LinkButton } from '../../components/forms.tsx'
import { renderListPage } from '../../components/list-page.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Card, DescriptionList, Notice, StatusDot, type TableColumn } from '../../components/parts.tsx'
import { getCsrfToken, type WebContext, type WebServices } from '../../web.ts'
import { runEventChange, CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { requireConsoleForm, createConsoleRouter, requirePermission, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'

const SURVEYS_PATH = `${CONSOLE_EVENT_PATH}/surveys`

/** The file of personal links contains names and email addresses, so it needs the same permissions as emailing the links. */
const LINK_PERMISSIONS: readonly Permission[] = ['email.write', 'email.send', 'registration.read']

const mayCreateLinks = ({ permissions }: EventPageContext) => LINK_PERMISSIONS.every((permission) => permissions.has(permission))

const PERIODS = {
  open: { tone: 'success', label: 'Open' },
  notYet: { tone: 'warning', label: 'Not open yet' },
  closed: { tone: 'danger', label: 'Closed' },
} as const

const formatRate = (rate: number | null) => (rate === null ? '–' : `${rate.toFixed(1)}%`)

const columns = (at: EventPageContext): TableColumn<ListedSurvey>[] => [
  {
    label: 'Survey',
    lead: true,
    cell: ({ code, name }) => (
      <a href={`${at.base}/surveys/${code}`} dir="auto">
        {name}
      </a>
    ),
  },
  { label: 'Status', twoLine: 'mark', cell: ({ period }) => <StatusDot tone={PERIODS[period].tone}>{PERIODS[period].label}</StatusDot> },
  { label: 'Answers', cell: ({ anonymous }) => (anonymous ? 'Anonymous' : 'With names') },
  { label: 'Questions', number: true, cell: ({ questions }) => formatInteger(questions) },
  { label: 'Invited', number: true, cell: ({ invited }) => formatInteger(invited) },
  { label: 'Started', number: true, cell: ({ started }) => formatInteger(started) },
  {
    label: 'Complete',
    number: true,
    twoLine: 'detail',
    cell: ({ complete, invited }) => (
      <>
        {formatInteger(complete)}
        <span class="narrow-only"> complete, {formatInteger(invited)} invited</span>
      </>
    ),
  },
  { label: 'Response rate', number: true, twoLine: 'figure', cell: ({ responseRate }) => formatRate(responseRate) },
]

async function showSurveys(web: WebServices, c: WebContext): Promise<Response> {
  const at = await getEventPageContext(web, c, 'reports.read')
  const page = renderListPage({
    title: `Surveys of ${at.event.name}`,
    heading: 'Surveys',
    text: 'Questions to participants after the event or a session. Select a survey to see its answers and to create personal links.',
    crumbs: [{ href: at.base, label: at.event.name }],
    caption: 'Surveys',
    columns: columns(at),
    rows: await listSurveys(at.reading),
    empty: {
      title: 'No surveys yet',
      ask: `Add a survey to ${at.event.name} that asks whether people would recommend it.`,
      text: 'A survey appears here as soon as it is published.',
    },
  })
  return sendConsolePage(web, c, getNavigationPosition(at, 'surveys'), page)
}

/** Returns the survey in the URL. */
async function getListedSurvey(c: WebContext, at: EventPageContext): Promise<ListedSurvey> {
  const code = (c.req.param('survey') ?? '').toLowerCase()
  const listed = (await listSurveys(at.reading)).find((one) => one.code === code)
  if (!listed) throw notFound(`${at.event.name} has no survey ${code}`)
  return listed
}

async function showSurvey(web: WebServices, c: WebContext): Promise<Response> {
  const at = await getEventPageContext(web, c, 'reports.read')
  const listed = await getListedSurvey(c, at)
  const page = renderContentPage(
    {
      title: `${listed.name} · ${at.event.name}`,
      heading: listed.name,
      text: describeSurvey(at, listed),
      crumbs: [
        { href: at.base, label: at.event.name },
        { href: `${at.base}/surveys`, label: 'Surveys' },
      ],
    },
    <div class="stack">
      <Figures listed={listed} answers={`${at.base}/reports/survey-summary?p-surveyCode=${listed.code}`} />
      {mayCreateLinks(at) ? await showLinkForm(web, c, at, listed) : null}
    </div>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'surveys'), page)
}

function describeSurvey({ event }: EventPageContext, { period, anonymous, perSession, opensAt, closesAt }: ListedSurvey): string {
  const moment = (instant: string) => formatInstantWithTimeZone('en-GB', new Date(instant), event.timezone)
  return [
    `${PERIODS[period].label}.`,
    anonymous ? 'Answers are stored without names.' : 'Answers are stored with the registration.',
    perSession ? 'Each person gets one link per session.' : null,
    opensAt && period === 'notYet' ? `Opens ${moment(opensAt)}.` : null,
    closesAt ? `Closes ${moment(closesAt)}.` : null,
  ]
    .filter(Boolean)
    .join(' ')
}

const Figures = ({ listed, answers }: { listed: ListedSurvey; answers: string }) => (
  <Card title="Responses" actions={listed.complete > 0 ? <LinkButton href={answers}>See answers</LinkButton> : null}>
    <DescriptionList
      rows={[
        ['Invited', formatInteger(listed.invited)],
        ['Delivered', formatInteger(listed.delivered)],
        ['Started', formatInteger(listed.started)],
        ['Complete', formatInteger(listed.complete)],
        ['Declined', formatInteger(listed.declined)],
        ['Response rate', formatRate(listed.responseRate)],
      ]}
    />
  </Card>
)

async function showLinkForm(
  web: WebServices,
  c: WebContext,
  at: EventPageContext,
  { code, period, anonymous, invited, complete }: ListedSurvey,
) {
  const { config } = await readSurveyConfig(at.reading)
  const { matched, uninvited } = await countAudience(at.reading, getSurvey(config.surveys, code))
  if (period === 'closed') return <Notice>The survey is closed, so no more links can be created.</Notice>
  const open = invited - complete
  return (
    <Card title="Personal links">
      <Form action={`${at.base}/surveys/${code}/links`} csrf={getCsrfToken(web, c)} class="stack">
        <p>
          {formatInteger(matched)} people match the audience of the survey; {formatInteger(uninvited)} of them have no link yet. The links
          are downloaded as a CSV file with names and email addresses. They are shown only once.
        </p>
        <RadioGroup
          name="who"
          legend="Create links for"
          value="new"
          options={[
            { value: 'new', label: `People without a link (${formatInteger(uninvited)})` },
            {
              value: 'again',
              label: `People who have not answered (${formatInteger(open)})`,
              help: anonymous
                ? 'Their earlier links stop working, except for people who have started to answer.'
                : 'Their earlier links stop working. Answers saved so far are kept.',
            },
          ]}
        />
        <FormActions>
          <Button tone="primary">Download links</Button>
        </FormActions>
        <p class="small muted">One file has at most {formatInteger(MAX_INVITES)} links. Repeat the download for the rest.</p>
      </Form>
    </Card>
  )
}

/** Creates personal links to a survey and returns them as a CSV file, so that they appear in no URL, cookie or table. */
async function createLinks(web: WebServices, c: WebContext): Promise<Response> {
  const at = await getEventPageContext(web, c, 'reports.read')
  for (const permission of LINK_PERMISSIONS) requirePermission(at.event.name, at.permissions, permission)
  const form = await requireConsoleForm(web, c)
  const { code: surveyCode } = await getListedSurvey(c, at)
  const who = form['who'] === 'again' ? 'again' : 'new'
  const created = await runEventChange(web, at, 'create_survey_links', (ctx) =>
    createSurveyInvites(ctx, { surveyCode, who, status: 'delivered' }),
  )
  return c.body(toCsv(created), 200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="survey-links-${surveyCode}.csv"`,
    'cache-control': 'no-store',
  })
}

const toCsv = (created: readonly CreatedInvite[]): string =>
  [
    ['name', 'email', 'session', 'link'],
    ...created.map(({ name, email, sessionTitle, link }) => [name, email ?? '', sessionTitle ?? '', link.reveal()]),
  ]
    .map(formatCsvLine)
    .join('')

/** `…/surveys`: the surveys of an event with their response rates, and the creation of personal links. */
export const surveyConsolePages = (web: WebServices) =>
  createConsoleRouter(web)
    .get(SURVEYS_PATH, (c) => showSurveys(web, c))
    .get(`${SURVEYS_PATH}/:survey`, (c) => showSurvey(web, c))
    .post(`${SURVEYS_PATH}/:survey/links`, (c) => createLinks(web, c))
