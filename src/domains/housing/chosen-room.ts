import { blocksOf, depositOf } from './reserve.ts'
import { reservationsOf } from './reservations.ts'
import type { AtEvent, HousingScene, Where } from './scene.ts'
import type { HotelRow, ReservationRow, RoomTypeRow } from './tables.ts'
import type { Answers } from './wish.ts'
import type { NewLine } from '../orders/lines.ts'

/** The room that somebody chose, as far as they came with it. */
export interface ChosenRoom {
  hotel: HotelRow
  type: RoomTypeRow
  /** Held or booked for them; null while it is only wished for, or waited for. */
  reservation: ReservationRow | null
  /** What is to be paid now to have it; the rest is paid at the hotel. */
  deposit: NewLine | null
}

/** What somebody holds or has booked, else what they answered; null without either. */
export async function chosenRoom(ctx: AtEvent, scene: HousingScene, participantId: string, answers: Answers): Promise<ChosenRoom | null> {
  if (!scene.config.housing.enabled) return null
  const rooms = await reservationsOf(ctx, [participantId], ['confirmed', 'held'])
  const current = rooms.find((room) => room.status === 'confirmed') ?? rooms.find((room) => isHeld(room, scene.at)) ?? null
  const wanted = { hotel: answers['@housing.hotelId'], type: answers['@housing.roomTypeCode'] }
  const isCurrent = current !== null && (current.status === 'confirmed' || current.hotel_id === wanted.hotel)
  const named = isCurrent ? { hotel: current.hotel_id, type: current.room_type_code } : wanted
  if (typeof named.hotel !== 'string' || typeof named.type !== 'string') return null
  const place = await placeOf(ctx, named.hotel, named.type)
  if (!place) return null
  const reservation = isCurrent ? current : null
  const deposit = reservation?.status === 'held' ? await depositToPay(ctx, scene, reservation, place.hotel) : null
  return { ...place, reservation, deposit }
}

const isHeld = ({ status, entry_id, charging, held_until }: ReservationRow, at: Date) =>
  status === 'held' && entry_id === null && (charging || held_until! > at)

async function placeOf(
  { db, tenantId, event }: Where,
  hotelId: string,
  code: string,
): Promise<{ hotel: HotelRow; type: RoomTypeRow } | null> {
  const at = { tenant_id: tenantId, event_id: event.id }
  const hotel = await db
    .selectFrom('event_hotels')
    .selectAll()
    .where((eb) => eb.and({ ...at, id: hotelId }))
    .executeTakeFirst()
  const type = await db
    .selectFrom('room_types')
    .selectAll()
    .where((eb) => eb.and({ ...at, hotel_id: hotelId, code }))
    .executeTakeFirst()
  return hotel && type ? { hotel, type } : null
}

/** Where whoever owns the block pays, the guest leaves nothing. */
export async function depositToPay(
  ctx: AtEvent,
  scene: HousingScene,
  reservation: ReservationRow,
  hotel: HotelRow,
): Promise<NewLine | null> {
  if (scene.config.housing.guarantee !== 'deposit') return null
  const blocks = await blocksOf(ctx, reservation.id)
  return blocks.some(({ payment_by }) => payment_by === 'master') ? null : depositOf(ctx, scene, reservation, hotel)
}
