import type { Child } from 'hono/jsx'
import { dataFieldsOf } from '../../../../domains/configuration/data-fields.ts'
import { type Configuration, readDraft, readLive } from '../../../../domains/configuration/read.ts'
import { getParticipant } from '../../../../domains/registration/get-participant.ts'
import { labelOf } from '../../../../domains/registration/missing.ts'
import { resendConfirmation } from '../../../../domains/registration/resend.ts'
import { countryInWords } from '../../components/codes.tsx'
import { daysInWords } from '../../components/dates.ts'
import { Button, ErrorSummary, Form, LinkButton } from '../../components/forms.tsx'
import { Badge, Card, Facts, Notice, Table, Time } from '../../components/parts.tsx'
import { attempt, type Refused } from '../../fields.ts'
import { csrfFor, type Web, type WebContext } from '../../web.ts'
import { changeAtEvent } from '../event/at-event.ts'
import { moneyInWords } from '../event/figures.tsx'
import { consolePages, formOf, frame } from '../frame.tsx'
import { type AtPerson, atPerson, PERSON_PATH } from './at-person.ts'
import { History } from './history.tsx'
import { PersonStatus } from './list.tsx'

type Whole = Awaited<ReturnType<typeof getParticipant>>

const INCLUDE = ['history', 'housing', 'sessions', 'emails'] as const
const MOST_TEXT = 300

