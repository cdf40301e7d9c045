import type { Child } from 'hono/jsx'
import { readCompletionSummary, type CompletionSummary } from '../../../domains/checkout/completion-summary.ts'
import type { RegistrationProgress } from '../../../domains/checkout/progress.ts'
import { type BadgeQrCode, createBadgeQrCode } from '../../../domains/configuration/badge-code.ts'
import { FLOW_ENDING_WIDGET_TYPES, type WidgetOfType } from '../../../domains/configuration/schema/widgets.ts'
import { type ApplicationSummary, listApplications } from '../../../domains/exhibitors/applications.ts'
import { type ParticipantRooms, readParticipantRooms } from '../../../domains/housing/own-rooms.ts'
import { findOrder } from '../../../domains/orders/orders.ts'
import { type OrderStatement, readOrderStatement } from '../../../domains/orders/order-statement.ts'
import { formatParticipantName } from '../../../domains/registration/participant-shape.ts'
import { type Enrolment, listActiveEnrolments, getRoomName } from '../../../domains/sessions/enrolments.ts'
import { formatDateRange, formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { LinkButton } from '../components/forms.tsx'
import { Card, DescriptionList } from '../components/parts.tsx'
import { QrCode } from '../components/qr.tsx'
import { createEventRouter, showEventPage, formatDatesAndVenue } from '../event/event-layout.tsx'
import { PUBLIC_EVENT_PATH, type EventSite } from '../event/event-site.ts'
import type { WebServices, WebContext } from '../web.ts'
import { OrderRows } from '../registration/order-rows.tsx'
import { buildOwnCalendar } from '../registration/own-calendar.ts'
import { listBookedRoomDetails } from '../registration/room-cards.tsx'
import { findCurrentRegistration } from './current-registration.ts'
import { readRegistrationPageView } from './read-view.ts'
import { formatMinorAmount, type RegistrationPageView } from './view.ts'
import { WidgetView } from './widgets.tsx'

const DONE = `${PUBLIC_EVENT_PATH}/register/:flow/done`

type Row = RegistrationProgress['row']

/** Lists the widgets of the flow's confirmation page, if the organizer designed one. */
const listFinalWidgets = (view: RegistrationPageView) =>
  view.flow.pages
    .filter((page) => view.progress.walk.pages.some(({ code, visible }) => code === page.code && visible))
    .flatMap(({ widgets }) => (widgets.some(({ type }) => FLOW_ENDING_WIDGET_TYPES.includes(type)) ? widgets : []))

interface PassCardProps {
  site: EventSite
  row: Row
  label: string
  children: Child
}

/** A card like a ticket: the event and the participant, and below them the badge or the position on the waiting list. */
const PassCard = ({ site, row, label, children }: PassCardProps) => (
  <section class="pass" aria-label={label}>
    <div class="top">
      <strong>{site.config.details.name}</strong>
      <div class="small">{formatDatesAndVenue(site)}</div>
    </div>
    <div class="holder">
      {formatParticipantName(row)}
      {row.company ? <div class="small muted">{row.company}</div> : null}
    </div>
    {children}
  </section>
)

function BadgeCard({ site, row, outcome, code }: { site: EventSite; row: Row; outcome: CompletionSummary; code: BadgeQrCode | null }) {
  const { say } = site.words
  if (code === null) return null
  return (
    <PassCard site={site} row={row} label={say('register.badge')}>
      <QrCode {...code} label={say('register.qr', { badge: row.badge_id! })} />
      <p class="number">
        <span class="hidden">{say('register.number')} </span>
        {row.confirmation_number}
      </p>
      {outcome.balance > 0 ? (
        <p class="due">{say('label.value', { label: say('mail.balance'), value: formatMinorAmount(site, outcome.balance) })}</p>
      ) : null}
    </PassCard>
  )
}

function confirmationText({ site, row, outcome }: { site: EventSite; row: Row; outcome: CompletionSummary }): string {
  const { say } = site.words
  const email = row.email ?? ''
  if (outcome.balance > 0) return say('register.confirmedOwing', { amount: formatMinorAmount(site, outcome.balance), email })
  return outcome.paid > 0
    ? say('register.confirmedPaid', { amount: formatMinorAmount(site, outcome.paid), email })
    : say('register.confirmed', { email })
}

/** A reminder to secure the hotel room with a payment card. */
const SecureRoomStep = ({ site, rooms }: { site: EventSite; rooms: ParticipantRooms }) => {
  const { say, locale } = site.words
  const due = rooms.stays.find(({ guarantee }) => guarantee.kind === 'card' && guarantee.status === 'pending')?.guarantee.dueAt
  return due ? (
    <li>
      <a href={site.paths.housing}>
        <strong>{say('register.next.room')}</strong>
      </a>
      <div class="muted small">
        {say('register.next.roomCard', { moment: formatInstantWithTimeZone(locale, due, site.facts.timezone) })}
      </div>
    </li>
  ) : null
}

/** The booked rooms and waiting list entries of a participant. */
const Room = ({ site, rooms: { stays, waits } }: { site: EventSite; rooms: ParticipantRooms }) => {
  const { say, locale } = site.words
  if (stays.length + waits.length === 0) return null
  return (
    <Card title={say('stay.title')} actions={<a href={site.paths.housing}>{say('stay.details')}</a>}>
      <DescriptionList
        rows={[
          ...stays.flatMap((stay) => listBookedRoomDetails(site, stay)),
          ...waits.map(({ hotel, checkIn, checkOut, rank }): [string, string] => [
            say('room.onWaitlist'),
            say('stay.waiting', { hotel: hotel ?? '', days: formatDateRange(locale, checkIn, checkOut), rank }),
          ]),
        ]}
      />
    </Card>
  )
}

const BoothApplications = ({ site, applications }: { site: EventSite; applications: readonly ApplicationSummary[] }) =>
  applications.length === 0 ? null : (
    <Card title={site.words.say('booth.applied')}>
      {applications.map(({ number, company }) => (
        <p>{site.words.say('booth.appliedText', { number, company })}</p>
      ))}
    </Card>
  )

interface DocumentsProps {
  site: EventSite
  outcome: CompletionSummary
  /** Whether the page links to invoices. */
  receipts: boolean
}

/** The open invoice, with a link to the file, which contains the bank details. */
function PayStep({ site, outcome, receipts }: DocumentsProps) {
  const { say, locale } = site.words
  const open = outcome.invoices.find(({ balance }) => balance > 0)
  if (!open) return null
  const { number, balance, dueOn, link } = open
  const title = <strong>{say('register.next.pay')}</strong>
  return (
    <li>
      {receipts ? <a href={link}>{title}</a> : title}
      <div class="muted small">
        {say('register.next.payText', { amount: formatMinorAmount(site, balance), day: formatDateRange(locale, dueOn, dueOn), number })}
      </div>
    </li>
  )
}

function NextSteps({ site, outcome, rooms, receipts }: DocumentsProps & { rooms: ParticipantRooms }) {
  const { say, locale } = site.words
  return (
    <Card title={say('register.next.title')}>
      <ol class="timeline">
        <li>
          <strong>{say('register.next.mail')}</strong>
          <div class="muted small">{say('register.next.mailText')}</div>
        </li>
        <PayStep site={site} outcome={outcome} receipts={receipts} />
        <SecureRoomStep site={site} rooms={rooms} />
        <li>
          <strong>{say('register.next.come')}</strong>
          <div class="muted small">
            {say('register.next.comeText', { days: formatDateRange(locale, site.facts.startsOn, site.facts.endsOn) })}
          </div>
        </li>
      </ol>
    </Card>
  )
}

const Documents = ({ site, outcome, receipts }: DocumentsProps) => {
  const { say } = site.words
  return (
    <Card title={say('register.documents')}>
      <ul class="links">
        {(receipts ? outcome.invoices : []).map(({ number, link }) => (
          <li>
            <a href={link}>{say('register.receipt', { number })} (PDF)</a>
          </li>
        ))}
        <li>
          <a href={site.paths.myRegistration}>
            <span>
              {say('register.plansChanged')} <span class="muted small">{say('register.plansChangedText')}</span>
            </span>
          </a>
        </li>
      </ul>
    </Card>
  )
}

function WaitlistPositions({ site, row, outcome }: { site: EventSite; row: Row; outcome: CompletionSummary }) {
  const { say } = site.words
  const names = new Map(site.config.products.map(({ code, name }) => [`product:${code}`, name]))
  return (
    <div class="stack">
      {/* If the whole registration is on the waiting list, the ticket card above already shows the position in the queue. */}
      {row.status === 'waitlisted'
        ? null
        : outcome.waits.map(({ target, rank }) => (
            <p class="lead">{say('register.rankFor', { name: names.get(target) ?? site.config.details.name, rank })}</p>
          ))}
      {outcome.waits.length > 0 ? <p>{say('register.waitlistedText', { email: row.email ?? '' })}</p> : null}
    </div>
  )
}

/** The card with the position on the waiting list. Participants with a ticket see their badge instead. */
function RankCard({ site, row, outcome }: { site: EventSite; row: Row; outcome: CompletionSummary }) {
  const { say } = site.words
  const rank = outcome.waits[0]?.rank
  if (rank === undefined) return null
  return (
    <PassCard site={site} row={row} label={say('event.waitlist')}>
      <p class="rank">{rank === 1 ? say('register.rankFirst') : say('register.rank', { count: rank })}</p>
    </PassCard>
  )
}

/** The next steps of a registration on the waiting list: it has no ticket yet, and a seat must be accepted. */
function WaitlistSteps({ site, row }: { site: EventSite; row: Row }) {
  const { say } = site.words
  return (
    <Card title={say('register.next.title')}>
      <div class="stack">
        <ol class="timeline">
          <li>
            <strong>{say('register.waiting.wait')}</strong>
            <div class="muted small">{say('register.waiting.waitText')}</div>
          </li>
          <li>
            <strong>{say('register.waiting.offer')}</strong>
            <div class="muted small">{say('register.waiting.offerText', { email: row.email ?? '' })}</div>
          </li>
          <li>
            <strong>{say('register.waiting.accept')}</strong>
            <div class="muted small">{say('register.waiting.acceptText')}</div>
          </li>
        </ol>
        <ul class="links">
          <li>
            <a href={`${site.paths.myRegistration}/cancel`}>
              <span>
                {say('register.waiting.leave')}
                <span class="muted small">{say('register.waiting.leaveText')}</span>
              </span>
            </a>
          </li>
        </ul>
      </div>
    </Card>
  )
}

/** The chosen conference sessions. Those on a waiting list are marked with their position, because they are not booked. */
const Sessions = ({ site, enrolments }: { site: EventSite; enrolments: readonly Enrolment[] }) => {
  const { say, locale } = site.words
  if (enrolments.length === 0) return null
  return (
    <Card title={say('myRegistration.sessions')}>
      <DescriptionList
        rows={enrolments.map(({ startsAt, title, roomCode, rank }): [string, string] => [
          formatInstantWithTimeZone(locale, startsAt, site.facts.timezone),
          [title, getRoomName(site.config, roomCode), rank === null ? null : say('register.sessionRank', { rank })]
            .filter(Boolean)
            .join(' · '),
        ])}
      />
    </Card>
  )
}

const Order = ({ site, statement }: { site: EventSite; statement: OrderStatement | null }) =>
  statement === null || statement.items.length === 0 ? null : (
    <Card title={site.words.say('register.order')}>
      <OrderRows site={site} statement={statement} discountCode={statement.discountCode} />
    </Card>
  )

/** `…/register/<flow>/done`: confirmation number, badge, calendar, documents and next steps, or the position on the waiting list. */
export function registrationDonePages(web: WebServices) {
  const get = async (c: WebContext) => {
    const standing = await findCurrentRegistration(web, c, 'finished')
    if (standing instanceof Response) return standing
    const { site, ctx, progress, base } = standing
    const { row } = progress
    const { say } = site.words
    const view = await readRegistrationPageView(ctx, site, progress)
    const outcome = await readCompletionSummary(ctx, row)
    const rooms = await readParticipantRooms(ctx, row.id)
    const enrolments = await listActiveEnrolments(ctx, row.id)
    const order = await findOrder(ctx, { participantId: row.id })
    const statement = order && (await readOrderStatement(ctx, order))
    const applications = await listApplications(ctx, row.id)
    const end = listFinalWidgets(view)
    const confirmation = end.find((widget): widget is WidgetOfType<'confirmation'> => widget.type === 'confirmation')
    const redirect = end.find((widget): widget is WidgetOfType<'redirect'> => widget.type === 'redirect')
    const name = row.preferred_name ?? row.first_name ?? ''
    const city = site.config.details.venue?.city
    const waits = row.status === 'waitlisted'
    const receipts = confirmation?.showReceipt ?? true
    const title = waits
      ? say('register.waitlisted', { name })
      : city
        ? say('register.doneInCity', { place: city, name })
        : say('register.doneTitle', { name })
    return showEventPage(
      web,
      c,
      site,
      { title, ...(redirect ? { head: <meta http-equiv="refresh" content={`${redirect.delaySeconds};url=${redirect.url}`} /> } : {}) },
      <div class="mine">
        <div class="done-top">
          <div class="stack">
            <h1>{title}</h1>
            {waits ? null : <p class="lead">{confirmationText({ site, row, outcome })}</p>}
            <WaitlistPositions site={site} row={row} outcome={outcome} />
            {/* People on the waiting list do not see the confirmation text, because it is about a ticket, which they do not have. */}
            {end
              .filter(({ type }) => !waits || type !== 'confirmation')
              .map((widget) => (
                <WidgetView view={view} widget={widget} />
              ))}
            {waits ? null : (
              <p>
                <strong>{say('label.value', { label: say('register.number'), value: '' }).trimEnd()}</strong>{' '}
                <span class="money">{row.confirmation_number}</span>
              </p>
            )}
            {!waits && (confirmation?.showCalendar ?? true) ? (
              <LinkButton href={`${base}/calendar.ics`} tone="primary">
                {say('register.calendar')}
              </LinkButton>
            ) : null}
          </div>
          {waits ? <RankCard site={site} row={row} outcome={outcome} /> : null}
          {waits || !(confirmation?.showQr ?? true) ? null : (
            <BadgeCard site={site} row={row} outcome={outcome} code={createBadgeQrCode(ctx, site.config.badge, row)} />
          )}
        </div>
        {waits ? (
          <div class="pair">
            <WaitlistSteps site={site} row={row} />
          </div>
        ) : (
          <div class="pair">
            <Order site={site} statement={statement} />
            <NextSteps site={site} outcome={outcome} rooms={rooms} receipts={receipts} />
            <Sessions site={site} enrolments={enrolments} />
            <Room site={site} rooms={rooms} />
            <BoothApplications site={site} applications={applications} />
            <Documents site={site} outcome={outcome} receipts={receipts} />
          </div>
        )}
      </div>,
    )
  }

  const calendar = async (c: WebContext) => {
    const standing = await findCurrentRegistration(web, c, 'finished')
    if (standing instanceof Response) return standing
    const { content, mime } = await buildOwnCalendar(standing.ctx, standing.site, standing.progress.row)
    c.header('content-type', mime)
    c.header('content-disposition', 'attachment; filename="calendar.ics"')
    c.header('cache-control', 'no-store')
    return c.body(new Uint8Array(content))
  }
  return createEventRouter(web).get(DONE, get).get(`${PUBLIC_EVENT_PATH}/register/:flow/calendar.ics`, calendar)
}
