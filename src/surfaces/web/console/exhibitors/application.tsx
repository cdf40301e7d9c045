import type { Child } from 'hono/jsx'
import { listBoothApplications } from '../../../../domains/exhibitors/applications/list.ts'
import { APPLICATION_STATES } from '../../../../domains/exhibitors/states.ts'
import { cleanText } from '../../../../kernel/clean-text.ts'
import { formatInstantWithTimeZone } from '../../../../kernel/language/format.ts'
import manageBoothApplication from '../../../../toolsets/exhibitors/manage-booth-application.ts'
import { Checkbox, Input, Select } from '../../components/forms.tsx'
import { createFieldPropsGetter, SubmitForm } from '../../components/form-page.tsx'
import { ListCard } from '../../components/list-page.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Card, DescriptionList, TimestampText } from '../../components/parts.tsx'
import type { FormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import { type BoothApplication, describeRequestedSpace } from './applications.tsx'
import {
  type ApplicationStatus,
  ExhibitorStatusDot,
  mayChangeExhibitors,
  type ExhibitorPageAction,
  submitExhibitorPageAction,
} from './exhibitor-page.tsx'

const PATH = `${CONSOLE_EVENT_PATH}/applications/:application{[Aa]-[0-9]+}`

interface ApplicationPage extends EventPageContext {
  here: string
  application: BoothApplication
  pointsBreakdown: { rule: string; value: number; points: number }[]
  note: string | null
}

async function getApplicationPage(web: WebServices, c: WebContext, see: 'exhibitors.read' | 'exhibitors.write'): Promise<ApplicationPage> {
  const at = await getEventPageContext(web, c, see)
  const applicationNumber = cleanText(c.req.param('application') ?? '', 20).toUpperCase()
  const found = await listBoothApplications(at.reading, { applicationNumber })
  const [application] = found.applications
  return {
    ...at,
    application: application!,
    pointsBreakdown: 'pointsBreakdown' in found ? found.pointsBreakdown : [],
    note: 'decisionNote' in found ? (found.decisionNote ?? null) : null,
    here: `${at.base}/applications/${application!.number}`,
  }
}

/**
 * The decisions that an organizer can make about a booth application, with the status that each leads to. Only those that the status allows
 * are offered.
 */
const DECISIONS = [
  { value: 'review', to: 'under_review', label: 'Mark as under review' },
  { value: 'approve', to: 'approved', label: 'Approve' },
  { value: 'waitlist', to: 'waitlisted', label: 'Waiting list' },
  { value: 'reject', to: 'rejected', label: 'Reject' },
  { value: 'withdraw', to: 'withdrawn', label: 'Withdraw' },
] as const satisfies readonly { value: string; to: ApplicationStatus; label: string }[]

/** Lists the possible decisions about a booth application. A submitted application allows all decisions of one that is under review. */
const listDecisions = (status: ApplicationStatus) => {
  const from = status === 'submitted' ? (['submitted', 'under_review'] as const) : ([status] as const)
  // An application with an open booth offer has other actions, such as withdrawing the offer.
  if (status === 'offered') return []
  return DECISIONS.filter(({ to }) => from.some((one) => APPLICATION_STATES.can(one, to)))
}

function readAct({ application: { number, company } }: ApplicationPage, form: FormValues): ExhibitorPageAction | FormErrors {
  const act = (args: object, words: Omit<ExhibitorPageAction, 'tool' | 'args'>): ExhibitorPageAction => ({
    tool: manageBoothApplication,
    args: { number, ...args },
    ...words,
  })
  const note = (form['note'] ?? '').trim()
  switch (form['act']) {
    case 'decide': {
      const decision = DECISIONS.find(({ value }) => value === form['decision'])
      if (!decision) return { errors: [{ path: 'decision', message: 'Choose a decision.' }] }
      return act(
        { action: decision.value, ...(note === '' ? {} : { note }) },
        {
          title: `${decision.label}: ${number} of ${company.name}?`,
          effect: `The application becomes ${decision.to.replace('_', ' ')}. The company gets no email.`,
          button: decision.label,
          danger: decision.value === 'reject' || decision.value === 'withdraw',
        },
      )
    }
    case 'offer': {
      const boothNumbers = (form['booths'] ?? '').split(/[\s,;]+/).filter((one) => one !== '')
      if (boothNumbers.length === 0) return { errors: [{ path: 'booths', message: 'Enter the number of a booth, such as 101.' }] }
      return act(
        { action: 'offer', boothNumbers, notify: form['notify'] === 'on' },
        {
          title: `Offer ${boothNumbers.join(', ')} to ${company.name}?`,
          effect: 'The booths are held for the company until it answers or the offer ends.',
          button: 'Make offer',
        },
      )
    }
    case 'accept':
      return act(
        { action: 'accept' },
        {
          title: `Accept the offer for ${company.name}?`,
          effect: 'The company gets the booths and owes the offered amount, as if it had accepted the offer itself.',
          button: 'Accept offer',
        },
      )
    case 'withdraw_offer':
      return act(
        { action: 'withdraw_offer' },
        {
          title: `Withdraw the offer to ${company.name}?`,
          effect: 'The booths are available again, and the application waits for another offer.',
          button: 'Withdraw offer',
          danger: true,
        },
      )
    default:
      return { message: 'Choose what to do with the application.' }
  }
}

interface ActsProps {
  at: ApplicationPage
  csrf: string
  form: FormValues
  formErrors: FormErrors | null
}

const Acts = ({ at, csrf, form, formErrors }: ActsProps) => {
  const { status } = at.application
  const field = createFieldPropsGetter(form, formErrors)
  const decisions = listDecisions(status)
  const mayOffer = at.permissions.has('email.send')
  return (
    <>
      {decisions.length > 0 ? (
        <Card title="Decide">
          <SubmitForm action={at.here} csrf={csrf} hidden={{ act: 'decide' }} submit="Review decision">
            <Select {...field('decision')} label="Decision" options={decisions.map(({ value, label }) => ({ value, label }))} />
            <Input {...field('note')} label="Note for your team" optional="(optional)" maxlength={2000} autocomplete="off" />
          </SubmitForm>
        </Card>
      ) : null}
      {status === 'approved' && mayOffer ? (
        <Card title="Offer booths">
          <SubmitForm action={at.here} csrf={csrf} hidden={{ act: 'offer' }} submit="Review offer">
            <Input {...field('booths')} label="Booth numbers" help="Separated by commas." autocomplete="off" />
            <Checkbox name="notify" label="Send the offer by email" checked={Object.keys(form).length === 0 || form['notify'] === 'on'} />
          </SubmitForm>
        </Card>
      ) : null}
      {status === 'offered' ? (
        <Card title="Open offer">
          <div class="actions">
            <SubmitForm action={at.here} csrf={csrf} hidden={{ act: 'accept' }} submit="Accept for the company…" />
            <SubmitForm action={at.here} csrf={csrf} hidden={{ act: 'withdraw_offer' }} submit="Withdraw offer…" tone="danger" />
          </div>
        </Card>
      ) : null}
    </>
  )
}

/** A list with one labelled fact, or an empty list if its value is missing. */
const when = <Value,>(label: string, value: Value | null | undefined, show: (value: Value) => Child): [string, Child][] =>
  value ? [[label, show(value)]] : []

const ApplicationFacts = ({ at }: { at: ApplicationPage }) => {
  const { application, note } = at
  const { offer } = application
  return (
    <Card title="Application">
      <DescriptionList
        rows={[
          ['Status', <ExhibitorStatusDot status={application.status} />],
          [
            'Company',
            <a href={`${at.base}/companies/${application.company.companyId}`} dir="auto">
              {application.company.name}
            </a>,
          ],
          ...when('Wanted', describeRequestedSpace(application), (wish) => <bdi>{wish}</bdi>),
          ...when('Submitted', application.submittedAt, (at) => <TimestampText at={new Date(at)} />),
          ...when('Booths', application.assigned.join(', '), (booths) => booths),
          ...when(
            'Offer',
            offer,
            ({ boothNumbers, price, until }) =>
              `${boothNumbers.join(', ')} for ${formatAmountWithCurrency(price.total)} until ${formatInstantWithTimeZone('en-GB', new Date(until), at.event.timezone)}`,
          ),
          ...when('Note', note, (words) => <bdi>{words}</bdi>),
        ]}
      />
    </Card>
  )
}

/**
 * `…/applications/<number>`: one booth application with its points, and forms for the decisions and offers that manage_booth_application
 * can make.
 */
export function applicationPages(web: WebServices) {
  const sendPage = (c: WebContext, at: ApplicationPage, form: FormValues = {}, formErrors: FormErrors | null = null) => {
    const { application } = at
    const page = renderContentPage(
      {
        title: `Application ${application.number}`,
        text: application.company.name,
        crumbs: [
          { href: at.base, label: at.event.name },
          { href: `${at.base}/applications`, label: 'Applications' },
        ],
        formErrors,
      },
      <>
        <ApplicationFacts at={at} />
        <ListCard
          title={`Priority points: ${application.points}`}
          caption="Priority points"
          rows={at.pointsBreakdown}
          empty="No rule of this event gives points to the company."
          columns={[
            { label: 'Rule', lead: true, cell: ({ rule }) => rule },
            { label: 'Value', number: true, cell: ({ value }) => value },
            { label: 'Points', number: true, cell: ({ points }) => points },
          ]}
        />
        {mayChangeExhibitors(at) ? <Acts at={at} csrf={getCsrfToken(web, c)} form={form} formErrors={formErrors} /> : null}
      </>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'companies'), page)
  }

  return createConsoleRouter(web)
    .get(PATH, async (c) => sendPage(c, await getApplicationPage(web, c, 'exhibitors.read')))
    .post(PATH, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getApplicationPage(web, c, 'exhibitors.write')
      const act = readAct(at, form)
      if (!('tool' in act)) return sendPage(c, at, form, act)
      const back = { href: at.here, label: at.application.number }
      const done = await submitExhibitorPageAction(web, c, at, { act, form, fields: ['act', 'decision', 'note', 'booths', 'notify'], back })
      return done instanceof Response ? done : sendPage(c, at, form, done)
    })
}
