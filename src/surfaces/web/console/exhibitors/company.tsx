import type { Child } from 'hono/jsx'
import { describeCompany } from '../../../../domains/exhibitors/company/read-company.ts'
import { getCompany } from '../../../../domains/exhibitors/companies.ts'
import { cleanText } from '../../../../kernel/clean-text.ts'
import manageCompany from '../../../../toolsets/exhibitors/manage-company.ts'
import { formatCountryWithCode } from '../../components/codes.tsx'
import { Button, Form, Input } from '../../components/forms.tsx'
import { createFieldPropsGetter, SubmitForm } from '../../components/form-page.tsx'
import { ListCard } from '../../components/list-page.tsx'
import { ActionsCard, ExpandableAction } from '../../components/outcome.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Card, DescriptionList, StatusDot } from '../../components/parts.tsx'
import type { FormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import {
  type ApplicationStatus,
  ExhibitorStatusDot,
  mayChangeExhibitors,
  type ExhibitorPageAction,
  submitExhibitorPageAction,
} from './exhibitor-page.tsx'

const PATH = `${CONSOLE_EVENT_PATH}/companies/:company{[0-9a-f]{24}}`

interface Parts {
  staff: { staffId: string; name: string; email: string | null; role: string; status: string; pass: string; participantId: string | null }[]
  booths: { number: string; areaM2: number }[]
  applications: { number: string; status: ApplicationStatus }[]
  licences: { licenceId: string; productCode: string; grants: string[]; seats: number; validSeats: number; status: string }[]
  devices: { seats: { total: number; used: number }; devices: { id: string; name: string; status: string; captures: number }[] }
  leadStats: { totals: { leads: number; captures: number } }
  points: { total: number; breakdown: { rule: string; value: number; points: number }[] } | null
}

/** Labels of the rights that a licence for lead scanning grants. An event can define further rights. */
const GRANT_LABELS: Record<string, string> = {
  sdk: 'Scanning with an own app',
  device: 'Scanning devices',
}

const PARTS = ['staff', 'booths', 'applications', 'licences', 'devices', 'leadStats', 'points'] as const

interface CompanyPage extends EventPageContext {
  here: string
  company: Awaited<ReturnType<typeof describeCompany>>['company'] & Parts
}

async function getCompanyPage(web: WebServices, c: WebContext, see: 'exhibitors.read' | 'exhibitors.write'): Promise<CompanyPage> {
  const at = await getEventPageContext(web, c, see)
  const row = await getCompany(at.reading, cleanText(c.req.param('company') ?? '', 24))
  const { company } = await describeCompany(at.reading, row, PARTS)
  return { ...at, company: company as CompanyPage['company'], here: `${at.base}/companies/${row.id}` }
}

/** Reads the submitted change of the company, as a call of manage_company. */
function readAct({ company: { id, name } }: CompanyPage, form: FormValues): ExhibitorPageAction | FormErrors {
  const act = (args: object, words: Omit<ExhibitorPageAction, 'tool' | 'args'>): ExhibitorPageAction => ({
    tool: manageCompany,
    args: { ...args },
    ...words,
  })
  const reason = (form['reason'] ?? '').trim()
  switch (form['act']) {
    case 'invite':
      return act(
        { action: 'invite', companyIds: [id] },
        { title: `Invite ${name}?`, effect: 'The contact gets an email with the link to register.', button: 'Send invitation' },
      )
    case 'rotate':
      return act(
        { action: 'rotate_activation_code', companyId: id },
        {
          title: `Replace the activation code of ${name}?`,
          effect: 'The former code no longer works. Devices that are active go on.',
          button: 'Replace code',
          danger: true,
        },
      )
    case 'points': {
      const points = Number(form['points'])
      if (!Number.isFinite(points) || points === 0) return { errors: [{ path: 'points', message: 'Enter points, such as 5 or -2.' }] }
      if (reason === '') return { errors: [{ path: 'reason', message: 'Enter a reason.' }] }
      return act(
        { action: 'adjust_points', companyId: id, points, reason },
        {
          title: `Adjust the points of ${name}?`,
          effect: `The company gets ${points} points, also at later events.`,
          button: 'Adjust points',
        },
      )
    }
    case 'cancel':
      if (reason === '') return { errors: [{ path: 'cancelReason', message: 'Enter a reason.' }] }
      return act(
        { action: 'cancel', companyId: id, reason },
        {
          title: `Cancel the participation of ${name}?`,
          effect:
            'Its booths become available and are credited; its appointments, licences and devices end. Leads and registered staff stay.',
          button: 'Cancel participation',
          danger: true,
        },
      )
    default:
      return { message: 'Choose what to do with the company.' }
  }
}

/** The facts of a company. A section without rows, such as its booths, is one line of text here instead of an empty list. */
function listFacts({ base, company }: CompanyPage): [string, Child][] {
  const { status, contact, website, country, staff, applications, licences, devices, leadStats, id, activationCode } = company
  const booths: Parts['booths'] = company.booths
  const { leads, captures } = leadStats.totals
  const none = <span class="muted">None yet</span>
  const when = (shown: boolean, label: string, value: Child): [string, Child][] => (shown ? [[label, value]] : [])
  return [
    ['Status', <ExhibitorStatusDot status={status} />],
    ['Contact', <bdi>{[contact.name, contact.email].filter(Boolean).join(', ') || '–'}</bdi>],
    ...when(Boolean(website), 'Website', <bdi>{website}</bdi>),
    ...when(Boolean(country), 'Country', formatCountryWithCode(country ?? '')),
    ['Booths', booths.length > 0 ? booths.map(({ number, areaM2 }) => `${number} (${areaM2} m²)`).join(', ') : none],
    ...when(applications.length === 0, 'Applications', none),
    ...when(staff.length === 0, 'Booth staff', none),
    [
      'Leads',
      leads > 0 ? <a href={`${base}/leads?company=${id}`}>{`${leads} from ${captures} ${captures === 1 ? 'scan' : 'scans'}`}</a> : none,
    ],
    ...when(licences.length === 0, 'Lead licence', 'None. It is bought while registering, or granted by your assistant.'),
    ...when(devices.seats.total > 0, 'Scanners', `${devices.seats.used} of ${devices.seats.total} in use`),
    ...when(Boolean(activationCode) && licences.length > 0, 'Activation code', activationCode),
  ]
}

const PeopleAndSpace = ({ at }: { at: CompanyPage }) => {
  const { staff, applications, licences, points } = at.company
  return (
    <>
      {staff.length > 0 ? (
        <ListCard
          title="Booth staff"
          caption="Booth staff"
          rows={staff}
          columns={[
            {
              label: 'Name',
              lead: true,
              cell: ({ name, email, participantId }) => (
                <>
                  {participantId ? (
                    <a href={`${at.base}/participants/${participantId}`} dir="auto">
                      {name}
                    </a>
                  ) : (
                    <bdi>{name}</bdi>
                  )}
                  <div class="muted">{email}</div>
                </>
              ),
            },
            { label: 'Role', cell: ({ role }) => role },
            { label: 'Pass', cell: ({ pass }) => pass },
            { label: 'Status', cell: ({ status }) => status },
          ]}
        />
      ) : null}
      {applications.length > 0 ? (
        <ListCard
          title="Booth applications"
          caption="Booth applications"
          rows={applications}
          columns={[
            { label: 'Application', lead: true, cell: ({ number }) => <a href={`${at.base}/applications/${number}`}>{number}</a> },
            { label: 'Status', cell: ({ status }) => <ExhibitorStatusDot status={status} /> },
          ]}
        />
      ) : null}
      {licences.length > 0 ? (
        <ListCard
          title="Lead licences"
          caption="Lead licences"
          rows={licences}
          columns={[
            { label: 'Product', lead: true, cell: ({ productCode }) => productCode },
            { label: 'Allows', cell: ({ grants }) => grants.map((grant) => GRANT_LABELS[grant] ?? grant).join(', ') },
            { label: 'Seats', number: true, cell: ({ validSeats, seats }) => `${validSeats} of ${seats}` },
            { label: 'Status', cell: ({ status }) => <StatusDot tone={status === 'active' ? 'success' : undefined}>{status}</StatusDot> },
          ]}
        />
      ) : null}
      <ListCard
        title={`Priority points: ${points?.total ?? 0}`}
        caption="Priority points"
        rows={points?.breakdown ?? []}
        empty="No rule of this event gives points to the company."
        columns={[
          { label: 'Rule', lead: true, cell: ({ rule }) => rule },
          { label: 'Value', number: true, cell: ({ value }) => value },
          { label: 'Points', number: true, cell: ({ points: given }) => given },
        ]}
      />
    </>
  )
}

interface ActsProps {
  at: CompanyPage
  csrf: string
  form: FormValues
  formErrors: FormErrors | null
}

const Acts = ({ at, csrf, form, formErrors }: ActsProps) => {
  const field = createFieldPropsGetter(form, formErrors)
  const isOpen = at.company.status !== 'cancelled'
  const hidden = (act: string) => ({ act })
  const group = 'company-act'
  return (
    <ActionsCard title="Change" id="company-acts">
      <ExpandableAction title="Adjust points" name={group} open={form['act'] === 'points'}>
        <SubmitForm action={at.here} csrf={csrf} hidden={hidden('points')} submit="Adjust points…" tone="plain">
          <Input {...field('points')} label="Points to add or remove" inputmode="decimal" autocomplete="off" />
          <Input {...field('reason')} label="Reason" maxlength={300} autocomplete="off" />
        </SubmitForm>
      </ExpandableAction>
      {isOpen ? (
        <ExpandableAction title="Replace activation code" name={group}>
          <SubmitForm action={at.here} csrf={csrf} hidden={hidden('rotate')} submit="Replace activation code…" tone="plain">
            <p>The former code no longer works. Active devices go on.</p>
          </SubmitForm>
        </ExpandableAction>
      ) : null}
      {isOpen ? (
        <ExpandableAction title="Cancel participation" name={group} open={form['act'] === 'cancel'}>
          <SubmitForm action={at.here} csrf={csrf} hidden={hidden('cancel')} submit="Cancel participation…" tone="danger">
            <Input {...field('cancelReason')} label="Reason for the cancellation" maxlength={300} autocomplete="off" />
          </SubmitForm>
        </ExpandableAction>
      ) : null}
    </ActionsCard>
  )
}

/** `…/companies/<id>`: one exhibitor with staff, booths, licences and points, and forms for the changes that manage_company can make. */
export function companyPages(web: WebServices) {
  const sendPage = (c: WebContext, at: CompanyPage, form: FormValues = {}, formErrors: FormErrors | null = null) => {
    const { name, status } = at.company
    const mayChange = mayChangeExhibitors(at)
    const page = renderContentPage(
      {
        title: name,
        actions:
          mayChange && status !== 'cancelled' && at.permissions.has('email.send') ? (
            <Form action={at.here} csrf={getCsrfToken(web, c)}>
              <Button name="act" value="invite" tone="primary">
                Invite…
              </Button>
            </Form>
          ) : null,
        crumbs: [
          { href: at.base, label: at.event.name },
          { href: `${at.base}/companies`, label: 'Companies' },
        ],
        formErrors,
      },
      <div class="grid wide-left">
        <div class="grid">
          <Card title="Company">
            <DescriptionList rows={listFacts(at)} />
          </Card>
          <PeopleAndSpace at={at} />
        </div>
        {mayChange ? <Acts at={at} csrf={getCsrfToken(web, c)} form={form} formErrors={formErrors} /> : null}
      </div>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'companies'), page)
  }

  return createConsoleRouter(web)
    .get(PATH, async (c) => sendPage(c, await getCompanyPage(web, c, 'exhibitors.read')))
    .post(PATH, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getCompanyPage(web, c, 'exhibitors.write')
      if (form['act'] === 'cancel' && form['cancelReason']) form['reason'] = form['cancelReason']
      const act = readAct(at, form)
      if (!('tool' in act)) return sendPage(c, at, form, act)
      const back = { href: at.here, label: at.company.name }
      const done = await submitExhibitorPageAction(web, c, at, { act, form, fields: ['act', 'points', 'reason', 'cancelReason'], back })
      return done instanceof Response ? done : sendPage(c, at, form, done)
    })
}
