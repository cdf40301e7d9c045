import type { RoomSearch } from '../../../domains/checkout/room-search.ts'
import { NON_ANSWER_FORM_FIELDS } from '../../../domains/checkout/sent-page.ts'
import { toSoldOutRoomFormValue, toRoomFormValue, SHARE_ROOM_FORM_VALUE } from '../../../domains/checkout/sent-room.ts'
import { MAX_ALTERNATIVE_HOTELS } from '../../../domains/housing/waitlist-alternatives.ts'
import type { WidgetOfType } from '../../../domains/configuration/schema/widgets.ts'
import { formatInstantWithTimeZone, formatNumber } from '../../../kernel/language/format.ts'
import { Checkbox, Input, Select } from '../components/forms.tsx'
import { MapLink } from '../event/map-link.tsx'
import { FieldGroup } from './fields.tsx'
import { SanitizedProse } from './prose.tsx'
import { type HotelWithRooms, RoomOption, isStayUnavailable } from './room-options.tsx'
import { RoomDetailFields } from './room-details.tsx'
import { findErrorMessage, type RegistrationPageView, buildPathToWidget } from './view.ts'

const MAX_OCCUPANTS_OFFERED = 4

/** The choice of a room: a search by dates, then one list of options with the rooms of all hotels and their prices per night. */
export function RoomsWidget({ view, widget }: { view: RegistrationPageView; widget: WidgetOfType<'housing'> }) {
  const { say, locale } = view.site.words
  const { rooms } = view
  if (!rooms) return null
  const { offered } = rooms
  const zone = view.site.facts.timezone
  if (offered.kind === 'opens')
    return <p class="muted">{say('room.opens', { moment: formatInstantWithTimeZone(locale, offered.at, zone) })}</p>
  if (offered.kind === 'closed')
    return <p class="muted">{say('room.closed', { moment: formatInstantWithTimeZone(locale, offered.at, zone) })}</p>
  const current = currentRoomChoice(view)
  return (
    <FieldGroup field={{ name: '@housing.hotelId', label: say('room.title'), error: roomError(view) }}>
      <input type="hidden" name={NON_ANSWER_FORM_FIELDS.roomAsked} value="true" />
      {widget.required ? (
        <RoomChoice view={view} widget={widget} rooms={rooms} current={current} />
      ) : (
        <>
          <div class="options">
            <label class="option">
              <input type="radio" name={NON_ANSWER_FORM_FIELDS.room} value="" checked={current === ''} />
              <span class="name">{say('room.notNeeded')}</span>
            </label>
          </div>
          {/* The search is collapsed, because it is longer than the rest of the page, and most participants need no room. */}
          <details class="fold" open={current !== '' || view.pressedWidget === widget.id || hasRoomError(view)}>
            <summary>{say('room.choose')}</summary>
            <RoomChoice view={view} widget={widget} rooms={rooms} current={current} />
          </details>
        </>
      )}
      <HousingTerms view={view} />
    </FieldGroup>
  )
}

/** The search for hotel rooms by dates, its results, and the option to share another participant's room. */
const RoomChoice = ({ view, widget, rooms, current }: RoomResultsProps) => (
  <div>
    <StaySearch view={view} rooms={rooms} widget={widget} />
    <RoomResults view={view} widget={widget} rooms={rooms} current={current} />
    {widget.allowWaitlist ? <OtherHotels view={view} rooms={rooms} /> : null}
    {widget.allowShare ? (
      <div class="options">
        <SharedRoomOption view={view} checked={current === SHARE_ROOM_FORM_VALUE} />
      </div>
    ) : null}
    {rooms.offered.kind === 'open' ? <RoomDetailFields view={view} allowShare={widget.allowShare} /> : null}
  </div>
)

/**
 * The choice of other hotels that the participant accepts if the chosen room stays sold out. Shown only if the search found a sold-out
 * room.
 */
function OtherHotels({ view, rooms: { offered } }: Pick<RoomResultsProps, 'view' | 'rooms'>) {
  const { say } = view.site.words
  const hotels = offered.kind === 'open' ? offered.hotels : []
  if (hotels.length < 2 || !hotels.some(({ roomTypes }) => roomTypes.some(isStayUnavailable))) return null
  const wasSent = view.valueOf(NON_ANSWER_FORM_FIELDS.roomAsked).length > 0
  const chosen = wasSent ? view.valueOf(NON_ANSWER_FORM_FIELDS.otherHotels) : view.progress.stored.other_hotels
  const error = findErrorMessage(view, NON_ANSWER_FORM_FIELDS.otherHotels)
  return (
    <details open={chosen.length > 0 || error !== undefined}>
      <summary>{say('stay.also')}</summary>
      <fieldset class="stack" id={NON_ANSWER_FORM_FIELDS.otherHotels}>
        <legend class="hidden">{say('stay.also')}</legend>
        <p class="help">{say('room.alsoHelp', { limit: MAX_ALTERNATIVE_HOTELS })}</p>
        {error === undefined ? null : <span class="error">{error}</span>}
        {hotels.map(({ id, name }) => (
          <Checkbox id={`also-${id}`} name={NON_ANSWER_FORM_FIELDS.otherHotels} value={id} label={name} checked={chosen.includes(id)} />
        ))}
      </fieldset>
    </details>
  )
}

const hasRoomError = ({ errors }: RegistrationPageView) =>
  errors.some(
    ({ path }) => path.startsWith('@housing.') || path === NON_ANSWER_FORM_FIELDS.sharedBy || path === NON_ANSWER_FORM_FIELDS.otherHotels,
  )

