import type { Child } from 'hono/jsx'
import { listParticipantDataFields } from '../../../../domains/configuration/data-fields.ts'
import { type Configuration, readDraftConfiguration, readLiveConfiguration } from '../../../../domains/configuration/read.ts'
import type { MessageStatus } from '../../../../domains/messages/mailbox.ts'
import { getParticipantDetails } from '../../../../domains/registration/find/get-participant.ts'
import { getQuestionLabel } from '../../../../domains/registration/missing-fields.ts'
import { getWaitlistTargetName } from '../../../../domains/registration/waitlist/waitlist.ts'
import { resendConfirmation } from '../../../../domains/registration/resend.ts'
import { formatCountryWithCode } from '../../components/codes.tsx'
import { formatEnglishDateRange } from '../../components/dates.ts'
import { Button, Form, LinkButton } from '../../components/forms.tsx'
import { ListCard } from '../../components/list-page.tsx'
import { ChangeEffectList } from '../../components/outcome.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Card, DescriptionList, Notice, TimestampText } from '../../components/parts.tsx'
import { formatCodeAsWords } from '../../components/plain-words.ts'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import { catchFormErrors, type FormErrors } from '../../fields.ts'
import { getCsrfToken, type WebServices, type WebContext } from '../../web.ts'
import { CONFIRM_PAGE_BUTTON, isConfirmed } from '../confirm-page.tsx'
import { runEventChange, previewEventChange } from '../event/event-page.ts'
import { formatAmountWithCurrency, formatAmountWithoutCurrency } from '../money/amounts.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { EMAIL_STATUS_COLOURS } from '../message.tsx'
import { PAYMENT_METHOD_LABELS } from '../money/methods.ts'
import { type ParticipantPageContext, getParticipantPageContext, CONSOLE_PARTICIPANT_PATH } from './participant-page.ts'
import { ParticipantHeading } from './heading.tsx'
import { ParticipantHistory } from './history.tsx'
import { OrdersPaidByOthers } from './paid-by-others.tsx'

type ParticipantDetails = Awaited<ReturnType<typeof getParticipantDetails>>

const INCLUDE = ['orders', 'history', 'housing', 'sessions', 'emails'] as const
const MOST_TEXT = 300

const toStatusWords = (status: string) => (status === 'waitlisted' ? 'on the waiting list' : formatCodeAsWords(status).toLowerCase())

interface PersonCardProps {
  at: ParticipantPageContext
  whole: ParticipantDetails
  configuration: Configuration
}

