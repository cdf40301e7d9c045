import { type OperationNodeSource, sql } from 'kysely'
import { AppError, SerializationConflict, preconditionFailed } from '../../kernel/errors.ts'
import { daysBetween } from '../../kernel/time.ts'
import { type ParticipantMemberships, findBookableBlocks } from './blocks.ts'
import { isPastCutoff, isOpenForBooking, type ParticipantRoomNight, type RoomSources, selectRoomSources } from './pools.ts'
import { createTooFewRoomsError } from './errors.ts'
import { type HousingSnapshot, getTodayAtEvent, type HousingQueryContext } from './context.ts'
import { getRateForOccupants } from './stay.ts'
import type { BlockRow, ReservationRow, RoomNightRow } from './tables.ts'
import type { RequestedStay } from './wish.ts'

/** One booked night of a stay, with the room block it comes from and its rate. */
export interface BookedNight {
  night: string
  blockId: string | null
  rate: number
}

export interface RoomNightsRequest {
  snapshot: HousingSnapshot
  belongings: ParticipantMemberships
  wish: Pick<RequestedStay, 'hotel' | 'contract' | 'type' | 'checkIn' | 'checkOut' | 'occupants'>
  nights: readonly string[]
  holds: boolean
  /** The nights of the participant's current stay, which this booking changes; empty for a new booking. */
  own?: readonly ParticipantRoomNight[]
  /** Whether rooms that were returned to the hotel may be taken, even after the cut-off. Organizers set this after the hotel has agreed. */
  useReturned?: boolean
}

export type BookedNightsResult = { nights: BookedNight[]; blocks: BlockRow[] } | { full: AppError }

/**
 * Takes a room on every night or on none, from the participant's own blocks first. A full room is returned as `full` instead of thrown,
 * because the caller may offer the waiting list. With `useReturned`, a caller that gets `full` must roll back to its savepoint.
 */
export async function bookRoomNights(ctx: HousingQueryContext, taking: RoomNightsRequest): Promise<BookedNightsResult> {
  const { snapshot, wish, nights, own = [], useReturned = false } = taking
  const { hotel, contract, type } = wish
  refuseUnsold(taking)
  const today = getTodayAtEvent(snapshot)
  const blocks = await findBookableBlocks(ctx, snapshot, taking.belongings, daysBetween(wish.checkIn, wish.checkOut))
  const pools = selectRoomSources(blocks, { contract: contract!, roomTypeCode: type.code, own, today, useReturned })
  if (!useReturned && pools.usable.length === 0 && isPastCutoff(contract!, today)) {
    const waits = hotel.after_cutoff === 'waitlist' ? '. Join its waiting list with @housing.waitlist' : ''
    return { full: preconditionFailed(`${hotel.name} takes no bookings after ${contract!.cutoff_on}${waits}`) }
  }
  const taken = await takeInventory(ctx, taking, pools)
  if ('short' in taken) {
    const short = taken.short.map((night) => ({ night, free: 0 }))
    return { full: createTooFewRoomsError({ hotel: hotel.name, roomType: type.code, wanted: 1, short }) }
  }
  if (taken.taken.length !== nights.length) throw new Error('a stay was taken in part')
  return { nights: taken.taken.map((night) => toBookedNight(night, wish.occupants)), blocks: pools.usable }
}

/** Throws if the hotel is closed to new bookings. Such a hotel may still allow changes by guests who have a room there. */
function refuseUnsold({ wish, own = [] }: RoomNightsRequest): void {
  const { hotel, contract, type } = wish
  if (contract?.status !== 'definite') throw preconditionFailed(`${hotel.name} cannot be booked yet: its room contract is not signed`)
  const there = own.filter(({ hotel_id }) => hotel_id === hotel.id)
  if (!isOpenForBooking(hotel, type.code, there))
    throw preconditionFailed(`${hotel.name} is not open for ${there.length > 0 ? 'this change' : 'new bookings'}`)
}

