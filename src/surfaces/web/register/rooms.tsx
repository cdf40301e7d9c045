import type { RoomSearch } from '../../../domains/checkout/room-search.ts'
import { FIELDS } from '../../../domains/checkout/sent-page.ts'
import { fullRoom, roomValue, SHARES } from '../../../domains/checkout/sent-room.ts'
import type { WidgetOf } from '../../../domains/configuration/schema/widgets.ts'
import { formatMoment, formatNumber } from '../../../kernel/language/format.ts'
import { Input, Select } from '../components/forms.tsx'
import { Group } from './fields.tsx'
import { Prose } from './prose.tsx'
import { type Hotel, HotelOption, isFull } from './room-options.tsx'
import { RoomWishes } from './room-wishes.tsx'
import { errorAt, type View } from './view.ts'

const MOST_PEOPLE = 4

/** Days and Search, then the hotels with what each night costs, and one choice out of all rooms. */
export function Rooms({ view, widget }: { view: View; widget: WidgetOf<'housing'> }) {
  const { say, locale } = view.place.words
  const { rooms } = view
  if (!rooms) return null
  const { offered } = rooms
  const zone = view.place.facts.timezone
  if (offered.kind === 'opens') return <p class="muted">{say('room.opens', { moment: formatMoment(locale, offered.at, zone) })}</p>
  if (offered.kind === 'closed') return <p class="muted">{say('room.closed', { moment: formatMoment(locale, offered.at, zone) })}</p>
  const current = chosenIn(view)
  return (
    <Group field={{ name: '@housing.hotelId', label: say('room.title'), error: faultOf(view) }}>
      <input type="hidden" name={FIELDS.roomAsked} value="true" />
      <Days view={view} rooms={rooms} />
      <Found view={view} widget={widget} rooms={rooms} current={current} />
      <div class="options">
        {widget.allowShare ? <Bed view={view} checked={current === SHARES} /> : null}
        {widget.required ? null : (
          <label class="option">
            <input type="radio" name={FIELDS.room} value="" checked={current === ''} />
            <span class="name">{say('room.none')}</span>
          </label>
        )}
      </div>
      {offered.kind === 'open' ? <RoomWishes view={view} allowShare={widget.allowShare} /> : null}
      <Terms view={view} />
    </Group>
  )
}

/** As it was sent, else what they hold, answered or share. */
function chosenIn({ valueOf }: View): string {
  const [sent] = valueOf(FIELDS.room)
  if (sent !== undefined) return sent
  const [hotelId] = valueOf('@housing.hotelId')
  const [code] = valueOf('@housing.roomTypeCode')
  if (hotelId && code) return roomValue(hotelId, code)
  return valueOf('@housing.shareWith')[0] ? SHARES : ''
}

/** Days and people have their own sentence beside them; what else is wrong is wrong with the choice. */
const faultOf = ({ errors }: View) =>
  errors.find(({ path }) => path.startsWith('@housing.') && !/\.(checkIn|checkOut|occupants|requests|loyaltyNumber|shareWith)$/.test(path))
    ?.message

const SENTENCES = { order: 'wrong.departure', min: 'wrong.nightsMin', max: 'wrong.nightsMax' } as const

function Days({ view, rooms: { checkIn, checkOut, occupants, offered } }: { view: View; rooms: RoomSearch }) {
  const { say } = view.place.words
  const people = Array.from({ length: Math.max(MOST_PEOPLE, occupants) }, (_, index) => String(index + 1))
  const wrongDays =
    offered.kind === 'days' ? say(SENTENCES[offered.fault.sentence] as 'wrong.nightsMin', { limit: offered.fault.nights }) : undefined
  return (
    <div class="days-search">
      <Input
        name="@housing.checkIn"
        type="date"
        label={say('housing.checkIn')}
        value={view.valueOf('@housing.checkIn')[0] ?? checkIn}
        error={errorAt(view, '@housing.checkIn')}
      />
      <Input
        name="@housing.checkOut"
        type="date"
        label={say('housing.checkOut')}
        value={view.valueOf('@housing.checkOut')[0] ?? checkOut}
        error={errorAt(view, '@housing.checkOut') ?? wrongDays}
      />
      <Select
        name="@housing.occupants"
        label={say('housing.occupants')}
        value={String(occupants)}
        error={errorAt(view, '@housing.occupants')}
        options={people.map((count) => ({ value: count, label: count }))}
      />
      <button type="submit" class="button" name="do" value="update">
        {say('room.search')}
      </button>
    </div>
  )
}

