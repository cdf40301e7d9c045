import { formatDays, formatMoment, formatMoney } from '../../../kernel/language/format.ts'
import { comingMeetings } from '../../../domains/exhibitors/my-appointments.ts'
import { findOrderOf } from '../../../domains/orders/orders.ts'
import { toOrderRecord } from '../../../domains/orders/order-record.ts'
import { getOwnRegistration } from '../../../domains/registration/own-registration.ts'
import { finishLink } from '../../../domains/registration/links.ts'
import { Form, LinkButton } from '../components/forms.tsx'
import { Badge, Card, Facts, Notice, type Tone } from '../components/parts.tsx'
import { QrCode } from '../components/qr.tsx'
import { eventPagesOf } from '../event/frame.tsx'
import { AT_EVENT } from '../event/place.ts'
import { pathsOf } from '../group/at.tsx'
import { labelFor } from '../register/words.ts'
import { csrfFor, type Web, type WebContext } from '../web.ts'
import { isNothing, Money, MoneyRows } from './money.tsx'
import { asRegistrant, chooseOwn, forOwner, type Own, showOwn } from './own.tsx'

type Registration = Awaited<ReturnType<typeof getOwnRegistration>>
type Order = Awaited<ReturnType<typeof toOrderRecord>>

const TONES: Record<Own['row']['status'], Tone> = { complete: 'success', waitlisted: 'warning', incomplete: 'warning', cancelled: 'danger' }

const Answers = ({ own: { place, row }, registration }: { own: Own; registration: Registration }) => {
  const { say } = place.words
  const change = row.status === 'complete' ? <a href={`${place.paths.myRegistration}/edit`}>{say('mine.change')}</a> : null
  return (
    <Card title={say('mine.answers')} actions={change}>
      <Facts rows={registration.answers.map(({ binding, label, display }) => [ownLabel(place, binding) ?? label, display])} />
    </Card>
  )
}

/** In the language of the page; what the event asks is called as the event calls it. */
const ownLabel = ({ words, config }: Own['place'], binding: string) =>
  binding.startsWith('@participant.') ? labelFor(words, config, binding) : undefined