const inWords = (value: unknown): string => {
  const text =
    value === true
      ? 'yes'
      : value === false
        ? 'no'
        : Array.isArray(value)
          ? value.join(', ')
          : typeof value === 'object'
            ? JSON.stringify(value)
            : String(value)
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT).toWellFormed()}…` : text
}

/** Everything the person said, by what the question and the choice are called. */
function answersIn({ participant }: Whole, { config }: Configuration): [string, Child][] {
  const fields = new Map(dataFieldsOf(config).map((field) => [field.binding, field]))
  const properties = Object.entries(participant).map(([name, value]) => [`@participant.${name}`, value] as const)
  const own = Object.entries(participant.customFieldResponses ?? {}).map(([code, value]) => [`@custom.${code}`, value] as const)
  const rest = Object.entries(participant.answers ?? {}).filter(([binding]) => !binding.startsWith('@product.'))
  const called = (binding: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((one) => called(binding, one))
    const { type, choices } = fields.get(binding) ?? {}
    return type === 'country' ? countryInWords(String(value)) : (choices?.find(({ code }) => code === value)?.name ?? value)
  }
  return [...properties.filter(([binding]) => fields.has(binding)), ...own, ...rest]
    .filter(([, value]) => value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0))
    .map(([binding, value]) => [labelOf(config, binding), <bdi>{inWords(called(binding, value))}</bdi>])
}

const PersonHeading = ({ at, whole, csrf }: { at: AtPerson; whole: Whole; csrf: string }) => {
  const { participant } = whole
  const mayWrite = at.permissions.has('registration.write') && at.event.status !== 'archived'
  const facts = [
    participant.confirmationNumber,
    participant.company,
    participant.completedAt
      ? `registered ${daysInWords(participant.completedAt.slice(0, 10), participant.completedAt.slice(0, 10))}`
      : null,
  ].filter((fact) => fact !== null && fact !== undefined)
  return (
    <div class="heading">
      <div>
        <p class="crumbs">
          <a href={at.base}>
            <bdi>{at.event.name}</bdi>
          </a>{' '}
          / <a href={`${at.base}/participants`}>Participants</a> /
        </p>
        <div class="title">
          <h1 dir="auto">{at.name}</h1>
          <PersonStatus status={participant.status} />
          {participant.isTestData ? <Badge tone="warning">test data</Badge> : null}
        </div>
        <p>
          <bdi>{facts.join(' · ')}</bdi>
        </p>
      </div>
      {mayWrite ? (
        <div class="row">
          <LinkButton href={`${at.here}/edit`}>Edit</LinkButton>
          <Form action={`${at.here}/resend`} csrf={csrf}>
            <Button>Send confirmation again</Button>
          </Form>
          {participant.status === 'complete' ? <LinkButton href={`${at.here}/substitute`}>Substitute…</LinkButton> : null}
          {participant.status === 'cancelled' ? null : (
            <a class="button danger" href={`${at.here}/cancel`}>
              Cancel…
            </a>
          )}
        </div>
      ) : null}
    </div>
  )
}

const OrderCard = ({ order }: { order: NonNullable<Whole['order']> }) => (
  <Card title={`Order ${order.number}`} actions={<span class="v">{`Balance ${moneyInWords(order.balance)}`}</span>} pad={false}>
    <Table
      caption="Lines of the order"
      rows={order.lines}
      columns={[
        { label: 'What', lead: true, cell: ({ description }) => <bdi>{description}</bdi> },
        { label: 'Quantity', number: true, cell: ({ quantity }) => quantity },
        { label: 'Net', number: true, cell: ({ net }) => moneyInWords(net) },
        { label: 'Tax', number: true, cell: ({ tax }) => moneyInWords(tax) },
        { label: 'Total', number: true, cell: ({ total }) => moneyInWords(total) },
        { label: 'On', cell: ({ invoiceNumber }) => invoiceNumber ?? '' },
      ]}
    />
  </Card>
)

/** Invoices open where whoever looks may see what stands on them. */
const MoneyCard = ({ order, pdfOf }: { order: NonNullable<Whole['order']>; pdfOf: ((number: string) => string) | null }) => (
  <Card title="Invoices and payments" pad={false}>
    <Table
      caption="Invoices and payments"
      rows={[
        ...order.invoices.map((one) => ({
          at: one.issuedAt,
          what: `${one.kind === 'invoice' ? 'Invoice' : 'Credit note'} ${one.number}`,
          pdf: pdfOf?.(one.number) ?? null,
          amount: moneyInWords(one.total),
          state: one.kind === 'invoice' ? one.status.replace('_', ' ') : '',
        })),
        ...order.payments.map((one) => ({
          at: one.receivedAt,
          what: `Payment by ${one.method}, receipt ${one.receiptNumber}`,
          pdf: null,
          amount: moneyInWords(one.amount),
          state: Number(one.returned.amount) === 0 ? '' : `${moneyInWords(one.returned)} given back`,
        })),
      ].toSorted((a, b) => (a.at < b.at ? 1 : -1))}
      columns={[
        { label: 'What', lead: true, cell: ({ what, pdf }) => (pdf === null ? what : <a href={pdf}>{what} (PDF)</a>) },
        { label: 'When', cell: ({ at }) => <Time at={new Date(at)} /> },
        { label: 'Amount', number: true, cell: ({ amount }) => amount },
        { label: 'State', cell: ({ state }) => state },
      ]}
    />
  </Card>
)

const People = ({ at, whole }: { at: AtPerson; whole: Whole }) => {
  const link = (id: string, name: string) => (
    <a href={`${at.base}/participants/${id}`} dir="auto">
      {name || 'No name yet'}
    </a>
  )
  const rows: [string, Child][] = [
    ...whole.guests.map(({ id, name, status }): [string, Child] => [
      'Guest',
      <>
        {link(id, name)} ({status})
      </>,
    ]),
    ...(whole.host ? [['Guest of', link(whole.host.id, whole.host.name)] as [string, Child]] : []),
    ...(whole.group ? [['Group', `${whole.group.name}${whole.group.leader ? ', which they lead' : ''}`] as [string, Child]] : []),
    ...whole.substitutions.map(({ kind, id, name }): [string, Child] => [
      kind === 'replaces' ? 'In the place of' : 'Replaced by',
      link(id, name),
    ]),
    ...(whole.housing ?? []).map(({ hotel, roomType, checkIn, checkOut, status }): [string, Child] => [
      'Room',
      <bdi>{`${hotel}, ${roomType}, ${daysInWords(checkIn, checkOut)} (${status})`}</bdi>,
    ]),
    ...(whole.sessions ?? []).map(({ title, status }): [string, Child] => ['Session', <bdi>{`${title} (${status})`}</bdi>]),
    ...whole.waitlist.map(({ target, status, rank }): [string, Child] => [
      'Waits for',
      `${target} (${status}${rank ? `, number ${rank}` : ''})`,
    ]),
  ]
  return rows.length > 0 ? (
    <Card title="Belongs together">
      <Facts rows={rows} />
    </Card>
  ) : null
}

const Past = ({ at, whole, configuration: { config } }: { at: AtPerson; whole: Whole; configuration: Configuration }) => (
  <>
    <Card title="Mails" pad={(whole.emails ?? []).length === 0}>
      {(whole.emails ?? []).length === 0 ? (
        <p class="muted">No mail went to this address.</p>
      ) : (
        <Table
          caption="Mails"
          rows={whole.emails ?? []}
          columns={[
            { label: 'Subject', lead: true, cell: ({ subject }) => <bdi>{subject}</bdi> },
            { label: 'To', cell: ({ to }) => to },
            { label: 'State', cell: ({ status }) => status },
            { label: 'When', cell: ({ queuedAt }) => <Time at={new Date(queuedAt)} /> },
          ]}
        />
      )}
    </Card>
    <History at={at} whole={whole} config={config} />
  </>
)

/** `…/participants/<id>`: one registration with everything that hangs on it. */
export function personPages(web: Web) {
  async function page(c: WebContext, at: AtPerson, refused: Refused | null = null) {
    const whole = await getParticipant(at.reading, { participantId: at.row.id, include: INCLUDE, includeTestData: true })
    const draft = await readDraft(at.reading)
    const configuration = (await readLive(at.reading, draft)) ?? draft
    const answers = answersIn(whole, configuration)
    return frame(
      web,
      c,
      { title: at.name, current: `${at.base}/participants`, client: at.client, event: at, status: refused ? 400 : 200 },
      <>
        <PersonHeading at={at} whole={whole} csrf={csrfFor(web, c)} />
        <ErrorSummary {...refused} />
        {whole.withheld.length > 0 ? <Notice>Personal answers are left out. Seeing them needs the personal.read permission.</Notice> : null}
        <Card title="Answers">{answers.length > 0 ? <Facts rows={answers} /> : <p class="muted">Nothing was answered yet.</p>}</Card>
        <People at={at} whole={whole} />
        {whole.order ? (
          <>
            <OrderCard order={whole.order} />
            <MoneyCard
              order={whole.order}
              pdfOf={at.permissions.has('personal.read') ? (number) => `${at.here}/invoices/${encodeURIComponent(number)}.pdf` : null}
            />
          </>
        ) : null}
        <Past at={at} whole={whole} configuration={configuration} />
      </>,
    )
  }

  return consolePages(web)
    .get(PERSON_PATH, async (c) => page(c, await atPerson(web, c, 'registration.read')))
    .post(`${PERSON_PATH}/resend`, async (c) => {
      await formOf(web, c)
      const at = await atPerson(web, c, 'registration.write')
      const refused = await attempt(
        () => changeAtEvent(web, at, 'resend_participant_confirmation', (ctx) => resendConfirmation(ctx, { participantId: at.row.id })),
        () => '',
      )
      return refused ? page(c, at, refused) : c.redirect(`${at.here}?done=resent`, 303)
    })
}
