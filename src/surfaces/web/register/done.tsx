import { outcomeOf, type Outcome } from '../../../domains/checkout/outcome.ts'
import type { Progress } from '../../../domains/checkout/progress.ts'
import { TERMINAL_TYPES, type WidgetOf } from '../../../domains/configuration/schema/widgets.ts'
import { type ApplicationTold, applicationsOf } from '../../../domains/exhibitors/applications.ts'
import { type OwnRooms, ownRooms } from '../../../domains/housing/own-rooms.ts'
import { nameOf } from '../../../domains/registration/participant-shape.ts'
import { formatDays, formatMoment } from '../../../kernel/language/format.ts'
import { LinkButton } from '../components/forms.tsx'
import { Card, Facts } from '../components/parts.tsx'
import { QrCode } from '../components/qr.tsx'
import { eventPagesOf, showAt, whenAndWhere } from '../event/frame.tsx'
import { AT_EVENT, type Place } from '../event/place.ts'
import type { Web, WebContext } from '../web.ts'
import { ownCalendar } from '../registration/own-calendar.ts'
import { standingAt } from './at.ts'
import { readView } from './read-view.ts'
import { moneyText, type View } from './view.ts'
import { Drawn } from './widgets.tsx'

const DONE = `${AT_EVENT}/register/:flow/done`

type Row = Progress['row']

/** What the flow's own last page says, where it has one. */
const endOf = (view: View) =>
  view.flow.pages
    .filter((page) => view.progress.walk.pages.some(({ code, visible }) => code === page.code && visible))
    .flatMap(({ widgets }) => (widgets.some(({ type }) => TERMINAL_TYPES.includes(type)) ? widgets : []))

function Pass({ place, row, outcome }: { place: Place; row: Row; outcome: Outcome }) {
  const { say } = place.words
  if (row.badge_id === null) return null
  return (
    <section class="pass" aria-label={say('register.badge')}>
      <div class="top">
        <strong>{place.config.details.name}</strong>
        <div class="small">{whenAndWhere(place)}</div>
      </div>
      <div class="holder">
        {nameOf(row)}
        {row.company ? <div class="small muted">{row.company}</div> : null}
      </div>
      <QrCode text={row.badge_id} label={say('register.qr', { badge: row.badge_id })} />
      <p class="number">
        <span class="hidden">{say('register.number')} </span>
        {row.confirmation_number}
      </p>
      {outcome.balance > 0 ? (
        <p class="due">
          {say('mail.balance')}: {moneyText(place, outcome.balance)}
        </p>
      ) : null}
    </section>
  )
}

function confirmedIn({ place, row, outcome }: { place: Place; row: Row; outcome: Outcome }): string {
  const { say } = place.words
  const email = row.email ?? ''
  if (outcome.balance > 0) return say('register.confirmedOwing', { amount: moneyText(place, outcome.balance), email })
  return outcome.paid > 0
    ? say('register.confirmedPaid', { amount: moneyText(place, outcome.paid), email })
    : say('register.confirmed', { email })
}

/** A room that a card has to secure yet. */
const Secure = ({ place, rooms }: { place: Place; rooms: OwnRooms }) => {
  const { say, locale } = place.words
  const due = rooms.stays.find(({ guarantee }) => guarantee.kind === 'card' && guarantee.status === 'pending')?.guarantee.dueAt
  return due ? (
    <li>
      <a href={place.paths.housing}>
        <strong>{say('register.next.room')}</strong>
      </a>
      <div class="muted small">{say('register.next.roomCard', { moment: formatMoment(locale, due, place.facts.timezone) })}</div>
    </li>
  ) : null
}

/** The room that is booked, or the line for one. */
const Room = ({ place, rooms: { stays, waits } }: { place: Place; rooms: OwnRooms }) => {
  const { say, locale } = place.words
  if (stays.length + waits.length === 0) return null
  return (
    <Card title={say('stay.title')} actions={<a href={place.paths.housing}>{say('edit.change')}</a>}>
      <Facts
        rows={[
          ...stays.map(({ hotel, roomType, checkIn, checkOut, number }): [string, string] => [
            say('room.stay', { hotel, room: roomType }),
            [formatDays(locale, checkIn, checkOut), number].filter(Boolean).join(' · '),
          ]),
          ...waits.map(({ hotel, checkIn, checkOut, rank }): [string, string] => [
            say('room.waits'),
            say('stay.waiting', { hotel: hotel ?? '', days: formatDays(locale, checkIn, checkOut), rank }),
          ]),
        ]}
      />
    </Card>
  )
}

const Applied = ({ place, applications }: { place: Place; applications: readonly ApplicationTold[] }) =>
  applications.length === 0 ? null : (
    <Card title={place.words.say('booth.applied')}>
      {applications.map(({ number, company }) => (
        <p>{place.words.say('booth.appliedText', { number, company })}</p>
      ))}
    </Card>
  )

