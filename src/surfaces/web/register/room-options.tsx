import type { RoomSearchResult } from '../../../domains/checkout/room-search.ts'
import { NON_ANSWER_FORM_FIELDS } from '../../../domains/checkout/sent-page.ts'
import { toRoomFormValue } from '../../../domains/checkout/sent-room.ts'
import { formatMoney, formatShortDay } from '../../../kernel/language/format.ts'
import { StatusLabel } from '../components/parts.tsx'
import { Select } from '../components/forms.tsx'
import type { RegistrationPageView } from './view.ts'

export type HotelWithRooms = Extract<RoomSearchResult, { kind: 'open' }>['hotels'][number]
type Room = HotelWithRooms['roomTypes'][number]
type Night = Room['nights'][number]

/** Whether the room cannot be booked, because it is unavailable for at least one night of the stay. */
export const isStayUnavailable = ({ nights }: Room) =>
  nights.some(({ state, rate }) => rate === null || state === 'soldOut' || state === 'waitlist')

interface Choice {
  view: RegistrationPageView
  hotel: HotelWithRooms
  room: Room
  nights: number
  current: string
  /** Whether participants can join the waiting list for a sold-out room. */
  waits: boolean
}

/** One room type with the price of the whole stay and the price per night. */
export function RoomOption({ view, hotel, room, nights, current, waits }: Choice) {
  const { say, locale } = view.site.words
  const value = toRoomFormValue(hotel.id, room.code)
  const full = isStayUnavailable(room)
  // There is no waiting list for nights that the hotel does not offer.
  const never = room.nights.some(({ rate }) => rate === null)
  const off = full && (!waits || never)
  const id = `room-${value}`
  return (
    <div class={off ? 'option off' : 'option'}>
      <input type="radio" id={id} name={NON_ANSWER_FORM_FIELDS.room} value={value} checked={!off && current === value} disabled={off} />
      <label class="name" for={id}>
        {room.name}
        <span class="hidden">, {hotel.name}</span>
      </label>
      {room.stay ? (
        <span class="price">
          <span class="money">{formatMoney(locale, room.stay.total)}</span>
          <small class="muted">{say('room.nights', { count: nights })}</small>
        </span>
      ) : (
        <span />
      )}
      <span class="about">
        {[say('room.people', { count: room.maxOccupancy }), ...room.beds, room.accessible ? say('room.accessible') : null]
          .filter(Boolean)
          .join(' · ')}
        {room.stay ? ` · ${say('room.atHotel')}` : null}
      </span>
      <span class="states">
        {full ? <StatusLabel>{say(never ? 'room.notAllNights' : 'room.soldOutSomeNight')}</StatusLabel> : null}
        {full && !off ? <StatusLabel tone="accent">{say('register.waitlistOpen')}</StatusLabel> : null}
        {!full && room.deposit ? (
          <StatusLabel tone="warning">{say('room.deposit', { amount: formatMoney(locale, room.deposit) })}</StatusLabel>
        ) : null}
      </span>
      <div class="about">
        <details>
          <summary>{say('room.byNight')}</summary>
          <RateTable view={view} hotel={hotel} room={room} />
        </details>
      </div>
      {room.beds.length > 1 && !off ? <BedTypeField view={view} room={room} value={value} /> : null}
    </div>
  )
}

function RateTable({ view, hotel, room }: { view: RegistrationPageView; hotel: HotelWithRooms; room: Room }) {
  const { say, locale } = view.site.words
  return (
    <div class="table-wrap">
      <table class="table rates">
        <caption class="hidden">{say('label.value', { label: say('room.byNight'), value: `${hotel.name}, ${room.name}` })}</caption>
        <thead>
          <tr>
            <th scope="col">{say('room.night')}</th>
            <th scope="col" class="number">
              {say('room.rate')}
            </th>
            <th scope="col" class="number">
              {say('room.left')}
            </th>
          </tr>
        </thead>
        <tbody>
          {room.nights.map((night) => (
            <tr>
              <th scope="row">{formatShortDay(locale, night.night)}</th>
              <td class="number">{night.rate ? formatMoney(locale, night.rate) : '–'}</td>
              <td class="number">{availabilityText(view, night)}</td>
            </tr>
          ))}
          {room.stay ? <StayTotals view={view} stay={room.stay} /> : null}
        </tbody>
      </table>
    </div>
  )
}

function StayTotals({ view, stay }: { view: RegistrationPageView; stay: NonNullable<Room['stay']> }) {
  const { say, locale } = view.site.words
  const extra = [stay.fees, stay.tax].filter(({ amount }) => Number(amount) > 0)
  return (
    <>
      {extra.length > 0 ? (
        <tr>
          <th scope="row">{say('room.feesAndTax')}</th>
          <td class="number" colspan={2}>
            {extra.map((money) => formatMoney(locale, money)).join(' + ')}
          </td>
        </tr>
      ) : null}
      <tr class="sum">
        <th scope="row">{say('room.total')}</th>
        <td class="number" colspan={2}>
          {formatMoney(locale, stay.total)}
        </td>
      </tr>
    </>
  )
}

function availabilityText({ site: { words } }: RegistrationPageView, { rate, available, state }: Night): string {
  const { say } = words
  if (rate === null) return say('room.notOffered')
  if (state === 'soldOut' || state === 'waitlist') return say('room.soldOut')
  return available === null ? say('room.free') : say('room.leftCount', { count: available })
}

/** The choice of bed type. Each room has its own field. Only the field of the selected room is read. */
function BedTypeField({ view, room, value }: { view: RegistrationPageView; room: Room; value: string }) {
  const { say } = view.site.words
  const name = NON_ANSWER_FORM_FIELDS.beds(value)
  const savedBedType = view.progress.answers['@housing.bedType']
  return (
    <div class="about opens">
      <Select
        name={name}
        label={say('room.beds', { room: room.name })}
        value={view.valueOf(name)[0] ?? (typeof savedBedType === 'string' ? savedBedType : '')}
        options={[{ value: '', label: say('room.anyBed') }, ...room.beds.map((bed) => ({ value: bed, label: bed }))]}
      />
    </div>
  )
}
