import { eventDb } from '../../kernel/scoped-db.ts'
import { listReservationBlocks, buildReservationDeposit } from './guarantee.ts'
import { listReservations } from './reservations.ts'
import type { HousingContext, HousingSnapshot, HousingQueryContext } from './context.ts'
import type { HotelRow, ReservationRow, RoomTypeRow } from './tables.ts'
import type { HousingAnswers } from './wish.ts'
import type { NewOrderLine } from '../orders/lines.ts'

/** The room a participant has chosen so far. */
export interface ChosenRoom {
  hotel: HotelRow
  type: RoomTypeRow
  /** The held or confirmed reservation; null while the room is only selected or on the waiting list. */
  reservation: ReservationRow | null
  /** The deposit to pay now; the guest pays the rest at the hotel. */
  deposit: NewOrderLine | null
}

/** Returns the room that the participant has booked or holds, otherwise the room in their answers, otherwise null. */
export async function findChosenRoom(
  ctx: HousingContext,
  snapshot: HousingSnapshot,
  participantId: string,
  answers: HousingAnswers,
): Promise<ChosenRoom | null> {
  if (!snapshot.config.housing.enabled) return null
  const rooms = await listReservations(ctx, [participantId], ['confirmed', 'held'])
  const current = rooms.find((room) => room.status === 'confirmed') ?? rooms.find((room) => isHeld(room, snapshot.at)) ?? null
  const wanted = { hotel: answers['@housing.hotelId'], type: answers['@housing.roomTypeCode'] }
  const isCurrent = current !== null && (current.status === 'confirmed' || current.hotel_id === wanted.hotel)
  const named = isCurrent ? { hotel: current.hotel_id, type: current.room_type_code } : wanted
  if (typeof named.hotel !== 'string' || typeof named.type !== 'string') return null
  const place = await findHotelAndType(ctx, named.hotel, named.type)
  if (!place) return null
  const reservation = isCurrent ? current : null
  const deposit = reservation?.status === 'held' ? await findDepositToPay(ctx, snapshot, reservation, place.hotel) : null
  return { ...place, reservation, deposit }
}

const isHeld = ({ status, entry_id, charging, held_until }: ReservationRow, at: Date) =>
  status === 'held' && entry_id === null && (charging || held_until! > at)

async function findHotelAndType(
  ctx: HousingQueryContext,
  hotelId: string,
  code: string,
): Promise<{ hotel: HotelRow; type: RoomTypeRow } | null> {
  const hotel = await eventDb(ctx).selectFrom('event_hotels').selectAll().where('id', '=', hotelId).executeTakeFirst()
  const type = await eventDb(ctx)
    .selectFrom('room_types')
    .selectAll()
    .where('hotel_id', '=', hotelId)
    .where('code', '=', code)
    .executeTakeFirst()
  return hotel && type ? { hotel, type } : null
}

/** Returns the deposit to pay for a room; null if the block's owner pays for it (master account). */
export async function findDepositToPay(
  ctx: HousingContext,
  snapshot: HousingSnapshot,
  reservation: ReservationRow,
  hotel: HotelRow,
): Promise<NewOrderLine | null> {
  if (snapshot.config.housing.guarantee !== 'deposit') return null
  const blocks = await listReservationBlocks(ctx, reservation.id)
  return blocks.some(({ payment_by }) => payment_by === 'master') ? null : buildReservationDeposit(ctx, snapshot, reservation, hotel)
}
