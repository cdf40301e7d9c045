import type { Child } from 'hono/jsx'
import type { HotelChoice, RequestFormChoices } from '../../../domains/block-requests/hotel-choices.ts'
import type { ManagedRequester } from '../../../domains/block-requests/own-requesters.ts'
import { getPeakRooms, sumRooms } from '../../../domains/block-requests/requests.ts'
import { MAX_HOTEL_PREFERENCES, MAX_REQUESTED_ROOMS } from '../../../domains/block-requests/submit.ts'
import { formatDateRange, formatDay, formatMoney, formatNumber, formatShortDay } from '../../../kernel/language/format.ts'
import { toMoney } from '../../../kernel/money.ts'
import { addDays } from '../../../kernel/time.ts'
import { Checkbox, findFieldError, Form, Select, TextArea } from '../components/forms.tsx'
import { Card, DescriptionList, Notice } from '../components/parts.tsx'
import type { EventSite } from '../event/event-site.ts'
import type { FormErrors } from '../fields.ts'
import { type RequestFormValues, formToBlockRequest } from './form-values.ts'
import { RequestStepHeader } from './steps.tsx'

/** The data that the room request form shows. */
export interface RequestFormView {
  site: EventSite
  requester: ManagedRequester
  choices: RequestFormChoices
  form: RequestFormValues
  /** The usual number of rooms for the size of the company's booth; infinite if the event defines none. */
  usual: number
  formErrors: FormErrors | null
  /** A notice about the previous action. */
  notice?: string | undefined
  csrf: string
}

const Arrow = ({ down = false }: { down?: boolean }) => (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path fill="none" d={down ? 'M5 8l5 5 5-5' : 'M5 12l5-5 5 5'} />
  </svg>
)

const Cross = () => (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path fill="none" d="M5 5l10 10M15 5L5 15" />
  </svg>
)

/** Returns a label for a night, such as "first day", so that the night before the event is not mistaken for the first day. */
function labelNight({ facts, words: { say } }: EventSite, night: string): string | null {
  if (night === addDays(facts.startsOn, -1)) return say('blockRequest.eve')
  if (night === facts.startsOn) return say(facts.endsOn === facts.startsOn ? 'blockRequest.eventDay' : 'blockRequest.firstDay')
  return night === facts.endsOn ? say('blockRequest.lastDay') : null
}

/** The total of room nights and the night with the most rooms, updated while the user types. */
const Totals = ({ view: { site, form } }: { view: RequestFormView }) => {
  const { say, locale } = site.words
  const { profile } = formToBlockRequest(form)
  return (
    <tfoot class="order-lines" aria-live="polite">
      <tr>
        <th scope="row">{say('blockRequest.roomNights')}</th>
        <td>{formatNumber(locale, sumRooms(profile))}</td>
      </tr>
      <tr>
        <th scope="row">{say('blockRequest.peak')}</th>
        <td>{formatNumber(locale, getPeakRooms(profile))}</td>
      </tr>
    </tfoot>
  )
}

const NightRow = ({
  view: { site, formErrors },
  row: { night, typed },
}: {
  view: RequestFormView
  row: RequestFormValues['nights'][number]
}) => {
  const { say, locale } = site.words
  const day = formatShortDay(locale, night)
  const error = findFieldError(formErrors?.errors, `night-${night}`)
  const about = labelNight(site, night)
  return (
    <tr>
      <th scope="row">
        {day}
        {about === null ? null : <small>{about}</small>}
      </th>
      <td>
        <label class="hidden" for={`night-${night}`}>
          {say('blockRequest.roomsOn', { day })}
        </label>
        <input
          type="number"
          inputmode="numeric"
          min="0"
          max={MAX_REQUESTED_ROOMS}
          id={`night-${night}`}
          name={`night-${night}`}
          value={typed}
          autocomplete="off"
          aria-invalid={error ? 'true' : undefined}
          aria-describedby={error ? `night-${night}-error` : undefined}
        />
        {error ? (
          <span class="error" id={`night-${night}-error`}>
            {error}
          </span>
        ) : null}
      </td>
    </tr>
  )
}

const Nights = ({ view }: { view: RequestFormView }) => {
  const { site, form, usual } = view
  const { say } = site.words
  const peak = getPeakRooms(formToBlockRequest(form).profile)
  return (
    <Card id="w-nights">
      <div class="stack">
        <div>
          <h2>{say('blockRequest.byNight')}</h2>
          <p class="small muted">{say('blockRequest.nightHelp')}</p>
        </div>
        <table class="night-grid">
          <caption class="hidden">{say('blockRequest.byNight')}</caption>
          <thead>
            <tr>
              <th scope="col">{say('room.night')}</th>
              <th scope="col">{say('blockRequest.rooms')}</th>
            </tr>
          </thead>
          <tbody>
            {form.nights.map((row) => (
              <NightRow view={view} row={row} />
            ))}
          </tbody>
          <Totals view={view} />
        </table>
        <p class="row">
          <button type="submit" class="button small" name="do" value="before">
            {say('blockRequest.before')}
          </button>
          <button type="submit" class="button small" name="do" value="after">
            {say('blockRequest.after')}
          </button>
          <button type="submit" class="button quiet small no-script" name="do" value="update">
            {say('blockRequest.update')}
          </button>
        </p>
        <div class="order-lines" aria-live="polite">
          <LargeRequestNotice site={site} peak={peak} usual={usual} />
        </div>
      </div>
    </Card>
  )
}

