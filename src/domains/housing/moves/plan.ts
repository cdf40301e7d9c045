import { sql } from 'kysely'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { AppError } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import type { HousingQueryContext, HousingContext } from '../context.ts'
import { createTooFewRoomsError } from '../errors.ts'
import { getRateForOccupants } from '../stay.ts'
import type { ReservationRow, RoomNightRow } from '../tables.ts'
import type { BookedNight } from '../take-nights.ts'
import type { RoomLocation } from './room-location.ts'
import {
  type ReservationsToMove,
  planStayMove,
  isGuaranteedByCard,
  computeRatesOfMovedNights,
  listMissingReservations,
  type MovedStay,
  type ReservationMoveRules,
  type ReservationNightRow,
  readReservationMoveRules,
  type ReservationMoveRequest,
  toMovedReservationColumns,
  toUnmovedStay,
  type UnmovedStay,
} from './stays.ts'

/** Free rooms and rates at the destination of the move, by room type and night. */
type Stock = Map<string, { free: number; rates: RoomNightRow; blockRate: number | null }>

/** A reservation that can be moved, because the destination has a room for it. */
export interface PlannedReservationMove extends MovedStay {
  /** The new values of the reservation's columns that the move changes. */
  columns: ReturnType<typeof toMovedReservationColumns>
  /** The nights that move, with their new rates. */
  nights: BookedNight[]
}

interface MovePlan {
  moved: PlannedReservationMove[]
  notMoved: UnmovedStay[]
  /** Number of reservations that were examined before the requested number of movable reservations was found. */
  tried: number
}

/**
 * Decides in order which reservations move, with the rooms that are free now. Locks and changes nothing, so that it also previews calls
 * that are too large for one transaction.
 */
export async function planReservationMoves(
  ctx: HousingContext,
  asked: ReservationMoveRequest,
  { to, candidates }: ReservationsToMove,
): Promise<MovePlan> {
  const rules = await readReservationMoveRules(ctx, { to, rows: candidates, asked })
  const stock = await readStock(ctx, to)
  const comesBack = await findReturningRooms(ctx, to)
  const plan: MovePlan = { moved: [], notMoved: listMissingReservations(asked, candidates), tried: 0 }
  for (const row of candidates) {
    if (asked.count !== undefined && plan.moved.length === asked.count) break
    plan.tried++
    try {
      const { columns, nights } = planStay(row, rules, stock, comesBack)
      plan.moved.push({
        before: row,
        after: { ...row, ...columns },
        columns,
        nights,
        cardWithheld: !rules.gateOpen && isGuaranteedByCard(row),
      })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      plan.notMoved.push(toUnmovedStay(row, error))
    }
  }
  return plan
}

const keyOf = (roomTypeCode: string, night: string) => `${roomTypeCode} ${night}`

function planStay(row: ReservationRow, rules: ReservationMoveRules, stock: Stock, comesBack: (night: ReservationNightRow) => boolean) {
  const { to, asked } = rules
  const { type, leaving, kept } = planStayMove(row, rules)
  const rooms = leaving.map(({ night }) => ({ night, room: stock.get(keyOf(type.code, night)) }))
  const short = rooms.flatMap(({ night, room }) => (room && room.free > 0 ? [] : [{ night, free: 0 }]))
  if (short.length > 0) throw createTooFewRoomsError({ hotel: to.at.hotel.name, roomType: type.code, wanted: 1, short, path: 'to' })
  const rated = rooms.map(({ night, room }) => ({
    night,
    blockId: to.block?.id ?? null,
    rate: room!.blockRate ?? getRateForOccupants(room!.rates, row.occupants),
  }))
  if (!row.is_test_data) {
    for (const { room } of rooms) room!.free--
    for (const night of leaving) {
      const room = comesBack(night) ? stock.get(keyOf(row.room_type_code, night.night)) : undefined
      if (room) room.free++
    }
  }
  const nights = computeRatesOfMovedNights(asked, leaving, rated)
  return { columns: toMovedReservationColumns(row, { to, type, nights: [...kept, ...nights] }), nights }
}

/**
 * Reads the free rooms of the destination: of the block, or of the general inventory. Expired holds count as free, because taking a room
 * ends them.
 */
async function readStock(ctx: HousingQueryContext, { at, block }: RoomLocation): Promise<Stock> {
  const rooms = await eventDb(ctx).selectFrom('room_nights').selectAll().where('hotel_id', '=', at.hotel.id).execute()
  const blocked = block
    ? await eventDb(ctx)
        .selectFrom('block_nights')
        .selectAll()
        .where('hotel_id', '=', at.hotel.id)
        .where('block_id', '=', block.id)
        .execute()
    : []
  const blockedBy = new Map(blocked.map((one) => [keyOf(one.room_type_code, one.night), one]))
  const overdue = await countOverdueHolds(ctx, at.hotel.id, block?.id ?? null)
  return new Map(
    rooms.map((rates) => {
      const key = keyOf(rates.room_type_code, rates.night)
      const own = blockedBy.get(key)
      const free = block ? (own ? own.rooms - own.booked - own.held : 0) : freeSellOf(rates)
      return [key, { free: free + (overdue.get(key) ?? 0), rates, blockRate: own?.rate ?? null }] as const
    }),
  )
}

const freeSellOf = ({ contracted, returned, allocated, booked, held }: RoomNightRow) => contracted - returned - allocated - booked - held

async function countOverdueHolds(
  { db, tenantId, event }: HousingQueryContext,
  hotelId: string,
  blockId: string | null,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ room_type_code: string; night: string; holds: number }>`
    select n.room_type_code, n.night, count(*)::int as holds from reservation_nights n
    join reservations s on s.tenant_id = n.tenant_id and s.event_id = n.event_id and s.id = n.reservation_id
    where n.tenant_id = ${tenantId} and n.event_id = ${event.id} and n.hotel_id = ${hotelId} and n.block_id is not distinct from ${blockId}
      and n.status = 'held' and not n.is_test_data and s.status = 'held' and not s.charging and s.held_until <= lanyard_now()
    group by n.room_type_code, n.night`.execute(db)
  return new Map(rows.map(({ room_type_code, night, holds }) => [keyOf(room_type_code, night), holds]))
}

/**
 * Returns a function that checks a night which a moved reservation leaves: whether its room becomes free at the destination of the move, so
 * that a later reservation of the move can take it.
 */
async function findReturningRooms(
  ctx: HousingContext,
  { at: { hotel, contract }, block }: RoomLocation,
): Promise<(night: ReservationNightRow) => boolean> {
  const today = toDayInZone(ctx.event.timezone, await getDatabaseTime(ctx))
  const isReturned =
    contract?.cutoff_action === 'return' &&
    contract.cutoff_on !== null &&
    contract.cutoff_on < today &&
    !(block?.release_on != null && block.release_on >= today)
  return (night) => !isReturned && night.hotel_id === hotel.id && night.block_id === (block?.id ?? null)
}
