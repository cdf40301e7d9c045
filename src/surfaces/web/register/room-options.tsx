import type { RoomsOffered } from '../../../domains/checkout/room-search.ts'
import { FIELDS } from '../../../domains/checkout/sent-page.ts'
import { roomValue } from '../../../domains/checkout/sent-room.ts'
import { formatMoney, formatShortDay } from '../../../kernel/language/format.ts'
import { Badge } from '../components/parts.tsx'
import { Select } from '../components/forms.tsx'
import type { View } from './view.ts'

export type Hotel = Extract<RoomsOffered, { kind: 'open' }>['hotels'][number]
type Room = Hotel['roomTypes'][number]
type Night = Room['nights'][number]

/** A night that cannot be had makes the stay one that cannot be had. */
export const isFull = ({ nights }: Room) => nights.some(({ state, rate }) => rate === null || state === 'soldOut' || state === 'waitlist')

interface Choice {
  view: View
  hotel: Hotel
  room: Room
  nights: number
  current: string
  /** Whether what is full can be waited for. */
  waits: boolean
}

/** From here on a table is longer than the choice it is about. */
const MANY_NIGHTS = 4

/** One room type: what the whole stay costs before the choice, and every night below it. */
export function HotelOption({ view, hotel, room, nights, current, waits }: Choice) {
  const { say, locale } = view.place.words
  const value = roomValue(hotel.id, room.code)
  const full = isFull(room)
  // For a night that the hotel does not offer nobody needs to wait.
  const never = room.nights.some(({ rate }) => rate === null)
  const off = full && (!waits || never)
  const id = `room-${value}`
  return (
    <div class={off ? 'option off' : 'option'}>
      <input type="radio" id={id} name={FIELDS.room} value={value} checked={!off && current === value} disabled={off} />
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
        {full ? <Badge>{say(never ? 'room.notAllNights' : 'room.fullSome')}</Badge> : null}
        {full && !off ? <Badge tone="accent">{say('register.joinWaitlist')}</Badge> : null}
        {!full && room.deposit ? <Badge tone="warning">{say('room.deposit', { amount: formatMoney(locale, room.deposit) })}</Badge> : null}
      </span>
      <div class="about">
        <details open={nights <= MANY_NIGHTS}>
          <summary>{say('room.byNight')}</summary>
          <RateTable view={view} hotel={hotel} room={room} />
        </details>
      </div>
      {room.beds.length > 1 && !off ? <Beds view={view} room={room} value={value} /> : null}
    </div>
  )
}

function RateTable({ view, hotel, room }: { view: View; hotel: Hotel; room: Room }) {
  const { say, locale } = view.place.words
  return (
    <div class="table-wrap">
      <table class="table rates">
        <caption class="hidden">
          {say('room.byNight')}: {hotel.name}, {room.name}
        </caption>
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
              <td class="number">{leftOn(view, night)}</td>
            </tr>
          ))}
          {room.stay ? <Sums view={view} stay={room.stay} /> : null}
        </tbody>
      </table>
    </div>
  )
}

function Sums({ view, stay }: { view: View; stay: NonNullable<Room['stay']> }) {
  const { say, locale } = view.place.words
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

function leftOn({ place: { words } }: View, { rate, available, state }: Night): string {
  const { say } = words
  if (rate === null) return say('room.notOffered')
  if (state === 'soldOut' || state === 'waitlist') return say('room.soldOut')
  return available === null ? say('room.free') : say('room.leftCount', { count: available })
}

/** Asked where it is chosen; of rooms that were not chosen nothing is read. */
function Beds({ view, room, value }: { view: View; room: Room; value: string }) {
  const { say } = view.place.words
  const name = FIELDS.beds(value)
  const kept = view.progress.answers['@housing.bedType']
  return (
    <div class="about opens">
      <Select
        name={name}
        label={say('room.beds', { room: room.name })}
        value={view.valueOf(name)[0] ?? (typeof kept === 'string' ? kept : '')}
        options={[{ value: '', label: say('room.anyBed') }, ...room.beds.map((bed) => ({ value: bed, label: bed }))]}
      />
    </div>
  )
}
