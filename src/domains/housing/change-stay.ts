import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { type ParticipantMemberships } from './blocks.ts'
import { listReservedNights, updateReservation } from './reservations.ts'
import type { HousingContext, HousingSnapshot, HousingQueryContext } from './context.ts'
import { listStayNights, priceStay } from './stay.ts'
import type { ReservationRow } from './tables.ts'
import { releaseRoomNights, insertReservationNights, readNightlyRates, bookRoomNights } from './take-nights.ts'
import { joinHotelWaitlist } from './waitlist.ts'
import { createOccupantLimitError, type RequestedStay } from './wish.ts'

export const toRequestedStayColumns = (wish: RequestedStay) => ({
  hotel_id: wish.hotel.id,
  room_type_code: wish.type.code,
  check_in: wish.checkIn,
  check_out: wish.checkOut,
  occupants: wish.occupants,
  booked_occupants: wish.occupants,
  bed_type: wish.bedType,
  smoking: wish.smoking,
  requests: wish.requests,
  loyalty_number: wish.loyaltyNumber,
  share_with: wish.shareWith,
})

export function toStayPriceColumns({ hotel }: Pick<RequestedStay, 'hotel'>, nights: readonly { rate: number }[]) {
  const { rooms, fees, tax, total } = priceStay(
    hotel,
    nights.map(({ rate }) => rate),
  )
  return { stay_rooms: rooms, stay_fees: fees, stay_tax: tax, stay_total: total }
}

export const isSameStay = (row: ReservationRow, wish: RequestedStay) =>
  row.hotel_id === wish.hotel.id &&
  row.room_type_code === wish.type.code &&
  row.check_in === wish.checkIn &&
  row.check_out === wish.checkOut

/** Returns the number of people that the nightly rate is for: the booked number, or the number of people in the room if more share it. */
export const countOccupants = (booked: number, guests: ReservationRow['guests']): number => Math.max(booked, guests.length)

function refuseTooSmall({ type, occupants }: RequestedStay): void {
  if (occupants > type.max_occupancy) throw invalidArguments([createOccupantLimitError(type.name, type.max_occupancy)])
}

interface StayChange {
  snapshot: HousingSnapshot
  belongings: ParticipantMemberships
  wish: RequestedStay
  current: ReservationRow
  /** Whether rooms that were returned to the hotel may be taken. Organizers set this after the hotel has agreed. */
  useReturned?: boolean
}

export interface ChangedStay {
  reservation: ReservationRow
  waitlistRank: number | null
  /** Whether the nights come from other room blocks than before. */
  hasOtherBlocks: boolean
}

/**
 * Changes a confirmed stay. New nights are taken before old ones are released, so that a failure leaves the stay unchanged. Nights in
 * both stays are kept at their rate, unless the number of occupants changes.
 */
export async function changeStay(ctx: HousingContext, changing: StayChange): Promise<ChangedStay> {
  const { snapshot, belongings, current, useReturned = false } = changing
  // Participants who share the room stay in it, so it may have more occupants than its holder requests.
  const wish = { ...changing.wish, occupants: countOccupants(changing.wish.occupants, current.guests) }
  refuseTooSmall(wish)
  const before = await listReservedNights(ctx, current.id)
  const isSameRoomType = current.hotel_id === wish.hotel.id && current.room_type_code === wish.type.code
  const wanted = listStayNights(wish.checkIn, wish.checkOut)
  const kept = isSameRoomType ? before.filter(({ night }) => wanted.includes(night)) : []
  const isKept = (night: string) => kept.some((one) => one.night === night)
  const added = wanted.filter((night) => !isKept(night))
  await lockNights(ctx, current, wish)
  const taken =
    added.length === 0
      ? { nights: [], blocks: [] }
      : await bookRoomNights(ctx, { snapshot, belongings, wish, nights: added, holds: false, own: before, useReturned })
  if ('full' in taken) {
    if (!wish.waitlist) throw taken.full
    const waiting = { participantId: current.participant_id, isTest: snapshot.isTest, wish, replaces: current.id }
    return { reservation: current, waitlistRank: await joinHotelWaitlist(ctx, waiting), hasOtherBlocks: false }
  }
  await releaseRoomNights(
    ctx,
    current.id,
    before.map(({ night }) => night).filter((night) => !isKept(night)),
  )
  const again = kept.map(({ night, block_id, rate }) => ({ night, blockId: block_id, rate }))
  const stayed = current.occupants === wish.occupants ? again : await readNightlyRates(ctx, wish, again)
  if (stayed !== again) await updateNightlyRates(ctx, current.id, stayed)
  const nights = [...stayed, ...taken.nights]
  const reservation = await updateReservation(ctx, current, {
    ...toRequestedStayColumns(wish),
    booked_occupants: changing.wish.occupants,
    ...toStayPriceColumns(wish, nights),
  })
  await insertReservationNights(ctx, {
    reservation,
    status: 'confirmed',
    nights: taken.nights,
    maxRooms: snapshot.config.housing.maxRoomsPerPerson,
  })
  recordChange(ctx, { kind: 'reservation', id: current.id, before: toAuditedStay(current), after: toAuditedStay(reservation) })
  const hasOtherBlocks = !isDeepStrictEqual(new Set(before.map(({ block_id }) => block_id)), new Set(nights.map(({ blockId }) => blockId)))
  return { reservation, waitlistRank: null, hasOtherBlocks }
}

const toAuditedStay = (row: ReservationRow) => ({
  hotelId: row.hotel_id,
  roomTypeCode: row.room_type_code,
  checkIn: row.check_in,
  checkOut: row.check_out,
  occupants: row.occupants,
})

/** Locks old and new nights together in key order, so that two guests who swap hotels do not deadlock. */
async function lockNights({ db, tenantId, event }: HousingQueryContext, current: ReservationRow, wish: RequestedStay): Promise<void> {
  await sql`
    select from room_nights where tenant_id = ${tenantId} and event_id = ${event.id} and (
      hotel_id = ${current.hotel_id} and room_type_code = ${current.room_type_code} and night >= ${current.check_in} and night < ${current.check_out}
      or hotel_id = ${wish.hotel.id} and room_type_code = ${wish.type.code} and night >= ${wish.checkIn} and night < ${wish.checkOut})
    order by hotel_id, room_type_code, night for no key update`.execute(db)
}

/** Updates the nightly rates after the number of occupants changed. */
export async function updateNightlyRates(
  { db, tenantId, event }: HousingQueryContext,
  reservationId: string,
  nights: readonly { night: string; rate: number }[],
): Promise<void> {
  await sql`
    update reservation_nights n set rate = t.rate
    from jsonb_to_recordset(${JSON.stringify(nights)}::jsonb) as t(night date, rate bigint)
    where n.tenant_id = ${tenantId} and n.event_id = ${event.id} and n.reservation_id = ${reservationId} and n.night = t.night`.execute(db)
}