interface Finding {
  view: View
  widget: WidgetOf<'housing'>
  rooms: RoomSearch
  current: string
}

function Found({ view, widget, rooms, current }: Finding) {
  const { say } = view.place.words
  const { offered } = rooms
  if (offered.kind === 'none') return <p class="muted">{say('room.nothing')}</p>
  if (offered.kind !== 'open') return null
  return (
    <>
      {offered.hotels.map((hotel) => (
        <section class="hotel" aria-labelledby={`hotel-${hotel.id}`}>
          <h3 id={`hotel-${hotel.id}`}>{hotel.name}</h3>
          <p class="muted small">
            {about(view, hotel)}
            {widget.showMap ? <MapLink view={view} hotel={hotel} /> : null}
          </p>
          <div class="options">
            {hotel.roomTypes.map((room) => (
              <HotelOption view={view} hotel={hotel} room={room} nights={offered.nights} current={current} waits={widget.allowWaitlist} />
            ))}
          </div>
          {hotel.roomTypes.map((room) =>
            isFull(room) ? <input type="hidden" name={FIELDS.full} value={fullRoom(roomValue(hotel.id, room.code), rooms)} /> : null,
          )}
        </section>
      ))}
    </>
  )
}

function about({ place: { words } }: View, { stars, distanceKm, address, amenities }: Hotel): string {
  const { say, locale } = words
  return [
    stars === null ? null : say('room.stars', { count: stars }),
    distanceKm === null ? null : say('room.distance', { km: formatNumber(locale, distanceKm) }),
    address,
    ...amenities.slice(0, 5),
  ]
    .filter(Boolean)
    .join(' · ')
}

const MapLink = ({ view, hotel }: { view: View; hotel: Hotel }) => (
  <>
    {' '}
    <a href={`https://www.openstreetmap.org/search?query=${encodeURIComponent(`${hotel.name}, ${hotel.address}`)}`} rel="noreferrer">
      {view.place.words.say('register.map')}
      <span class="hidden"> {hotel.name}</span>
    </a>
  </>
)

/** No room of their own: a bed, by the word of whoever has the room. */
function Bed({ view, checked }: { view: View; checked: boolean }) {
  const { say } = view.place.words
  const error = errorAt(view, FIELDS.sharedBy)
  const named = view.valueOf(FIELDS.sharedBy)[0] ?? (checked ? view.valueOf('@housing.shareWith')[0] : undefined)
  return (
    <div class="option">
      <input type="radio" id="housing-share" name={FIELDS.room} value={SHARES} checked={checked} />
      <label class="name" for="housing-share">
        {say('room.share')}
      </label>
      <div class="about opens">
        <Input name={FIELDS.sharedBy} label={say('room.shareHelp')} value={named} autocomplete="off" maxlength={254} error={error} />
      </div>
    </div>
  )
}

function Terms({ view }: { view: View }) {
  const { say } = view.place.words
  const { terms, guarantee } = view.config.housing
  return (
    <>
      {guarantee === 'card' ? <p class="help">{say('room.cardLater')}</p> : null}
      {terms ? (
        <details>
          <summary>{say('room.terms')}</summary>
          <Prose html={terms} />
        </details>
      ) : null}
    </>
  )
}
