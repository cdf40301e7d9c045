import type { Child } from 'hono/jsx'
import { describeCompany } from '../../../../domains/exhibitors/company/read-company.ts'
import { getCompany } from '../../../../domains/exhibitors/companies.ts'
import { cleanText } from '../../../../kernel/clean-text.ts'
import manageCompany from '../../../../toolsets/exhibitors/manage-company.ts'
import { Button, Form, Input } from '../../components/forms.tsx'
import { createFieldReader, SubmitForm } from '../../components/form-page.tsx'
import { ListCard } from '../../components/list-page.tsx'
import { contentPage } from '../../components/page.tsx'
import { Card, Facts } from '../../components/parts.tsx'
import type { FormErrors } from '../../fields.ts'
import { csrfFor, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { EVENT_PATH, type EventPageContext, getEventPage } from '../event/event-page.ts'
import { consolePages, getForm, placeAt, sendConsolePage } from '../frame.tsx'
import { type ApplicationStatus, ExhibitorStatus, mayChangeExhibitors, type PageAction, submitPageAction } from './exhibitor-page.tsx'

const PATH = `${EVENT_PATH}/companies/:company{[0-9a-f]{24}}`

interface Parts {
  staff: { staffId: string; name: string; email: string | null; role: string; status: string; pass: string; participantId: string | null }[]
  booths: { number: string; areaM2: number }[]
  applications: { number: string; status: ApplicationStatus }[]
  licences: { licenceId: string; productCode: string; grants: string[]; seats: number; validSeats: number; status: string }[]
  devices: { seats: { total: number; used: number }; devices: { id: string; name: string; status: string; captures: number }[] }
  leadStats: { totals: { leads: number; captures: number } }
  points: { total: number; breakdown: { rule: string; value: number; points: number }[] } | null
}
const PARTS = ['staff', 'booths', 'applications', 'licences', 'devices', 'leadStats', 'points'] as const

interface CompanyPage extends EventPageContext {
  here: string
  company: Awaited<ReturnType<typeof describeCompany>>['company'] & Parts
}

async function getCompanyPage(web: WebServices, c: WebContext, see: 'exhibitors.read' | 'exhibitors.write'): Promise<CompanyPage> {
  const at = await getEventPage(web, c, see)
  const row = await getCompany(at.reading, cleanText(c.req.param('company') ?? '', 24))
  const { company } = await describeCompany(at.reading, row, PARTS)
  return { ...at, company: company as CompanyPage['company'], here: `${at.base}/companies/${row.id}` }
}

/** Reads the submitted change of the company, as a call of manage_company. */
function readAct({ company: { id, name } }: CompanyPage, form: FormValues): PageAction | FormErrors {
  const act = (args: object, words: Omit<PageAction, 'tool' | 'args'>): PageAction => ({ tool: manageCompany, args: { ...args }, ...words })
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
          title: `Cancel ${name}?`,
          effect:
            'Its booths become available and are credited; its appointments, licences and devices end. Leads and registered staff stay.',
          button: 'Cancel company',
          danger: true,
        },
      )
    default:
      return { message: 'Choose what to do with the company.' }
  }
}

const PeopleAndSpace = ({ at }: { at: CompanyPage }) => {
  const { staff, booths, applications } = at.company
  return (
    <>
      <ListCard
        title="Booth staff"
        caption="Booth staff"
        rows={staff}
        empty="No booth staff yet."
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
      <ListCard
        title="Booths"
        caption="Booths"
        rows={booths}
        empty="No booth yet."
        columns={[
          { label: 'Booth', lead: true, cell: ({ number }) => number },
          { label: 'Area', number: true, cell: ({ areaM2 }) => `${areaM2} m²` },
        ]}
      />
      <ListCard
        title="Booth applications"
        caption="Booth applications"
        rows={applications}
        empty="No application."
        columns={[
          { label: 'Application', lead: true, cell: ({ number }) => <a href={`${at.base}/applications/${number}`}>{number}</a> },
          { label: 'Status', cell: ({ status }) => <ExhibitorStatus status={status} /> },
        ]}
      />
    </>
  )
}

const LeadRetrieval = ({ at }: { at: CompanyPage }) => {
  const { licences, devices, leadStats, id, activationCode } = at.company
  const { leads, captures } = leadStats.totals
  return (
    <>
      <Card title="Lead retrieval">
        <Facts
          rows={[
            ['Leads', <a href={`${at.base}/leads?company=${id}`}>{`${leads} with ${captures} scans`}</a>],
            ['Scanners', `${devices.seats.used} of ${devices.seats.total} in use`],
            ...(activationCode ? [['Activation code', <span class="money">{activationCode}</span>] as [string, Child]] : []),
          ]}
        />
      </Card>
      <ListCard
        title="Licences"
        caption="Licences"
        rows={licences}
        empty="No lead licence. It is bought while registering, or granted by your assistant."
        columns={[
          { label: 'Product', lead: true, cell: ({ productCode }) => productCode },
          { label: 'For', cell: ({ grants }) => grants.join(', ') },
          { label: 'Seats', number: true, cell: ({ validSeats, seats }) => `${validSeats} of ${seats}` },
          { label: 'Status', cell: ({ status }) => status },
        ]}
      />
    </>
  )
}