/** A night with the hotel's rates and, if the room comes from a block with a rate of its own, the block's rate. */
interface RatedNight extends Pick<RoomNightRow, 'night' | 'rate_single' | 'rate_double' | 'rate_triple' | 'rate_quad'> {
  blockId: string | null
  blockRate: number | null
}

/** Adds the rate of a booked night: the block's rate if the block has one, otherwise the hotel's rate for the number of occupants. */
export const toBookedNight = (row: RatedNight, occupants: number): BookedNight => ({
  night: row.night,
  blockId: row.blockId,
  rate: row.blockRate ?? getRateForOccupants(row, occupants),
})

type InventoryResult = { taken: RatedNight[] } | { short: string[] }

const takeInventory = (
  ctx: HousingQueryContext,
  { snapshot, wish, nights, holds, useReturned = false }: RoomNightsRequest,
  { usable, freeSell }: RoomSources,
): Promise<InventoryResult> =>
  takeRoomFromBlocksOrInventory(ctx, {
    hotelId: wish.hotel.id,
    roomTypeCode: wish.type.code,
    nights,
    blockIds: usable.map(({ id }) => id),
    freeSell,
    holds,
    isTest: snapshot.isTest,
    useReturned,
  })

interface PoolsRequest {
  hotelId: string
  roomTypeCode: string
  nights: readonly string[]
  /** Ids of the blocks to take rooms from, in order. */
  blockIds: readonly string[]
  /** Whether nights that the blocks do not cover come from the general inventory. */
  freeSell: boolean
  holds: boolean
  /** Whether the reservation is test data. Test data uses up no rooms, but is rejected if no room is free. */
  isTest: boolean
  /** Whether to take back rooms that were returned to the hotel, if the general inventory has none. */
  useReturned?: boolean
}

/** Takes a room on every night or on none, from the blocks in their order and then from the general inventory (rooms outside blocks). */
export async function takeRoomFromBlocksOrInventory(
  { db, tenantId, event }: HousingQueryContext,
  asked: PoolsRequest,
): Promise<InventoryResult> {
  const { hotelId, roomTypeCode, nights, blockIds, freeSell, holds, isTest, useReturned = false } = asked
  const take = async (): Promise<InventoryResult> => {
    if (useReturned && freeSell)
      await sql`
        select room_nights_reclaim(${tenantId}, ${event.id}, ${hotelId}, ${roomTypeCode}, ${nights}::date[], ${blockIds}::text[])`.execute(
        db,
      )
    const { rows } = await sql<{ result: InventoryResult }>`
      select room_nights_take_rated(${tenantId}, ${event.id}, ${hotelId}, ${roomTypeCode}, ${nights}::date[], ${blockIds}::text[], ${freeSell},
        ${holds}) as result`.execute(db)
    return rows[0]!.result
  }
  if (!isTest) return take()
  // Rooms are taken to find out whether enough are free, and the savepoint is rolled back, so that test reservations do not use them up.
  await sql`savepoint test_rooms`.execute(db)
  const result = await take()
  await sql`rollback to savepoint test_rooms`.execute(db)
  await sql`release savepoint test_rooms`.execute(db)
  return result
}

/** Reads the rate of each night: the block's rate if it has one, otherwise the hotel's rate for the number of occupants. */
export async function readNightlyRates(
  { db, tenantId, event }: HousingQueryContext,
  { hotel, type, occupants }: Pick<RequestedStay, 'hotel' | 'type' | 'occupants'>,
  taken: readonly { night: string; blockId: string | null }[],
): Promise<BookedNight[]> {
  const { rows } = await sql<RatedNight>`
    select r.night, r.rate_single, r.rate_double, r.rate_triple, r.rate_quad, t."blockId", b.rate as "blockRate"
    from jsonb_to_recordset(${JSON.stringify(taken)}::jsonb) as t(night date, "blockId" text)
    join room_nights r on r.tenant_id = ${tenantId} and r.event_id = ${event.id} and r.hotel_id = ${hotel.id}
      and r.room_type_code = ${type.code} and r.night = t.night
    left join block_nights b on b.tenant_id = r.tenant_id and b.event_id = r.event_id and b.block_id = t."blockId" and b.hotel_id = r.hotel_id
      and b.room_type_code = r.room_type_code and b.night = r.night
    order by r.night`.execute(db)
  return rows.map((row) => toBookedNight(row, occupants))
}