function Next({ place, outcome, rooms }: { place: Place; outcome: Outcome; rooms: OwnRooms }) {
  const { say, locale } = place.words
  const open = outcome.invoices.find(({ balance }) => balance > 0)
  return (
    <Card title={say('register.next.title')}>
      <ol class="timeline">
        <li>
          <strong>{say('register.next.mail')}</strong>
          <div class="muted small">{say('register.next.mailText')}</div>
        </li>
        {open ? (
          <li>
            <strong>{say('register.next.pay')}</strong>
            <div class="muted small">{say('register.next.payText', { amount: moneyText(place, open.balance), number: open.number })}</div>
          </li>
        ) : null}
        <Secure place={place} rooms={rooms} />
        <li>
          <strong>{say('register.next.come')}</strong>
          <div class="muted small">
            {say('register.next.comeText', { days: formatDays(locale, place.facts.startsOn, place.facts.endsOn) })}
          </div>
        </li>
      </ol>
    </Card>
  )
}

const Papers = ({ place, outcome, receipts }: { place: Place; outcome: Outcome; receipts: boolean }) => {
  const { say } = place.words
  return (
    <Card title={say('register.papers')}>
      <ul class="links">
        {(receipts ? outcome.invoices : []).map(({ number, link }) => (
          <li>
            <a href={link}>{say('register.receipt', { number })} (PDF)</a>
          </li>
        ))}
        <li>
          <a href={place.paths.myRegistration}>
            <span>
              {say('register.plansChanged')} <span class="muted small">{say('register.plansChangedText')}</span>
            </span>
          </a>
        </li>
      </ul>
    </Card>
  )
}

function Waiting({ place, row, outcome }: { place: Place; row: Row; outcome: Outcome }) {
  const { say } = place.words
  const names = new Map(place.config.products.map(({ code, name }) => [`product:${code}`, name]))
  return (
    <div class="stack">
      {outcome.waits.map(({ target, rank }) => (
        <p class="lead">
          {row.status === 'waitlisted'
            ? rank === 1
              ? say('register.rankFirst')
              : say('register.rank', { count: rank })
            : say('register.rankFor', { name: names.get(target) ?? place.config.details.name, rank })}
        </p>
      ))}
      {outcome.waits.length > 0 ? <p>{say('register.waitlistedText', { email: row.email ?? '' })}</p> : null}
    </div>
  )
}

/** `…/register/<flow>/done`: number, badge, calendar, papers and what comes next; for who waits, where they stand. */
export function donePages(web: Web) {
  const get = async (c: WebContext) => {
    const standing = await standingAt(web, c, 'is wanted')
    if (standing instanceof Response) return standing
    const { place, ctx, progress, base } = standing
    const { row } = progress
    const { say } = place.words
    const view = await readView(ctx, place, progress)
    const outcome = await outcomeOf(ctx, row)
    const rooms = await ownRooms(ctx, row.id)
    const applications = await applicationsOf(ctx, row.id)
    const end = endOf(view)
    const confirmation = end.find((widget): widget is WidgetOf<'confirmation'> => widget.type === 'confirmation')
    const redirect = end.find((widget): widget is WidgetOf<'redirect'> => widget.type === 'redirect')
    const name = row.preferred_name ?? row.first_name ?? ''
    const city = place.config.details.venue?.city
    const waits = row.status === 'waitlisted'
    const title = waits
      ? say('register.waitlisted', { name })
      : city
        ? say('register.youAreIn', { place: city, name })
        : say('register.youAreInPlain', { name })
    return showAt(
      web,
      c,
      place,
      { title, ...(redirect ? { head: <meta http-equiv="refresh" content={`${redirect.delaySeconds};url=${redirect.url}`} /> } : {}) },
      <div class="mine">
        <div class="done-top">
          <div class="stack">
            <h1>{title}</h1>
            {waits ? null : <p class="lead">{confirmedIn({ place, row, outcome })}</p>}
            <Waiting place={place} row={row} outcome={outcome} />
            {end.map((widget) => (
              <Drawn view={view} widget={widget} />
            ))}
            {waits ? null : (
              <p>
                <strong>{say('register.number')}:</strong> <span class="money">{row.confirmation_number}</span>
              </p>
            )}
            {!waits && (confirmation?.showCalendar ?? true) ? (
              <LinkButton href={`${base}/calendar.ics`} tone="primary">
                {say('register.calendar')}
              </LinkButton>
            ) : null}
          </div>
          {waits || !(confirmation?.showQr ?? true) ? null : <Pass place={place} row={row} outcome={outcome} />}
        </div>
        {waits ? null : (
          <div class="pair">
            <Next place={place} outcome={outcome} rooms={rooms} />
            <Room place={place} rooms={rooms} />
            <Applied place={place} applications={applications} />
            <Papers place={place} outcome={outcome} receipts={confirmation?.showReceipt ?? true} />
          </div>
        )}
      </div>,
    )
  }

  const calendar = async (c: WebContext) => {
    const standing = await standingAt(web, c, 'is wanted')
    if (standing instanceof Response) return standing
    const { content, mime } = await ownCalendar(standing.ctx, standing.place, standing.progress.row)
    c.header('content-type', mime)
    c.header('content-disposition', 'attachment; filename="calendar.ics"')
    c.header('cache-control', 'no-store')
    return c.body(new Uint8Array(content))
  }
  return eventPagesOf(web).get(DONE, get).get(`${AT_EVENT}/register/:flow/calendar.ics`, calendar)
}
