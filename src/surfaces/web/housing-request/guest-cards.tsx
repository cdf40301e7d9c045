import type { BlockGuest } from '../../../domains/block-requests/guests.ts'
import { sumRoomsByNight } from '../../../domains/block-requests/requests.ts'
import { formatDay, formatNumber, formatShortDay } from '../../../kernel/language/format.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { findFieldError, Form, Input, Select } from '../components/forms.tsx'
import { Card, StatusLabel } from '../components/parts.tsx'
import { listFieldValues } from '../form-values.ts'
import { type BlockRoomTypeOption, type RequestCardProps, getRefusedFormValues } from './request-view.ts'

/**
 * A card with a bar for each night: how many of the requested rooms are granted. After acceptance it shows how many rooms have a named
 * guest.
 */
export const RoomsByNightCard = ({ open: { row, site }, view }: RequestCardProps) => {
  const { say, locale } = site.words
  const isAccepted = row.status === 'accepted'
  const wanted = sumRoomsByNight([...row.profile, ...view.nights.map(({ night }) => ({ night, rooms: 0 }))])
  return (
    <Card
      title={say('blockRequest.byNight')}
      actions={
        view.nights.length > 0 ? (
          <a class="tap" href="#amend">
            {say('blockRequest.change')}
          </a>
        ) : null
      }
    >
      <ul class="by-night">
        {[...wanted].map(([night, requested]) => {
          const granted = view.granted.get(night) ?? 0
          const [part, whole] = isAccepted ? [view.booked.get(night) ?? 0, granted] : [granted, requested]
          const percent = whole === 0 ? 0 : Math.min(100, Math.round((1000 * part) / whole) / 10)
          const key = isAccepted ? 'blockRequest.named' : 'blockRequest.grantedOf'
          return (
            <li>
              <span>{formatShortDay(locale, night)}</span>
              <svg class="meter" aria-hidden="true">
                <rect class="rest" width="100%" height="100%" />
                <rect class="full" width={`${percent}%`} height="100%" />
              </svg>
              <span class="v">{say(key, { named: formatNumber(locale, part), granted: formatNumber(locale, whole) })}</span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

const NightChoice = ({ shown, night, chosen }: { shown: RequestCardProps; night: string; chosen: boolean }) => {
  const { say, locale } = shown.open.site.words
  const left = shown.view.left.get(night) ?? 0
  const [weekday = '', ...day] = formatShortDay(locale, night).split(' ')
  return (
    <label class={left > 0 ? 'night' : 'night off'}>
      <input type="checkbox" name="night" value={night} checked={chosen} disabled={left <= 0} />
      <span>{weekday}</span>
      <b>{day.join(' ')}</b>
      <span>{left > 0 ? say('blockRequest.left', { count: formatNumber(locale, left) }) : say('blockRequest.full')}</span>
    </label>
  )
}

const RoomChoice = ({ shown, chosen, error }: { shown: RequestCardProps; chosen: string | undefined; error: string | undefined }) => {
  const { view, open } = shown
  const { say } = open.site.words
  if (view.rooms.length === 1) return <input type="hidden" name="room" value={view.rooms[0]!.value} />
  return (
    <fieldset class="question" id="room" tabindex={-1} aria-describedby={error ? 'room-error' : undefined}>
      <legend>{say('blockRequest.room')}</legend>
      <div class="options">
        {view.rooms.map(({ value, hotel, roomType }, index) => (
          <label class="option">
            <input type="radio" name="room" value={value} checked={chosen === undefined ? index === 0 : chosen === value} />
            <span class="name">{hotel}</span>
            <span class="about">{roomType}</span>
          </label>
        ))}
      </div>
      {error ? (
        <span class="error" id="room-error">
          {error}
        </span>
      ) : null}
    </fieldset>
  )
}

/** The field for the number of people in a room, which decides the rate. Hidden if every room type of the room block is for one person. */
const OccupantsField = (field: {
  rooms: readonly BlockRoomTypeOption[]
  label: string
  chosen: string | undefined
  error: string | undefined
}) => {
  const most = Math.max(...field.rooms.map(({ maxOccupancy }) => maxOccupancy))
  if (most <= 1) return null
  const options = Array.from({ length: most }, (_, index) => ({ value: String(index + 1), label: String(index + 1) }))
  return <Select name="occupants" label={field.label} options={options} value={field.chosen ?? '1'} error={field.error} />
}

/** The form for one guest. The first nights that are free in the room block are preselected. */
export const AddGuestCard = (shown: RequestCardProps) => {
  const { open, view, action, csrf, formErrors } = shown
  const { say } = open.site.words
  const sent = getRefusedFormValues(shown, 'guest')
  const error = (name: string) => (sent['do'] ? findFieldError(formErrors?.errors, name) : undefined)
  const text = (name: string) => ({ name, value: sent[name] ?? '', error: error(name), autocomplete: 'off', required: true })
  const nights = [...view.granted.keys()]
  const chosen = sent['do'] ? listFieldValues(sent, 'night') : nights.filter((night) => (view.left.get(night) ?? 0) > 0)
  return (
    <Card title={say('blockRequest.addGuest')} id="add">
      <Form action={action} csrf={csrf} class="stack">
        <div class="fields">
          <div class="half">
            <Input {...text('firstName')} label={say('blockRequest.firstName')} />
          </div>
          <div class="half">
            <Input {...text('lastName')} label={say('blockRequest.lastName')} />
          </div>
          <div>
            <Input
              {...text('email')}
              type="email"
              inputmode="email"
              label={say('blockRequest.email')}
              help={say('blockRequest.emailHelp')}
            />
          </div>
        </div>
        <fieldset class="question" id="night" tabindex={-1} aria-describedby={error('night') ? 'night-error' : undefined}>
          <legend>{say('blockRequest.nights')}</legend>
          <div class="nights">
            {nights.map((night) => (
              <NightChoice shown={shown} night={night} chosen={chosen.includes(night)} />
            ))}
          </div>
          {error('night') ? (
            <span class="error" id="night-error">
              {error('night')}
            </span>
          ) : null}
        </fieldset>
        <RoomChoice shown={shown} chosen={sent['room']} error={error('room')} />
        <OccupantsField rooms={view.rooms} label={say('housing.occupants')} chosen={sent['occupants']} error={error('occupants')} />
        <div class="form-foot">
          <a class="tap" href={`${action}/guests`}>
            {say('blockRequest.upload')}
          </a>
          <button type="submit" class="button primary" name="do" value="guest">
            {say('blockRequest.addGuest')}
          </button>
        </div>
      </Form>
    </Card>
  )
}

const GuestStatus = ({ shown, guest }: { shown: RequestCardProps; guest: BlockGuest }) => {
  const { facts, words } = shown.open.site
  const { say, locale } = words
  if (guest.guaranteeDueAt === null) return <StatusLabel tone="success">{say('blockRequest.confirmed')}</StatusLabel>
  const day = formatDay(locale, toDayInZone(facts.timezone, guest.guaranteeDueAt))
  return <StatusLabel tone="warning">{say('blockRequest.cardDue', { day })}</StatusLabel>
}

const GuestRow = ({ shown, guest }: { shown: RequestCardProps; guest: BlockGuest }) => {
  const { open, view, action, csrf } = shown
  const { say, locale } = open.site.words
  const { hotel, roomType } = view.toRoom(guest.hotelId, guest.roomTypeCode)
  const severalHotels = new Set(view.rooms.map((room) => room.hotel)).size > 1
  return (
    <tr>
      <th scope="row">
        {guest.name}
        {guest.email && guest.email !== guest.name ? <small>{guest.email}</small> : null}
      </th>
      <td data-label={say('hotel.stay')}>{`${formatShortDay(locale, guest.checkIn)} – ${formatShortDay(locale, guest.checkOut)}`}</td>
      <td data-label={say('blockRequest.room')}>{severalHotels ? `${hotel}, ${roomType}` : roomType}</td>
      <td data-label={say('blockRequest.state')}>
        <GuestStatus shown={shown} guest={guest} />
      </td>
      <td>
        {open.row.status === 'accepted' ? (
          <details class="row-menu">
            <summary>
              <span>
                {say('blockRequest.edit')}
                <span class="hidden"> {guest.name}</span>
              </span>
            </summary>
            <Form action={action} csrf={csrf} class="stack">
              <input type="hidden" name="reservation" value={guest.reservationId} />
              <p class="small">{say('blockRequest.removeText')}</p>
              <button type="submit" class="button danger small" name="do" value="remove">
                {say('blockRequest.removeGuest')}
                <span class="hidden"> {guest.name}</span>
              </button>
            </Form>
          </details>
        ) : null}
      </td>
    </tr>
  )
}

export const NamedGuestsCard = (shown: RequestCardProps) => {
  const { open, view } = shown
  const { say, locale } = open.site.words
  const head = [say('hotel.guest'), say('hotel.stay'), say('blockRequest.room'), say('blockRequest.state')]
  return (
    <Card
      title={say('blockRequest.guests')}
      pad={false}
      actions={<StatusLabel>{say('blockRequest.namedCount', { count: formatNumber(locale, view.guests.length) })}</StatusLabel>}
    >
      {view.guests.length === 0 ? (
        <p class="muted card-body">{say('blockRequest.noGuests')}</p>
      ) : (
        <table class="table folds rooming">
          <caption class="hidden">{say('blockRequest.guests')}</caption>
          <thead>
            <tr>
              {head.map((label) => (
                <th scope="col">{label}</th>
              ))}
              <th scope="col">
                <span class="hidden">{say('blockRequest.edit')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {view.guests.map((guest) => (
              <GuestRow shown={shown} guest={guest} />
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}