export async function releaseRoomNights(
  { db, tenantId, event }: HousingQueryContext,
  reservationId: string,
  nights: readonly string[],
): Promise<void> {
  await sql`select reservation_nights_free(${tenantId}, ${event.id}, ${reservationId}, ${nights}::date[])`.execute(db)
}

interface NightsToStore {
  reservation: Pick<ReservationRow, 'id' | 'participant_id' | 'is_test_data' | 'hotel_id' | 'room_type_code'>
  status: 'held' | 'confirmed'
  nights: readonly BookedNight[]
  maxRooms: number
}

/** Stores additional nights of a reservation. */
export async function insertReservationNights(ctx: HousingQueryContext, stored: NightsToStore): Promise<void> {
  if (stored.nights.length === 0) return
  const { rows } = await insertNights(ctx, stored).execute(ctx.db).catch(rethrowSameRoom)
  refuseUnstored(
    stored,
    rows.map(({ night }) => night),
  )
}

/** Inserts a reservation together with its nights. `insert` is the statement that inserts and returns the reservation. */
export async function insertReservationWithNights(
  ctx: HousingQueryContext,
  insert: OperationNodeSource,
  stored: NightsToStore,
): Promise<ReservationRow> {
  const { rows } = await sql<ReservationRow & { stored: string[] }>`
    with stay as (${insert}), nights as (${insertNights(ctx, stored)})
    select stay.*, array(select night::text from nights) as stored from stay`
    .execute(ctx.db)
    .catch(rethrowSameRoom)
  const { stored: nights, ...row } = rows[0]!
  refuseUnstored(stored, nights)
  return row
}

/** A participant may have `maxRooms` rooms per night, numbered from 1. Each night gets the lowest number that is not in use. */
const insertNights = ({ tenantId, event }: HousingQueryContext, { reservation, status, nights, maxRooms }: NightsToStore) =>
  sql<{ night: string }>`
    insert into reservation_nights (tenant_id, event_id, reservation_id, night, participant_id, is_test_data, hotel_id, room_type_code,
      block_id, rate, status, room)
    select ${tenantId}::integer, ${event.id}, ${reservation.id}, n.night, ${reservation.participant_id}, ${reservation.is_test_data}::boolean,
      ${reservation.hotel_id}, ${reservation.room_type_code}, n."blockId", n.rate, ${status}, r.room
    from jsonb_to_recordset(${JSON.stringify(nights)}::jsonb) as n (night date, "blockId" text, rate bigint)
    join lateral (select min(g.room) as room from generate_series(1, 20) as g (room) where g.room <= ${maxRooms}::integer and not exists (
      select from reservation_nights o where o.tenant_id = ${tenantId} and o.event_id = ${event.id}
        and o.participant_id = ${reservation.participant_id} and o.night = n.night and o.room = g.room)) r on r.room is not null
    order by n.night
    returning night`

function rethrowSameRoom(error: { code?: string; constraint?: string }): never {
  throw error.code === '23505' && error.constraint?.includes('participant_id')
    ? new SerializationConflict('another room was booked concurrently')
    : error
}

function refuseUnstored({ nights, maxRooms }: NightsToStore, stored: readonly string[]): void {
  const full = nights.find(({ night }) => !stored.includes(night))
  if (full)
    throw new AppError(
      'limit_exceeded',
      `One person can book ${maxRooms} ${maxRooms === 1 ? 'room' : 'rooms'} per night; ${maxRooms === 1 ? 'one is' : `${maxRooms} are`} already booked for ${full.night}`,
    )
}