/** Returns the selected room: the submitted choice, else the booked room, the saved answer or the shared room. */
function currentRoomChoice({ valueOf }: RegistrationPageView): string {
  const [sent] = valueOf(NON_ANSWER_FORM_FIELDS.room)
  if (sent !== undefined) return sent
  const [hotelId] = valueOf('@housing.hotelId')
  const [code] = valueOf('@housing.roomTypeCode')
  if (hotelId && code) return toRoomFormValue(hotelId, code)
  return valueOf('@housing.shareWith')[0] ? SHARE_ROOM_FORM_VALUE : ''
}

/** Returns the error of the room choice. Errors of dates and guests are shown beside their fields instead. */
const roomError = ({ errors }: RegistrationPageView) =>
  errors.find(({ path }) => path.startsWith('@housing.') && !/\.(checkIn|checkOut|occupants|requests|loyaltyNumber|shareWith)$/.test(path))
    ?.message

const STAY_ERROR_KEYS = { order: 'error.departure', min: 'error.nightsMin', max: 'error.nightsMax' } as const

interface StaySearchProps {
  view: RegistrationPageView
  rooms: RoomSearch
  widget: WidgetOfType<'housing'>
}

function StaySearch({ view, rooms: { checkIn, checkOut, occupants, offered }, widget }: StaySearchProps) {
  const { say } = view.site.words
  const people = Array.from({ length: Math.max(MAX_OCCUPANTS_OFFERED, occupants) }, (_, index) => String(index + 1))
  const wrongDays =
    offered.kind === 'days' ? say(STAY_ERROR_KEYS[offered.fault.sentence] as 'error.nightsMin', { limit: offered.fault.nights }) : undefined
  return (
    <div class="days-search">
      <Input
        name="@housing.checkIn"
        type="date"
        label={say('housing.checkIn')}
        value={view.valueOf('@housing.checkIn')[0] ?? checkIn}
        error={findErrorMessage(view, '@housing.checkIn')}
      />
      <Input
        name="@housing.checkOut"
        type="date"
        label={say('housing.checkOut')}
        value={view.valueOf('@housing.checkOut')[0] ?? checkOut}
        error={findErrorMessage(view, '@housing.checkOut') ?? wrongDays}
      />
      <Select
        name="@housing.occupants"
        label={say('housing.occupants')}
        value={String(occupants)}
        error={findErrorMessage(view, '@housing.occupants')}
        options={people.map((count) => ({ value: count, label: count }))}
      />
      <button type="submit" class="button" name="do" value="update" formaction={buildPathToWidget(widget.id)}>
        {say('room.search')}
      </button>
    </div>
  )
}

interface RoomResultsProps {
  view: RegistrationPageView
  widget: WidgetOfType<'housing'>
  rooms: RoomSearch
  current: string
}

function RoomResults({ view, widget, rooms, current }: RoomResultsProps) {
  const { site } = view
  const { say } = site.words
  const { offered } = rooms
  if (offered.kind === 'none') return <p class="muted">{say('room.nothing')}</p>
  if (offered.kind !== 'open') return null
  return (
    <>
      {offered.hotels.map((hotel) => (
        <section class="hotel" aria-labelledby={`hotel-${hotel.id}`}>
          <h3 id={`hotel-${hotel.id}`}>{hotel.name}</h3>
          <p class="muted small">
            {hotelSummary(view, hotel)}
            {widget.showMap ? (
              <>
                {' '}
                <MapLink site={site} place={`${hotel.name}, ${hotel.address}`} name={hotel.name} />
              </>
            ) : null}
          </p>
          <div class="options">
            {hotel.roomTypes.map((room) => (
              <RoomOption view={view} hotel={hotel} room={room} nights={offered.nights} current={current} waits={widget.allowWaitlist} />
            ))}
          </div>
          {hotel.roomTypes.map((room) =>
            isStayUnavailable(room) ? (
              <input
                type="hidden"
                name={NON_ANSWER_FORM_FIELDS.full}
                value={toSoldOutRoomFormValue(toRoomFormValue(hotel.id, room.code), rooms)}
              />
            ) : null,
          )}
        </section>
      ))}
    </>
  )
}

function hotelSummary({ site: { words } }: RegistrationPageView, { stars, distanceKm, address, amenities }: HotelWithRooms): string {
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

/** The option to share the room of another participant, who has to agree. */
function SharedRoomOption({ view, checked }: { view: RegistrationPageView; checked: boolean }) {
  const { say } = view.site.words
  const error = findErrorMessage(view, NON_ANSWER_FORM_FIELDS.sharedBy)
  const named = view.valueOf(NON_ANSWER_FORM_FIELDS.sharedBy)[0] ?? (checked ? view.valueOf('@housing.shareWith')[0] : undefined)
  return (
    <div class="option">
      <input type="radio" id="housing-share" name={NON_ANSWER_FORM_FIELDS.room} value={SHARE_ROOM_FORM_VALUE} checked={checked} />
      <label class="name" for="housing-share">
        {say('room.share')}
      </label>
      <div class="about opens">
        <Input
          name={NON_ANSWER_FORM_FIELDS.sharedBy}
          label={say('room.shareHelp')}
          value={named}
          autocomplete="off"
          maxlength={254}
          error={error}
        />
      </div>
    </div>
  )
}

function HousingTerms({ view }: { view: RegistrationPageView }) {
  const { say } = view.site.words
  const { terms, guarantee } = view.config.housing
  return (
    <>
      {guarantee === 'card' ? <p class="help">{say('room.cardLater')}</p> : null}
      {terms ? (
        <details>
          <summary>{say('room.terms')}</summary>
          <SanitizedProse html={terms} />
        </details>
      ) : null}
    </>
  )
}