const Booked = ({ own: { place, row }, order }: { own: Own; order: Order }) => {
  const { say } = place.words
  const lines = order.lines.filter(({ kind }) => kind !== 'credit')
  const change = row.status === 'complete' ? <a href={`${place.paths.myRegistration}/edit`}>{say('mine.changeBooking')}</a> : null
  return (
    <Card title={say('mine.order')} actions={change}>
      <div class="stack">
        <MoneyRows
          place={place}
          rows={[
            ...lines.map(({ description, quantity, total }) => ({
              label: description,
              about: quantity > 1 ? `× ${quantity}` : undefined,
              money: total,
            })),
            { label: say('mine.total'), money: order.total, kind: 'total' as const },
            { label: say('mine.paid'), money: order.paid, kind: 'quiet' as const },
            ...(isNothing(order.unapplied) ? [] : [{ label: say('mine.credit'), money: positive(order.unapplied), kind: 'less' as const }]),
          ]}
        />
        {Number(order.balance.amount) > 0 ? (
          <div class="bar">
            <div class="sum">
              <span>{say('mine.balance')}</span>
              <Money place={place} money={order.balance} />
            </div>
            <LinkButton href={place.paths.pay} tone="primary">
              {say('mine.payNow', { amount: formatMoney(place.words.locale, order.balance) })}
            </LinkButton>
          </div>
        ) : null}
        {order.invoices.length > 0 ? (
          <div>
            <h3>{say('mine.documents')}</h3>
            <ul class="links">
              {order.invoices.map(({ number, kind, issuedAt }) => (
                <li>
                  <a href={`${place.paths.myRegistration}/invoices/${encodeURIComponent(number)}.pdf`}>
                    {say(kind === 'invoice' ? 'mine.invoice' : 'mine.creditNote', { number })}
                    <span class="muted small">{formatDays(place.words.locale, issuedAt.slice(0, 10), issuedAt.slice(0, 10))}</span>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ) : null}
      </div>
    </Card>
  )
}

const positive = (money: { amount: string; currency: string }) => ({ ...money, amount: money.amount.replace(/^-/, '') })

const Sessions = ({ own: { place, row }, registration }: { own: Own; registration: Registration }) => {
  const { say, locale } = place.words
  if (registration.sessions.length === 0) return null
  const change = row.status === 'complete' ? <a href={`${place.paths.myRegistration}/edit`}>{say('mine.changeSessions')}</a> : null
  return (
    <Card title={say('mine.sessions')} actions={change}>
      <Facts
        rows={registration.sessions.map(({ title, startsAt, room }) => [
          formatMoment(locale, new Date(startsAt), place.facts.timezone),
          [title, room].filter(Boolean).join(' · '),
        ])}
      />
    </Card>
  )
}

const Appointments = ({ own: { place }, coming }: { own: Own; coming: Awaited<ReturnType<typeof comingMeetings>> }) =>
  coming.length === 0 ? null : (
    <Card title={place.words.say('mine.appointments')}>
      <Facts rows={coming.map(({ with: other, startsAt }) => [formatMoment(place.words.locale, startsAt, place.facts.timezone), other])} />
    </Card>
  )

/** The room with its number, or that there could be one; all about it is on its own page. */
const Room = ({ own: { place, row }, registration }: { own: Own; registration: Registration }) => {
  const { say, locale } = place.words
  const housing = registration.housing.filter(({ status }) => status === 'confirmed')
  if (!place.config.housing.enabled || row.status !== 'complete') return null
  return (
    <Card title={say('stay.title')} actions={<a href={place.paths.housing}>{say('edit.change')}</a>}>
      {housing.length === 0 ? (
        <p class="muted">{say('stay.none')}</p>
      ) : (
        <Facts
          rows={housing.map(({ hotel, roomType, checkIn, checkOut, ackNumber }) => [
            [hotel, roomType].filter(Boolean).join(', '),
            [formatDays(locale, checkIn, checkOut), ackNumber].filter(Boolean).join(' · '),
          ])}
        />
      )}
    </Card>
  )
}

const Company = ({ own: { place }, registration }: { own: Own; registration: Registration }) => {
  const { say } = place.words
  const { guests, group, waitlist } = registration
  return (
    <>
      {guests.length > 0 ? (
        <Card title={say('mine.guests')}>
          <Facts rows={guests.map(({ name, status }) => [name, say(`status.${status as Own['row']['status']}`)])} />
        </Card>
      ) : null}
      {group ? (
        <Card title={say('mine.group')}>
          <div class="stack">
            <p>{group.name}</p>
            {group.role === 'leader' ? (
              <p>
                {say('group.mine')} <a href={pathsOf(place, group.code).home}>{say('group.look')}</a>
              </p>
            ) : null}
          </div>
        </Card>
      ) : null}
      {waitlist.length > 0 ? (
        <Card title={say('mine.waitlist')}>
          <Facts rows={waitlist.map((entry) => [entry.for, entry.rank === null ? '' : say('mine.rank', { rank: entry.rank })])} />
        </Card>
      ) : null}
    </>
  )
}

const Side = ({ own: { place, row }, csrf }: { own: Own; csrf: string }) => {
  const { say } = place.words
  const base = place.paths.myRegistration
  const going = row.status === 'complete'
  return (
    <div>
      {going && row.badge_id ? (
        <div class="pass">
          <div class="top">
            <strong>{place.config.details.name}</strong>
          </div>
          <div class="holder">{[row.first_name, row.last_name].filter(Boolean).join(' ')}</div>
          <QrCode text={row.badge_id} label={say('mine.badgeAlt')} />
          <div class="number">{row.confirmation_number}</div>
        </div>
      ) : null}
      <Card>
        <ul class="links">
          {going ? (
            <li>
              <a href={`${base}/calendar.ics`}>{say('mine.calendar')}</a>
            </li>
          ) : null}
          <li>
            <a href={`${base}/sharing`}>{say('mine.sharing')}</a>
          </li>
          <li>
            <a href={`${base}/data.json`}>{say('mine.download')}</a>
          </li>
          {row.status === 'cancelled' ? null : (
            <li>
              <a class="end" href={`${base}/cancel`}>
                {say('mine.cancel')}
              </a>
            </li>
          )}
        </ul>
        <Form action={`${base}/sign-out`} csrf={csrf}>
          <button type="submit" class="button wide">
            {say('mine.signOut')}
          </button>
        </Form>
      </Card>
    </div>
  )
}

/** `…/registration`: everything that somebody's registration is, and what they can do with it. */
export function ownOverviewPages(web: Web) {
  const page = async (c: WebContext, own: Own): Promise<Response> => {
    const { place, row, ctx } = own
    const { say } = place.words
    const registration = await getOwnRegistration(asRegistrant(own))
    const found = await findOrderOf(ctx, { participantId: row.id })
    const order = found ? await toOrderRecord(ctx, found) : null
    const name = [row.first_name, row.last_name].filter(Boolean).join(' ')
    return showOwn(
      web,
      c,
      own,
      { title: say('mine.title'), wide: true },
      <>
        <div class="row-between">
          <h1>{name || say('mine.title')}</h1>
          <Badge tone={TONES[row.status]}>{say(`status.${row.status}`)}</Badge>
        </div>
        {row.confirmation_number ? (
          <p class="lead">
            {say('mine.number')} {row.confirmation_number}
          </p>
        ) : null}
        {row.status === 'incomplete' ? (
          <Notice tone="warning">
            {say('mine.unfinished')} <a href={await finishLink(ctx, row)}>{say('mine.finish')}</a>
          </Notice>
        ) : null}
        <div class="mine-grid">
          <div>
            {order && order.lines.length > 0 ? <Booked own={own} order={order} /> : null}
            <Sessions own={own} registration={registration} />
            <Appointments own={own} coming={await comingMeetings(ctx, row.id)} />
            <Answers own={own} registration={registration} />
            <Room own={own} registration={registration} />
            <Company own={own} registration={registration} />
          </div>
          <Side own={own} csrf={csrfFor(web, c)} />
        </div>
      </>,
    )
  }
  return eventPagesOf(web)
    .get(`${AT_EVENT}/registration`, forOwner(web, page))
    .post(`${AT_EVENT}/registration/choose`, (c) => chooseOwn(web, c))
}
