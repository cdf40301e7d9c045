import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { SerializationConflict } from '../../../kernel/errors.ts'
import { runInSavepoint } from '../../../kernel/savepoint.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { EventScope } from '../context.ts'
import { tooFewRoomsError } from '../errors.ts'
import { updateReservation } from '../reservations.ts'
import { listStayNights } from '../stay.ts'
import type { ReservationRow, RoomTypeRow } from '../tables.ts'
import { releaseNights, storeNights, takeRoomsFromPools, type BookedNight, toBookedNight } from '../take-nights.ts'
import { lockRooms } from './lock-rooms.ts'
import type { RoomLocation } from './room-location.ts'
import {
  chooseStays,
  findDestinationRoomType,
  planStayMove,
  isGuaranteedByCard,
  keepLowerRates,
  listMissingReservations,
  type MovedStay,
  type MoveRules,
  readMoveRules,
  type StayMoves,
  toMovedColumns,
  toUnmovedStay,
  type UnmovedStay,
} from './stays.ts'

/**
 * Moves confirmed reservations to another hotel, room type or block, in order. Each is moved with all of its nights or stays unchanged; one
 * that cannot be moved does not stop the others. The dates stay the same.
 */
export async function moveReservations(ctx: EventScope, asked: StayMoves): Promise<{ moved: MovedStay[]; notMoved: UnmovedStay[] }> {
  const { to, candidates } = await chooseStays(ctx, asked)
  const rows = await lockStays(ctx, candidates, to, asked)
  const rules = await readMoveRules(ctx, { to, rows, asked })
  const moved: MovedStay[] = []
  const notMoved = listMissingReservations(asked, rows)
  for (const row of rows) {
    if (asked.count !== undefined && moved.length === asked.count) break
    const attempt = await runInSavepoint(ctx, () => moveStay(ctx, row, rules))
    if (attempt.refused) notMoved.push(toUnmovedStay(row, attempt.refused))
    else moved.push({ before: row, after: attempt.done, cardWithheld: !rules.gateOpen && isGuaranteedByCard(row) })
  }
  return { moved, notMoved }
}

/** Locks everything that the moves can change, in the order of all changes of rooms, and reads the reservations again. */
async function lockStays(
  ctx: EventScope,
  candidates: readonly ReservationRow[],
  to: RoomLocation,
  asked: StayMoves,
): Promise<ReservationRow[]> {
  const keys = candidates.flatMap((row) => {
    const type = findDestinationRoomType(to, row, asked)
    return listStayNights(row.check_in, row.check_out).flatMap((night) => [
      { hotelId: row.hotel_id, roomTypeCode: row.room_type_code, night },
      ...(type ? [{ hotelId: to.at.hotel.id, roomTypeCode: type.code, night }] : []),
    ])
  })
  await lockRooms(ctx, keys)
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

async function moveStay(ctx: EventScope, row: ReservationRow, rules: MoveRules): Promise<ReservationRow> {
  const { to, asked } = rules
  const { type, leaving, kept } = planStayMove(row, rules)
  const freed = leaving.map(({ night }) => night)
  const rated = keepLowerRates(asked, leaving, await takeTarget(ctx, { row, to, type, nights: freed }))
  await releaseNights(ctx, row.id, freed)
  const after = await updateReservation(ctx, row, toMovedColumns(row, { to, type, nights: [...kept, ...rated] }))
  // The participant already had a room on each of these nights, so the limit of rooms per person stays satisfied.
  await storeNights(ctx, { reservation: after, status: 'confirmed', nights: rated, maxRooms: MAX_ROOMS_PER_NIGHT })
  recordChange(ctx, { kind: 'reservation', id: row.id, before: toAudited(row), after: { ...toAudited(after), reason: asked.reason } })
  return after
}

/** Maximum number of rooms of a person on one night, as in the database. */
const MAX_ROOMS_PER_NIGHT = 20

const toAudited = (row: ReservationRow) => ({
  hotelId: row.hotel_id,
  roomTypeCode: row.room_type_code,
  stayTotal: row.stay_total,
  hotelConfirmationNumber: row.hotel_confirmation_number,
})

interface TargetRooms {
  row: ReservationRow
  to: RoomLocation
  type: RoomTypeRow
  nights: readonly string[]
}

/** Takes nights from the block that the call names, or from free sale. Test data takes no rooms, but requires free ones. */
async function takeTarget(ctx: EventScope, { row, to, type, nights }: TargetRooms): Promise<BookedNight[]> {
  const pools = { blockIds: to.block ? [to.block.id] : [], freeSell: to.block === null }
  const room = { hotelId: to.at.hotel.id, roomTypeCode: type.code, nights }
  const result = await takeRoomsFromPools(ctx, { ...room, ...pools, holds: false, isTest: row.is_test_data })
  if ('taken' in result) return result.taken.map((night) => toBookedNight(night, row.occupants))
  const short = result.short.map((night) => ({ night, free: 0 }))
  throw tooFewRoomsError({ hotel: to.at.hotel.name, roomType: type.code, wanted: 1, short, path: 'to' })
}