/** Warns that a request is larger than usual for the company's booth. The housing team decides about it. */
export const LargeRequestNotice = ({ site, peak, usual }: { site: EventSite; peak: number; usual: number }) =>
  peak > usual ? (
    <Notice tone="warning">
      {usual === 0 ? site.words.say('blockRequest.noBooth', { peak }) : site.words.say('blockRequest.overBooth', { peak, usual })}
    </Notice>
  ) : null

/** Describes the distance and rates of a hotel in one line. */
export function describeHotel({ words: { say, locale }, facts }: EventSite, hotel: HotelChoice): string {
  const price = (amount: number) => formatMoney(locale, toMoney(amount, facts.currency))
  return [
    ...(hotel.distanceKm === null ? [] : [`${formatNumber(locale, Math.round(hotel.distanceKm * 10) / 10)} km`]),
    ...(hotel.single === null ? [] : [say('blockRequest.single', { price: price(hotel.single) })]),
    ...(hotel.double === null ? [] : [say('blockRequest.double', { price: price(hotel.double) })]),
  ].join(' · ')
}

interface MoveProps {
  label: string
  action: string
  children: Child
  disabled?: boolean
}

const Move = ({ label, action, children, disabled = false }: MoveProps) => (
  <button type="submit" class="icon-button" name="do" value={action} aria-label={label} disabled={disabled}>
    {children}
  </button>
)

const Hotels = ({ view: { site, form, choices } }: { view: RequestFormView }) => {
  const { say } = site.words
  const preferred = form.hotelPreferences.flatMap((id) => choices.hotels.find((hotel) => hotel.id === id) ?? [])
  const others = choices.hotels.filter(({ id }) => !form.hotelPreferences.includes(id))
  return (
    <Card id="w-hotels">
      <div class="stack">
        <div>
          <h2>{say('blockRequest.hotels')}</h2>
          <p class="small muted">{say('blockRequest.hotelsHelp', { most: MAX_HOTEL_PREFERENCES })}</p>
        </div>
        {preferred.length === 0 ? null : (
          <ol class="order-list">
            {preferred.map((hotel, index) => (
              <li>
                <span>
                  {hotel.name}
                  <small>{describeHotel(site, hotel)}</small>
                </span>
                <input type="hidden" name="hotel" value={hotel.id} />
                <span class="moves">
                  <Move label={say('blockRequest.up', { hotel: hotel.name })} action={`up:${hotel.id}`} disabled={index === 0}>
                    <Arrow />
                  </Move>
                  <Move
                    label={say('blockRequest.down', { hotel: hotel.name })}
                    action={`down:${hotel.id}`}
                    disabled={index === preferred.length - 1}
                  >
                    <Arrow down />
                  </Move>
                  <Move label={say('blockRequest.remove', { hotel: hotel.name })} action={`remove:${hotel.id}`}>
                    <Cross />
                  </Move>
                </span>
              </li>
            ))}
          </ol>
        )}
        {others.length === 0 || preferred.length >= MAX_HOTEL_PREFERENCES ? null : (
          <div class="with-button end">
            <Select
              name="added"
              label={say('blockRequest.addHotel')}
              options={[
                { value: '', label: say('blockRequest.chooseHotel') },
                ...others.map((hotel) => ({
                  value: hotel.id,
                  label: [hotel.name, ...(describeHotel(site, hotel) ? [describeHotel(site, hotel)] : [])].join(', '),
                })),
              ]}
            />
            <button type="submit" class="button" name="do" value="add">
              {say('blockRequest.add')}
            </button>
          </div>
        )}
        <Checkbox
          name="together"
          label={say('blockRequest.together')}
          help={say('blockRequest.togetherHelp')}
          checked={form.keepTogether}
        />
      </div>
    </Card>
  )
}

const RoomTypes = ({ view: { site, form, choices } }: { view: RequestFormView }) => {
  const { say } = site.words
  if (choices.roomTypes.length < 2) return null
  return (
    <Card>
      <fieldset class="field">
        <legend>
          <h2>{say('blockRequest.types')}</h2>
        </legend>
        <p class="small muted">{say('blockRequest.typesHelp')}</p>
        {choices.roomTypes.map(({ code, name }) => (
          <Checkbox id={`type-${code}`} name="type" value={code} label={name} checked={form.roomTypes.includes(code)} />
        ))}
      </fieldset>
    </Card>
  )
}

