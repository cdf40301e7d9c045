import { FIELDS, type Sent } from './sent-page.ts'

/** Instead of a room: a bed in somebody else's. */
export const SHARES = 'share'

export const roomValue = (hotelId: string, roomTypeCode: string) => `${hotelId}:${roomTypeCode}`
/** As it is told that a room was full when it was shown, on the days that were searched: for other days it says nothing. */
export const fullRoom = (room: string, { checkIn, checkOut }: { checkIn: string; checkOut: string }) =>
  `room:${room}:${checkIn}:${checkOut}`

/** What a form says of rooms. Days are kept while somebody looks around; without a room in the end they are dropped. */
export function sentRoom(sent: Sent, before: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = (name: string) => sent(name).at(-1)?.trim() || null
  const chosen = sent(FIELDS.room).at(-1)?.trim() ?? chosenBefore(before)
  const [hotelId = '', roomTypeCode = ''] = chosen === SHARES ? [] : chosen.split(':')
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
    '@housing.bedType': ofRoom(text(FIELDS.beds(chosen))),
    '@housing.smoking': ofRoom(smoking === null ? null : smoking === 'true'),
    '@housing.requests': ofRoom(text('@housing.requests')),
    '@housing.loyaltyNumber': ofRoom(text('@housing.loyaltyNumber')),
    '@housing.shareWith': chosen === SHARES ? text(FIELDS.sharedBy) : ofRoom(text('@housing.shareWith')),
    // Whoever chose what was shown to be full waits for it; what was taken a moment ago is told instead.
    '@housing.waitlist': isRoom && sent(FIELDS.full).includes(fullRoom(chosen, days)) ? true : null,
  }
}

/** Where the page had no such room on it any more, as for other days, what was chosen stands until something else is. */
function chosenBefore(answers: Readonly<Record<string, unknown>>): string {
  const [hotelId, code] = [answers['@housing.hotelId'], answers['@housing.roomTypeCode']]
  return typeof hotelId === 'string' && typeof code === 'string' ? roomValue(hotelId, code) : ''
}

const wholeNumber = (text: string | null): number | string | null => (text !== null && /^\d+$/.test(text) ? Number(text) : text)
