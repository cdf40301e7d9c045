import type { Child } from 'hono/jsx'
import { formatInstantWithTimeZone, formatMoney } from '../../../kernel/language/format.ts'
import { createBadgeQrCode } from '../../../domains/configuration/badge-code.ts'
import { listCancellableAppointments } from '../../../domains/exhibitors/my-appointments.ts'
import { findOrder } from '../../../domains/orders/orders.ts'
import { toOrderRecord } from '../../../domains/orders/order-record.ts'
import { type OrderStatement, readOrderStatement } from '../../../domains/orders/order-statement.ts'
import { findPaymentProcessor } from '../../../domains/payments/processor.ts'
import { getOwnRegistration } from '../../../domains/registration/own/own-registration.ts'
import { issueResumeRegistrationLink } from '../../../domains/registration/links.ts'
import { getWaitlistTargetName } from '../../../domains/registration/waitlist/waitlist.ts'
import { listWaitlistEntries } from '../../../domains/registration/waitlist/waitlist-entries.ts'
import { FormActions, Button, Form, LinkButton } from '../components/forms.tsx'
import { StatusLabel, Card, DescriptionList, Notice, type ColourTone } from '../components/parts.tsx'
import { QrCode } from '../components/qr.tsx'
import { createEventRouter } from '../event/event-layout.tsx'
import { PUBLIC_EVENT_PATH } from '../event/event-site.ts'
import { SignOutForm } from '../event/sign-out.tsx'
import { buildGroupPaths } from '../group/group-access.tsx'
import { getFieldLabel } from '../register/messages.ts'
import { getCsrfToken, type WebServices, type WebContext } from '../web.ts'
import { WaitlistOfferCards, readOpenWaitlistOffers } from './offers.tsx'
import { InvoiceLinks, OrderRows } from './order-rows.tsx'
import { listBookedRoomDetails } from './room-cards.tsx'
import {
  toRegistrantContext,
  showRegistrationChoice,
  withOwnRegistrationAccess,
  type OwnRegistrationAccess,
  showOwnRegistrationPage,
} from './own-access.tsx'

type Registration = Awaited<ReturnType<typeof getOwnRegistration>>
type Order = Awaited<ReturnType<typeof toOrderRecord>>

const TONES: Record<OwnRegistrationAccess['row']['status'], ColourTone> = {
  complete: 'success',
  waitlisted: 'warning',
  incomplete: 'warning',
  cancelled: 'danger',
}

const Answers = ({ own: { site, row }, registration }: { own: OwnRegistrationAccess; registration: Registration }) => {
  const { say } = site.words
  const change = row.status === 'complete' ? <a href={`${site.paths.myRegistration}/edit`}>{say('myRegistration.change')}</a> : null
  return (
    <Card title={say('myRegistration.answers')} actions={change}>
      <DescriptionList rows={registration.answers.map(({ binding, label, display }) => [ownLabel(site, binding) ?? label, display])} />
    </Card>
  )
}

/** Returns the label of a field. Participant properties are labelled in the visitor's language, questions of the event as configured. */
const ownLabel = ({ words, config }: OwnRegistrationAccess['site'], binding: string) =>
  binding.startsWith('@participant.') ? getFieldLabel(words, config, binding) : undefined

/** Whether nothing of the order remains: everything was cancelled, and nothing was paid or is owed. */
const isWithoutAmounts = ({ isCancelled, total, settled: { paid, balance } }: OrderStatement) =>
  isCancelled && total === 0 && paid === 0 && balance === 0

const OrderCard = ({
  own: { site, row, ctx },
  order,
  statement,
}: {
  own: OwnRegistrationAccess
  order: Order
  statement: OrderStatement
}) => {
  const { say } = site.words
  const change = row.status === 'complete' ? <a href={`${site.paths.myRegistration}/edit`}>{say('myRegistration.changeBooking')}</a> : null
  return (
    <Card title={say('myRegistration.order')} actions={change}>
      <div class="stack">
        {statement.isCancelled ? <p>{say('order.allCancelled')}</p> : null}
        {isWithoutAmounts(statement) ? null : <OrderRows site={site} statement={statement} discountCode={statement.discountCode} />}
        {Number(order.balance.amount) > 0 ? (
          <FormActions>
            <LinkButton href={site.paths.pay} tone="primary">
              {findPaymentProcessor(ctx, { isTestData: row.is_test_data }) === null
                ? say('myRegistration.howToPay')
                : say('myRegistration.payNow', { amount: formatMoney(site.words.locale, order.balance) })}
            </LinkButton>
          </FormActions>
        ) : null}
        <InvoiceLinks site={site} base={site.paths.myRegistration} invoices={order.invoices} />
      </div>
    </Card>
  )
}

