import { NON_ANSWER_FORM_FIELDS, type GetFormValues } from './sent-page.ts'

/** The form value that selects a bed in another participant's room. */
export const SHARE_ROOM_FORM_VALUE = 'share'

export const toRoomFormValue = (hotelId: string, roomTypeCode: string) => `${hotelId}:${roomTypeCode}`
/** The form value for a room that was shown as full. It contains the dates, because the room may be free on other dates. */
export const toSoldOutRoomFormValue = (room: string, { checkIn, checkOut }: { checkIn: string; checkOut: string }) =>
  `room:${room}:${checkIn}:${checkOut}`

/** Reads the room fields of the form. If no room is chosen, only the dates and the number of occupants are kept. */
export function readRoomFormFields(sent: GetFormValues, before: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = (name: string) => sent(name).at(-1)?.trim() || null
  const chosen = sent(NON_ANSWER_FORM_FIELDS.room).at(-1)?.trim() ?? chosenBefore(before)
  const [hotelId = '', roomTypeCode = ''] = chosen === SHARE_ROOM_FORM_VALUE ? [] : chosen.split(':')
  const isRoom = hotelId !== '' && roomTypeCode !== ''
  const days = { checkIn: text('@housing.checkIn') ?? '', checkOut: text('@housing.checkOut') ?? '' }
  const ofRoom = (value: unknown) => (isRoom ? value : null)
  const smoking = text('@housing.smoking')
  return {
    '@housing.checkIn': text('@housing.checkIn'),
    '@housing.checkOut': text('@housing.checkOut'),
    '@housing.occupants': wholeNumber(text('@housing.occupants')),
    '@housing.hotelId': ofRoom(hotelId),
    '@housing.roomTypeCode': ofRoom(roomTypeCode),
    '@housing.bedType': ofRoom(text(NON_ANSWER_FORM_FIELDS.beds(chosen))),
    '@housing.smoking': ofRoom(smoking === null ? null : smoking === 'true'),
    '@housing.requests': ofRoom(text('@housing.requests')),
    '@housing.loyaltyNumber': ofRoom(text('@housing.loyaltyNumber')),
    '@housing.shareWith': chosen === SHARE_ROOM_FORM_VALUE ? text(NON_ANSWER_FORM_FIELDS.sharedBy) : ofRoom(text('@housing.shareWith')),
    // Choosing a room that the page showed as full joins its waiting list. A room taken since then causes an error instead.
    '@housing.waitlist': isRoom && sent(NON_ANSWER_FORM_FIELDS.full).includes(toSoldOutRoomFormValue(chosen, days)) ? true : null,
  }
}

/** Returns the room that was chosen earlier. It is kept if the page did not list it, for example because the page showed other dates. */
function chosenBefore(answers: Readonly<Record<string, unknown>>): string {
  const [hotelId, code] = [answers['@housing.hotelId'], answers['@housing.roomTypeCode']]
  return typeof hotelId === 'string' && typeof code === 'string' ? toRoomFormValue(hotelId, code) : ''
}

const wholeNumber = (text: string | null): number | string | null => (text !== null && /^\d+$/.test(text) ? Number(text) : text)
