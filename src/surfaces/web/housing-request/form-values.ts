import type { RequestFormChoices } from '../../../domains/block-requests/hotel-choices.ts'
import { MAX_HOTEL_PREFERENCES, MAX_REQUESTED_ROOMS, type BlockRequestContent } from '../../../domains/block-requests/submit.ts'
import { listStayNights } from '../../../domains/housing/stay.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { formatShortDay } from '../../../kernel/language/format.ts'
import { addDays, daysBetween, isCalendarDay } from '../../../kernel/time.ts'
import type { EventSite } from '../event/event-site.ts'
import { listFieldValues } from '../form-values.ts'
import type { FormValues } from '../web.ts'

/** The values of the room request form: the rooms of each night as typed, and the other preferences. */
export interface RequestFormValues extends Omit<BlockRequestContent, 'profile'> {
  nights: { night: string; typed: string }[]
}

const MAX_NIGHTS = 30
/** Nights can be added up to this many days before and after the nights that the form offers at first. */
const MAX_ADDED_DAYS = 10

/** Returns the nights that the form offers at first: the nights of the event, the two nights before and the night after. */
const defaultSpan = ({ facts }: EventSite) => ({ from: addDays(facts.startsOn, -2), until: addDays(facts.endsOn, 1) })

/** Lists the nights from the first to the last, without nights that are too far from the event. */
function listNights(site: EventSite, from: string | undefined, until: string | undefined): string[] {
  const span = defaultSpan(site)
  const [earliest, latest] = [addDays(span.from, -MAX_ADDED_DAYS), addDays(span.until, MAX_ADDED_DAYS)]
  const between = (day: string | undefined, low: string, high: string, otherwise: string) =>
    !isCalendarDay(day ?? '') ? otherwise : day! < low ? low : day! > high ? high : day!
  const [first, last] = [between(from, earliest, span.from, span.from), between(until, span.until, latest, span.until)]
  return listStayNights(first, addDays(last, 1)).slice(0, Math.max(MAX_NIGHTS, daysBetween(span.from, span.until) + 1))
}

/** Converts a stored room request to form values. If the person added nights to the form, `query` holds the first and last night. */
export function toRequestForm(
  site: EventSite,
  wishes: BlockRequestContent | null,
  query: { from?: string; until?: string } = {},
): RequestFormValues {
  const stored = (wishes?.profile ?? []).map(({ night }) => night).toSorted()
  const first = [query.from, stored[0]].filter((day) => day !== undefined).toSorted()[0]
  const last = [query.until, stored.at(-1)]
    .filter((day) => day !== undefined)
    .toSorted()
    .at(-1)
  const rooms = new Map((wishes?.profile ?? []).map((one) => [one.night, one.rooms]))
  return {
    nights: listNights(site, first, last).map((night) => ({ night, typed: String(rooms.get(night) ?? 0) })),
    roomTypes: wishes?.roomTypes ?? [],
    hotelPreferences: wishes?.hotelPreferences ?? [],
    keepTogether: wishes?.keepTogether ?? true,
    paymentBy: wishes?.paymentBy ?? 'guest',
    note: wishes?.note ?? null,
  }
}

/** Reads the submitted form. Hotels and room types that the event does not offer are left out. */
export function readRequestForm(site: EventSite, form: FormValues, { hotels, roomTypes }: RequestFormChoices): RequestFormValues {
  const preferred = [...new Set(listFieldValues(form, 'hotel'))].filter((id) => hotels.some((hotel) => hotel.id === id))
  return {
    nights: listNights(site, form['from'], form['until']).map((night) => ({ night, typed: (form[`night-${night}`] ?? '0').trim() })),
    roomTypes: listFieldValues(form, 'type').filter((code) => roomTypes.some((type) => type.code === code)),
    hotelPreferences: preferred.slice(0, MAX_HOTEL_PREFERENCES),
    keepTogether: form['together'] === 'on',
    paymentBy: form['pays'] === 'master' ? 'master' : 'guest',
    note: form['note']?.trim().slice(0, 1000) || null,
  }
}

const isRooms = (typed: string) => typed === '' || (/^\d{1,3}$/.test(typed) && Number(typed) <= MAX_REQUESTED_ROOMS)

/** Converts the form values to a request. Nights whose number cannot be read are left out; `findRoomCountErrors` names them. */
export const formToBlockRequest = ({ nights, ...wishes }: RequestFormValues): BlockRequestContent => ({
  ...wishes,
  profile: nights.filter(({ typed }) => isRooms(typed) && Number(typed) > 0).map(({ night, typed }) => ({ night, rooms: Number(typed) })),
})

/** The error of a night whose number of rooms cannot be read. It names the night, because the summary lists the errors of all nights. */
export const createRoomCountError = ({ words: { say, locale } }: EventSite, night: string): FieldError => ({
  path: `night-${night}`,
  message: say('error.named', { title: formatShortDay(locale, night), message: say('blockRequest.number', { most: MAX_REQUESTED_ROOMS }) }),
})

export const findRoomCountErrors = ({ nights }: RequestFormValues, site: EventSite): FieldError[] =>
  nights.filter(({ typed }) => !isRooms(typed)).map(({ night }) => createRoomCountError(site, night))

/** Changes the list of preferred hotels. `pressed` is the button: `up:<id>`, `down:<id>` or `remove:<id>`, or `add` for `added`. */
export function reorderPreferredHotels(preferences: readonly string[], pressed: string, added: string | undefined): string[] {
  const [action, id = ''] = pressed.split(':')
  if (action === 'add') return added ? [...new Set([...preferences, added])].slice(0, MAX_HOTEL_PREFERENCES) : [...preferences]
  const at = preferences.indexOf(id)
  if (at < 0) return [...preferences]
  const rest = preferences.toSpliced(at, 1)
  if (action === 'remove') return rest
  return rest.toSpliced(Math.max(0, action === 'up' ? at - 1 : at + 1), 0, id)
}