const Sessions = ({ own: { site, row }, registration }: { own: OwnRegistrationAccess; registration: Registration }) => {
  const { say, locale } = site.words
  if (registration.sessions.length === 0) return null
  const change = row.status === 'complete' ? <a href={`${site.paths.myRegistration}/edit`}>{say('myRegistration.changeSessions')}</a> : null
  return (
    <Card title={say('myRegistration.sessions')} actions={change}>
      <DescriptionList
        rows={registration.sessions.map(({ title, startsAt, room }) => [
          formatInstantWithTimeZone(locale, new Date(startsAt), site.facts.timezone),
          [title, room].filter(Boolean).join(' · '),
        ])}
      />
    </Card>
  )
}

const Appointments = ({
  own: { site },
  coming,
}: {
  own: OwnRegistrationAccess
  coming: Awaited<ReturnType<typeof listCancellableAppointments>>
}) =>
  coming.length === 0 ? null : (
    <Card title={site.words.say('myRegistration.appointments')}>
      <DescriptionList
        rows={coming.map(({ with: other, startsAt }) => [
          formatInstantWithTimeZone(site.words.locale, startsAt, site.facts.timezone),
          other,
        ])}
      />
    </Card>
  )

/** The booked room with its number, or a note that no room is booked. Details are on the housing page. */
const Room = ({ own: { site, row }, registration }: { own: OwnRegistrationAccess; registration: Registration }) => {
  const { say } = site.words
  const housing = registration.housing.filter(({ status }) => status === 'confirmed')
  if (!site.config.housing.enabled || row.status !== 'complete') return null
  return (
    <Card title={say('stay.title')} actions={<a href={site.paths.housing}>{say('stay.details')}</a>}>
      {housing.length === 0 ? (
        <p class="muted">{say('stay.none')}</p>
      ) : (
        <DescriptionList rows={housing.flatMap(({ ackNumber, ...stay }) => listBookedRoomDetails(site, { ...stay, number: ackNumber }))} />
      )}
    </Card>
  )
}

/**
 * Buttons to leave the waiting lists of products. To leave the waiting list with the whole registration, there is a link beside the cards.
 */
const LeaveWaitlists = ({
  own: { site, row },
  entries,
  csrf,
}: {
  own: OwnRegistrationAccess
  entries: readonly WaitlistItem[]
  csrf: string
}) => {
  const { say } = site.words
  const waiting = entries.filter(({ status }) => status === 'waiting')
  if (row.status !== 'complete' || waiting.length === 0) return null
  return (
    <Form action={`${site.paths.myRegistration}/offers`} csrf={csrf}>
      {waiting.map(({ entryId, target }) => (
        <Button name="do" value={`leave:${entryId}`} small>
          {say('offer.leave')}
          <span class={waiting.length === 1 ? 'hidden' : undefined}>: {getWaitlistTargetName(site.config, target)}</span>
        </Button>
      ))}
    </Form>
  )
}

type WaitlistItem = Awaited<ReturnType<typeof listWaitlistEntries>>[number]

const Waitlists = ({
  own: { site },
  waitlist,
  leave,
}: {
  own: OwnRegistrationAccess
  waitlist: Registration['waitlist']
  leave: Child
}) => {
  const { say } = site.words
  if (waitlist.length === 0) return null
  return (
    <Card title={say('myRegistration.waitlist')}>
      <div class="stack">
        <DescriptionList
          rows={waitlist.map((entry) => [
            entry.for,
            entry.rank === null ? say('offer.short') : say('myRegistration.rank', { rank: entry.rank }),
          ])}
        />
        {leave}
      </div>
    </Card>
  )
}

const GuestsAndGroup = ({ own: { site }, registration: { guests, group } }: { own: OwnRegistrationAccess; registration: Registration }) => {
  const { say } = site.words
  return (
    <>
      {guests.length > 0 ? (
        <Card title={say('myRegistration.guests')}>
          <DescriptionList
            rows={guests.map(({ name, status }) => [name, say(`status.${status as OwnRegistrationAccess['row']['status']}`)])}
          />
        </Card>
      ) : null}
      {group ? (
        <Card title={say('myRegistration.group')}>
          <div class="stack">
            <p>{group.name}</p>
            {group.role === 'leader' ? (
              <p>
                {say('group.youLead')} <a href={buildGroupPaths(site, group.code).home}>{say('group.openLink')}</a>
              </p>
            ) : null}
          </div>
        </Card>
      ) : null}
    </>
  )
}

