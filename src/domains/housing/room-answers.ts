import type { Flow } from '../configuration/schema/event-config.ts'
import type { ReservationRow } from './tables.ts'

export const findHousingWidget = (flow: Flow) =>
  flow.pages.flatMap((page) => page.widgets).find((widget) => widget.type === 'housing') ?? null

export const hasRoomAnswers = (answers: Readonly<Record<string, unknown>>) =>
  Object.keys(answers).some((binding) => binding.startsWith('@housing.'))

/** Converts a reservation to answers of the registration form. */
export const toRoomAnswers = (room: ReservationRow): Record<string, unknown> => ({
  '@housing.hotelId': room.hotel_id,
  '@housing.roomTypeCode': room.room_type_code,
  '@housing.checkIn': room.check_in,
  '@housing.checkOut': room.check_out,
  '@housing.occupants': room.booked_occupants,
  '@housing.bedType': room.bed_type,
  '@housing.smoking': room.smoking,
  '@housing.requests': room.requests,
  '@housing.loyaltyNumber': room.loyalty_number,
  '@housing.shareWith': room.share_with,
  '@housing.waitlist': null,
})