const formatValue = (value: unknown): string => {
  const text =
    value === true
      ? 'Yes'
      : value === false
        ? 'No'
        : Array.isArray(value)
          ? value.join(', ')
          : typeof value === 'object'
            ? JSON.stringify(value)
            : String(value)
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT).toWellFormed()}…` : text
}

/** Lists all answers of the participant, with the labels of questions and options. */
function listAnswers({ participant }: ParticipantDetails, { config }: Configuration): [string, Child][] {
  const fields = new Map(listParticipantDataFields(config).map((field) => [field.binding, field]))
  const properties = Object.entries(participant).map(([name, value]) => [`@participant.${name}`, value] as const)
  const own = Object.entries(participant.customFieldResponses ?? {}).map(([code, value]) => [`@custom.${code}`, value] as const)
  const rest = Object.entries(participant.answers ?? {}).filter(([binding]) => !binding.startsWith('@product.'))
  const toLabel = (binding: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((one) => toLabel(binding, one))
    const { type, choices } = fields.get(binding) ?? {}
    return type === 'country' ? formatCountryWithCode(String(value)) : (choices?.find(({ code }) => code === value)?.name ?? value)
  }
  return [...properties.filter(([binding]) => fields.has(binding)), ...own, ...rest]
    .filter(([, value]) => value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0))
    .map(([binding, value]) => [getQuestionLabel(config, binding), <bdi>{formatValue(toLabel(binding, value))}</bdi>])
}

/** The card with the actions that the user may use to change a registration. */
const PersonActions = ({ at, whole, csrf }: { at: ParticipantPageContext; whole: ParticipantDetails; csrf: string }) => {
  const { participant } = whole
  const mayWrite = at.permissions.has('registration.write') && at.event.status !== 'archived'
  return mayWrite ? (
    <div class="row">
      <LinkButton href={`${at.here}/edit`}>Edit</LinkButton>
      <Form action={`${at.here}/resend`} csrf={csrf}>
        <Button>Resend confirmation…</Button>
      </Form>
      {participant.status === 'cancelled' ? null : (
        <>
          {participant.status === 'complete' ? (
            <>
              <LinkButton href={`${at.here}/badge.pdf`}>Badge (PDF)</LinkButton>
              <LinkButton href={`${at.here}/substitute`}>Replace…</LinkButton>
            </>
          ) : null}
          <a class="button danger" href={`${at.here}/cancel`}>
            Cancel…
          </a>
        </>
      )}
    </div>
  ) : null
}

const OrderCard = ({ order }: { order: NonNullable<ParticipantDetails['order']> }) => (
  <ListCard
    title={`Order ${order.number}`}
    actions={<span class="v">{`Balance ${formatAmountWithCurrency(order.balance)}`}</span>}
    caption="Order lines"
    rows={order.lines}
    columns={[
      { label: 'Item', lead: true, cell: ({ description }) => <bdi>{description}</bdi> },
      { label: 'Quantity', number: true, cell: ({ quantity }) => quantity },
      { label: `Net, ${order.total.currency}`, number: true, cell: ({ net }) => formatAmountWithoutCurrency(net) },
      { label: 'Tax', number: true, cell: ({ tax }) => formatAmountWithoutCurrency(tax) },
      { label: 'Total', number: true, cell: ({ total }) => formatAmountWithoutCurrency(total) },
      { label: 'Invoice', cell: ({ invoiceNumber }) => invoiceNumber ?? '' },
    ]}
  />
)

/** The card of a participant's order. Invoices link to their PDF if the user may see personal data. */
const MoneyCard = ({ order, pdfOf }: { order: NonNullable<ParticipantDetails['order']>; pdfOf: ((number: string) => string) | null }) => (
  <ListCard
    title="Invoices and payments"
    caption="Invoices and payments"
    rows={[
      ...order.invoices.map((one) => ({
        at: one.issuedAt,
        what: `${one.kind === 'invoice' ? 'Invoice' : 'Credit note'} ${one.number}`,
        pdf: pdfOf?.(one.number) ?? null,
        amount: formatAmountWithCurrency(one.total),
        state: one.kind === 'invoice' ? formatCodeAsWords(one.status) : '',
      })),
      ...order.payments.map((one) => ({
        at: one.receivedAt,
        what: `Payment by ${PAYMENT_METHOD_LABELS[one.method].toLowerCase()}, receipt ${one.receiptNumber}`,
        pdf: null,
        amount: formatAmountWithCurrency(one.amount),
        state: Number(one.returned.amount) === 0 ? '' : `${formatAmountWithCurrency(one.returned)} refunded`,
      })),
    ].toSorted((a, b) => (a.at < b.at ? 1 : -1))}
    columns={[
      { label: 'Item', lead: true, cell: ({ what, pdf }) => (pdf === null ? what : <a href={pdf}>{what} (PDF)</a>) },
      { label: 'When', cell: ({ at }) => <TimestampText at={new Date(at)} /> },
      { label: 'Amount', number: true, cell: ({ amount }) => amount },
      { label: 'Status', cell: ({ state }) => state },
    ]}
  />
)

const WAITLIST_WORDS: Record<ParticipantDetails['waitlist'][number]['status'], string> = {
  waiting: 'waiting',
  offered: 'seat offered',
  promoted: 'got a seat',
  removed: 'left the waiting list',
}

const RelatedCard = ({ at, whole, configuration: { config } }: PersonCardProps) => {
  const link = (id: string, name: string) => (
    <a href={`${at.base}/participants/${id}`} dir="auto">
      {name || 'No name yet'}
    </a>
  )
  const rows: [string, Child][] = [
    ...whole.guests.map(({ id, name, status }): [string, Child] => [
      'Guest',
      <>
        {link(id, name)} ({toStatusWords(status)})
      </>,
    ]),
    ...(whole.host ? [['Guest of', link(whole.host.id, whole.host.name)] as [string, Child]] : []),
    ...(whole.group
      ? [
          [
            'Group',
            <>
              <a href={`${at.base}/groups/${whole.group.code}`} dir="auto">
                {whole.group.name}
              </a>
              {whole.group.leader ? ', leader' : ''}
            </>,
          ] as [string, Child],
        ]
      : []),
    ...whole.substitutions.map(({ kind, id, name }): [string, Child] => [kind === 'replaces' ? 'Replaced' : 'Replaced by', link(id, name)]),
    ...(whole.housing ?? []).map(({ hotel, roomType, checkIn, checkOut, status }): [string, Child] => [
      'Room',
      <bdi>{`${hotel}, ${roomType}, ${formatEnglishDateRange(checkIn, checkOut)} (${toStatusWords(status)})`}</bdi>,
    ]),
    ...(whole.sessions ?? []).map(({ title, status }): [string, Child] => ['Session', <bdi>{`${title} (${toStatusWords(status)})`}</bdi>]),
    ...whole.waitlist.map(({ target, status, rank }): [string, Child] => [
      'Waiting list',
      <bdi>{`${getWaitlistTargetName(config, target)} (${WAITLIST_WORDS[status]}${rank ? `, number ${rank}` : ''})`}</bdi>,
    ]),
  ]
  return rows.length > 0 ? (
    <Card title="Related">
      <DescriptionList rows={rows} />
    </Card>
  ) : null
}

const EmailsAndHistory = ({ at, whole, configuration: { config } }: PersonCardProps) => (
  <>
    <Card title="Emails">
      {(whole.emails ?? []).length === 0 ? (
        <p class="muted">No emails sent yet.</p>
      ) : (
        <ol class="timeline">
          {(whole.emails ?? []).map(({ subject, to, status, queuedAt }) => (
            <li class={EMAIL_STATUS_COLOURS[status as MessageStatus]}>
              <span>
                <bdi>{subject}</bdi>
                <span class="by">
                  <TimestampText at={new Date(queuedAt)} /> · {toStatusWords(status)}
                  {to === whole.participant.email ? null : <bdi> · to {to}</bdi>}
                </span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
    <ParticipantHistory at={at} whole={whole} config={config} />
  </>
)

/** Shows the recipient and subject of the confirmation email from the dry run, and the button that sends it. */
function sendConfirmResendPage(
  web: WebServices,
  c: WebContext,
  at: ParticipantPageContext,
  { queued, to, subject }: Awaited<ReturnType<typeof resendConfirmation>>,
) {
  const page = renderChangePreviewPage({
    title: 'Resend confirmation',
    crumbs: [{ href: at.here, label: at.name }],
    action: `${at.here}/resend`,
    csrf: getCsrfToken(web, c),
    effects: (
      <ChangeEffectList
        effects={[
          queued === 0 ? (
            'No email is sent, because this is test data.'
          ) : (
            <>
              The email <b dir="auto">{subject}</b> is sent to <bdi>{to}</bdi>, with current data and invoices.
            </>
          ),
        ]}
      />
    ),
    submit: 'Send email',
    submitAs: CONFIRM_PAGE_BUTTON,
    tone: 'primary',
    back: { href: at.here, label: 'Cancel' },
  })
  return sendConsolePage(web, c, getNavigationPosition(at, 'participants'), page)
}

/** `…/participants/<id>`: one participant with order, payments, emails and history. */
export function participantPages(web: WebServices) {
  async function page(c: WebContext, at: ParticipantPageContext, formErrors: FormErrors | null = null) {
    const whole = await getParticipantDetails(at.reading, { participantId: at.row.id, include: INCLUDE, includeTestData: true })
    const draft = await readDraftConfiguration(at.reading)
    const configuration = (await readLiveConfiguration(at.reading, draft)) ?? draft
    const answers = listAnswers(whole, configuration)
    const shown = renderContentPage(
      {
        title: at.name,
        head: (
          <ParticipantHeading at={at} participant={whole.participant} tab="registration">
            <PersonActions at={at} whole={whole} csrf={getCsrfToken(web, c)} />
          </ParticipantHeading>
        ),
        formErrors,
      },
      <>
        {whole.withheld.length > 0 ? (
          <Notice>Personal answers are hidden. To see them, you need the personal.read permission.</Notice>
        ) : null}
        {whole.order ? <OrderCard order={whole.order} /> : null}
        <OrdersPaidByOthers at={at} details={whole} />
        <div class="grid wide-left">
          <div class="stack">
            {whole.order ? (
              <MoneyCard
                order={whole.order}
                pdfOf={at.permissions.has('personal.read') ? (number) => `${at.here}/invoices/${encodeURIComponent(number)}.pdf` : null}
              />
            ) : null}
            <Card title="Answers">{answers.length > 0 ? <DescriptionList rows={answers} /> : <p class="muted">No answers yet.</p>}</Card>
          </div>
          <div class="stack">
            <RelatedCard at={at} whole={whole} configuration={configuration} />
            <EmailsAndHistory at={at} whole={whole} configuration={configuration} />
          </div>
        </div>
      </>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'participants'), shown)
  }

  return createConsoleRouter(web)
    .get(CONSOLE_PARTICIPANT_PATH, async (c) => page(c, await getParticipantPageContext(web, c, 'registration.read')))
    .post(`${CONSOLE_PARTICIPANT_PATH}/resend`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getParticipantPageContext(web, c, 'registration.write')
      let sent: Awaited<ReturnType<typeof resendConfirmation>> | null = null
      const formErrors = await catchFormErrors(
        async () => {
          const change = isConfirmed(form) ? runEventChange : previewEventChange
          sent = await change(web, at, 'resend_participant_confirmation', (ctx) => resendConfirmation(ctx, { participantId: at.row.id }))
        },
        () => '',
      )
      if (formErrors) return page(c, at, formErrors)
      return isConfirmed(form) ? c.redirect(`${at.here}?done=resent`, 303) : sendConfirmResendPage(web, c, at, sent!)
    })
}
