import { sql } from 'kysely'
import { SerializationConflict } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { HousingContext } from '../context.ts'
import { listStayNights } from '../stay.ts'
import type { ReservationRow } from '../tables.ts'
import { lockRoomInventory } from './lock-rooms.ts'
import { planReservationMoves } from './plan.ts'
import type { RoomLocation } from './room-location.ts'
import { storeReservationMoves } from './store.ts'
import {
  selectReservationsToMove,
  findDestinationRoomType,
  type MovedStay,
  type ReservationMoveRequest,
  type UnmovedStay,
} from './stays.ts'

/**
 * Moves confirmed reservations to another hotel, room type or block, in order. Each is moved with all of its nights or stays unchanged; one
 * that cannot be moved does not stop the others. The dates stay the same.
 */
export async function moveReservations(
  ctx: HousingContext,
  asked: ReservationMoveRequest,
): Promise<{ moved: MovedStay[]; notMoved: UnmovedStay[] }> {
  const { to, candidates } = await selectReservationsToMove(ctx, asked)
  await expireHolds(ctx, candidates, to, asked)
  const rows = await lockStays(ctx, candidates, to, asked)
  const { moved, notMoved } = await planReservationMoves(ctx, asked, { to, candidates: rows })
  return { moved: await storeReservationMoves(ctx, asked, to, moved), notMoved }
}

/** Expires overdue room holds at the hotel to move to, because their rooms count as free. Runs before any rows are locked. */
async function expireHolds(
  { db, tenantId, event }: HousingContext,
  candidates: readonly ReservationRow[],
  to: RoomLocation,
  asked: ReservationMoveRequest,
): Promise<void> {
  const nightsBy = new Map<string, Set<string>>()
  for (const row of candidates) {
    const type = findDestinationRoomType(to, row, asked)
    if (!type) continue
    const nights = nightsBy.get(type.code) ?? new Set()
    for (const night of listStayNights(row.check_in, row.check_out)) nights.add(night)
    nightsBy.set(type.code, nights)
  }
  for (const [roomTypeCode, nights] of [...nightsBy].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    await sql`
      select room_nights_expire(${tenantId}, ${event.id}, ${to.at.hotel.id}, ${roomTypeCode}, ${[...nights]}::date[])`.execute(db)
}

/** Locks all rows that the moves can change, in the order that every change of rooms uses, and reads the reservations again. */
async function lockStays(
  ctx: HousingContext,
  candidates: readonly ReservationRow[],
  to: RoomLocation,
  asked: ReservationMoveRequest,
): Promise<ReservationRow[]> {
  const keys = candidates.flatMap((row) => {
    const type = findDestinationRoomType(to, row, asked)
    return listStayNights(row.check_in, row.check_out).flatMap((night) => [
      { hotelId: row.hotel_id, roomTypeCode: row.room_type_code, night },
      ...(type ? [{ hotelId: to.at.hotel.id, roomTypeCode: type.code, night }] : []),
    ])
  })
  await lockRoomInventory(ctx, keys)
  const locked = await eventDb(ctx)
    .selectFrom('reservations')
    .selectAll()
    .where('id', '=', sql<string>`any(${candidates.map(({ id }) => id)})`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const byId = new Map(locked.map((row) => [row.id, row]))
  return candidates.map(({ id, revision }) => {
    const row = byId.get(id)
    if (row?.revision !== revision) throw new SerializationConflict('a reservation was changed concurrently')
    return row
  })
}