const PointsCard = ({ at }: { at: CompanyPage }) => (
  <ListCard
    title={`Priority points: ${at.company.points?.total ?? 0}`}
    caption="Priority points"
    rows={at.company.points?.breakdown ?? []}
    empty="No rule of this event gives points to the company."
    columns={[
      { label: 'Rule', lead: true, cell: ({ rule }) => rule },
      { label: 'Value', number: true, cell: ({ value }) => value },
      { label: 'Points', number: true, cell: ({ points }) => points },
    ]}
  />
)

interface ActsProps {
  at: CompanyPage
  csrf: string
  form: FormValues
  formErrors: FormErrors | null
}

const Acts = ({ at, csrf, form, formErrors }: ActsProps) => {
  const field = createFieldReader(form, formErrors)
  const isOpen = at.company.status !== 'cancelled'
  const hidden = (act: string) => ({ act })
  return (
    <>
      <Card title="Adjust points">
        <SubmitForm action={at.here} csrf={csrf} hidden={hidden('points')} submit="Adjust points…">
          <Input {...field('points')} label="Points to add or remove" inputmode="decimal" autocomplete="off" />
          <Input {...field('reason')} label="Reason" maxlength={300} autocomplete="off" />
        </SubmitForm>
      </Card>
      {isOpen ? (
        <Card title="Invitation and code">
          <Form action={at.here} csrf={csrf} class="actions">
            {at.permissions.has('email.send') ? (
              <Button name="act" value="invite">
                Invite…
              </Button>
            ) : null}
            <Button name="act" value="rotate">
              Replace activation code…
            </Button>
          </Form>
        </Card>
      ) : null}
      {isOpen ? (
        <Card title="Cancel the company">
          <SubmitForm action={at.here} csrf={csrf} hidden={hidden('cancel')} submit="Cancel company…" tone="danger">
            <Input {...field('cancelReason')} label="Reason for the cancellation" maxlength={300} autocomplete="off" />
          </SubmitForm>
        </Card>
      ) : null}
    </>
  )
}

/** `…/companies/<id>`: one exhibitor with staff, booths, licences and points, and the changes of manage_company. */
export function companyPages(web: WebServices) {
  const sendPage = (c: WebContext, at: CompanyPage, form: FormValues = {}, formErrors: FormErrors | null = null) => {
    const { name, code, status, contact, website, country } = at.company
    const page = contentPage(
      {
        title: name,
        text: `${code}, ${status}`,
        crumbs: [
          { href: at.base, label: at.event.name },
          { href: `${at.base}/companies`, label: 'Companies' },
        ],
        formErrors,
      },
      <>
        <Card title="Company">
          <Facts
            rows={[
              ['Status', <ExhibitorStatus status={status} />],
              ['Contact', <bdi>{[contact.name, contact.email].filter(Boolean).join(', ') || '–'}</bdi>],
              ['Website', <bdi>{website ?? '–'}</bdi>],
              ['Country', country ?? '–'],
            ]}
          />
        </Card>
        <PeopleAndSpace at={at} />
        <LeadRetrieval at={at} />
        <PointsCard at={at} />
        {mayChangeExhibitors(at) ? <Acts at={at} csrf={csrfFor(web, c)} form={form} formErrors={formErrors} /> : null}
      </>,
    )
    return sendConsolePage(web, c, placeAt(at, 'companies'), page)
  }

  return consolePages(web)
    .get(PATH, async (c) => sendPage(c, await getCompanyPage(web, c, 'exhibitors.read')))
    .post(PATH, async (c) => {
      const form = await getForm(web, c)
      const at = await getCompanyPage(web, c, 'exhibitors.write')
      if (form['act'] === 'cancel' && form['cancelReason']) form['reason'] = form['cancelReason']
      const act = readAct(at, form)
      if (!('tool' in act)) return sendPage(c, at, form, act)
      const back = { href: at.here, label: at.company.name }
      const done = await submitPageAction(web, c, at, { act, form, fields: ['act', 'points', 'reason', 'cancelReason'], back })
      return done instanceof Response ? done : sendPage(c, at, form, done)
    })
}