const Badge = ({ own: { ctx, site, row } }: { own: OwnRegistrationAccess }) => {
  const code = row.status === 'complete' ? createBadgeQrCode(ctx, site.config.badge, row) : null
  return code ? (
    <div class="pass">
      <div class="top">
        <strong>{site.config.details.name}</strong>
      </div>
      <div class="holder">{[row.first_name, row.last_name].filter(Boolean).join(' ')}</div>
      <QrCode {...code} label={site.words.say('myRegistration.badgeAlt')} />
      <div class="number">{row.confirmation_number}</div>
    </div>
  ) : null
}

const SideColumn = ({ own: { site, row }, csrf }: { own: OwnRegistrationAccess; csrf: string }) => {
  const { say } = site.words
  const base = site.paths.myRegistration
  return (
    <div>
      <Card>
        <ul class="links">
          {row.status === 'complete' ? (
            <li>
              <a href={`${base}/calendar.ics`}>{say('myRegistration.calendar')}</a>
            </li>
          ) : null}
          <li>
            <a href={`${base}/sharing`}>{say('myRegistration.sharing')}</a>
          </li>
          <li>
            <a href={`${base}/data.json`}>{say('myRegistration.download')}</a>
          </li>
          {row.status === 'cancelled' ? null : (
            <li>
              <a class="end" href={`${base}/cancel`}>
                {say(row.status === 'waitlisted' ? 'register.waiting.leave' : 'myRegistration.cancel')}
              </a>
            </li>
          )}
        </ul>
      </Card>
      <SignOutForm site={site} action={`${base}/sign-out`} csrf={csrf} email={row.email} />
    </div>
  )
}

/** `…/registration`: overview of the participant's registration, with links to all actions. */
export function registrationOverviewPages(web: WebServices) {
  const page = async (c: WebContext, own: OwnRegistrationAccess): Promise<Response> => {
    const { site, row, ctx } = own
    const { say } = site.words
    const registration = await getOwnRegistration(toRegistrantContext(own))
    const found = await findOrder(ctx, { participantId: row.id })
    const order = found ? await toOrderRecord(ctx, found) : null
    const statement = found ? await readOrderStatement(ctx, found) : null
    const offers = await readOpenWaitlistOffers(web, own)
    const name = [row.first_name, row.last_name].filter(Boolean).join(' ')
    return showOwnRegistrationPage(
      web,
      c,
      own,
      { title: say('myRegistration.title'), wide: true },
      <>
        <div class="row-between">
          <h1>{name || say('myRegistration.title')}</h1>
          <StatusLabel tone={TONES[row.status]}>{say(`status.${row.status}`)}</StatusLabel>
        </div>
        {row.confirmation_number ? (
          <p class="lead">
            {say('myRegistration.number')} {row.confirmation_number}
          </p>
        ) : null}
        {/* On a phone the order is below the badge, so the open amount is also shown at the top. */}
        {order && Number(order.balance.amount) > 0 ? (
          <a class="tap narrow-only" href={site.paths.pay}>
            {say('label.value', { label: say('myRegistration.balance'), value: formatMoney(site.words.locale, order.balance) })}
          </a>
        ) : null}
        {row.status === 'waitlisted' && offers.length === 0 ? (
          <p class="lead">{say('register.waitlistedText', { email: row.email ?? '' })}</p>
        ) : null}
        {row.status === 'incomplete' ? (
          <Notice tone="warning">
            {say('myRegistration.unfinished')} <a href={await issueResumeRegistrationLink(ctx, row)}>{say('myRegistration.finish')}</a>
          </Notice>
        ) : null}
        <WaitlistOfferCards web={web} c={c} own={own} offers={offers} />
        <div class="mine-grid">
          <Badge own={own} />
          <div>
            {order && statement && order.lines.length > 0 ? <OrderCard own={own} order={order} statement={statement} /> : null}
            <Waitlists
              own={own}
              waitlist={registration.waitlist}
              leave={<LeaveWaitlists own={own} entries={await listWaitlistEntries(ctx, row)} csrf={getCsrfToken(web, c)} />}
            />
            <Sessions own={own} registration={registration} />
            <Appointments own={own} coming={await listCancellableAppointments(ctx, row.id)} />
            <Answers own={own} registration={registration} />
            <Room own={own} registration={registration} />
            <GuestsAndGroup own={own} registration={registration} />
          </div>
          <SideColumn own={own} csrf={getCsrfToken(web, c)} />
        </div>
      </>,
    )
  }
  return createEventRouter(web)
    .get(`${PUBLIC_EVENT_PATH}/registration`, withOwnRegistrationAccess(web, page))
    .post(`${PUBLIC_EVENT_PATH}/registration/choose`, (c) => showRegistrationChoice(web, c))
}