const Payment = ({ view: { site, form, requester } }: { view: RequestFormView }) => {
  const { say } = site.words
  const options = [
    { value: 'guest', name: say('blockRequest.guestPays'), about: say('blockRequest.guestPaysHelp') },
    { value: 'master', name: say('blockRequest.masterPays', { requester: requester.name }), about: say('blockRequest.masterPaysHelp') },
  ]
  return (
    <Card>
      <fieldset class="stack">
        <legend>
          <h2>{say('blockRequest.pays')}</h2>
        </legend>
        <div class="options">
          {options.map(({ value, name, about }) => (
            <label class="option">
              <input type="radio" name="pays" value={value} checked={form.paymentBy === value} />
              <span class="name">{name}</span>
              <span class="about">{about}</span>
            </label>
          ))}
        </div>
        <TextArea name="note" label={say('blockRequest.note')} optional={say('field.optional')} value={form.note ?? ''} rows={3} />
      </fieldset>
    </Card>
  )
}

/** The summary beside the form: the room request in numbers, and the next steps with their dates. */
export const RequestSummaryAside = ({ view: { site, form, choices }, now }: { view: RequestFormView; now: 'send' | 'none' }) => {
  const { say, locale } = site.words
  const { profile, hotelPreferences } = formToBlockRequest(form)
  const first = choices.hotels.find(({ id }) => id === hotelPreferences[0])
  const by = (day: string | null) =>
    day === null ? null : <div class="muted small">{say('blockRequest.by', { day: formatDay(locale, day) })}</div>
  return (
    <aside class="order" aria-labelledby="request-title">
      <section class="card">
        <div class="card-body stack">
          <h2 id="request-title">{say('blockRequest.yours')}</h2>
          <div class="order-lines">
            <DescriptionList
              rows={[
                ...(profile.length === 0
                  ? []
                  : ([[say('blockRequest.nights'), formatDateRange(locale, profile[0]!.night, addDays(profile.at(-1)!.night, 1))]] as [
                      string,
                      Child,
                    ][])),
                [say('blockRequest.roomNights'), formatNumber(locale, sumRooms(profile))],
                [say('blockRequest.peak'), formatNumber(locale, getPeakRooms(profile))],
                [say('blockRequest.firstChoice'), first?.name ?? say('blockRequest.anyHotel')],
              ]}
            />
          </div>
          <h3>{say('register.next.title')}</h3>
          <ol class="timeline">
            <li aria-current={now === 'send' ? 'step' : undefined}>
              <strong>{say('blockRequest.sendStep')}</strong>
              {by(choices.deadlineOn)}
            </li>
            <li>
              <strong>{say('blockRequest.offerStep')}</strong>
              <div class="muted small">{say('blockRequest.offerText', { count: choices.acceptDays })}</div>
            </li>
            <li>
              <strong>{say('blockRequest.nameStep')}</strong>
              {by(choices.nameBy)}
            </li>
          </ol>
        </div>
      </section>
    </aside>
  )
}

/** The first step of a room request: rooms, hotels and payment. */
export const RequestFormPage = ({ view }: { view: RequestFormView }) => {
  const { site, requester, form, formErrors, notice, csrf } = view
  const { say, locale } = site.words
  const { profile } = formToBlockRequest(form)
  return (
    <div class="checkout two">
      <RequestStepHeader site={site} step={1} title={say('blockRequest.title')} formErrors={formErrors}>
        <p class="lead">{say('blockRequest.lead', { requester: requester.name })}</p>
        {notice ? <Notice tone="success">{notice}</Notice> : null}
      </RequestStepHeader>
      <Form action={site.paths.blockRequests} csrf={csrf} class="checkout-main request" id="page">
        {/* The first submit button handles the Enter key, so it must not be one of those that add nights. */}
        <button type="submit" class="hidden" name="do" value="check" tabindex={-1} aria-hidden="true">
          {say('blockRequest.check')}
        </button>
        <input type="hidden" name="for" value={requester.key} />
        <input type="hidden" name="from" value={form.nights[0]!.night} />
        <input type="hidden" name="until" value={form.nights.at(-1)!.night} />
        <Nights view={view} />
        <RoomTypes view={view} />
        <Hotels view={view} />
        <Payment view={view} />
      </Form>
      <RequestSummaryAside view={view} now="send" />
      <div class="bar stacked">
        <p class="sum">
          <span class="order-lines">{say('blockRequest.nightsCount', { count: formatNumber(locale, sumRooms(profile)) })}</span>{' '}
          <span>{say('blockRequest.nothingToPay')}</span>
        </p>
        <button type="submit" form="page" class="button" name="do" value="save">
          {say('blockRequest.saveDraft')}
        </button>
        <button type="submit" form="page" class="button primary large" name="do" value="check">
          {say('blockRequest.check')}
        </button>
      </div>
    </div>
  )
}
