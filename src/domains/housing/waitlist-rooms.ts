import { AppError } from '../../kernel/errors.ts'
import { runInSavepoint } from '../../kernel/savepoint.ts'
import { daysBetween, startOfDay } from '../../kernel/time.ts'
import { findBookableBlocks, type BookableBlocks } from './blocks.ts'
import { toStayPriceColumns, toRequestedStayColumns } from './change-stay.ts'
import type { HousingContext, HousingSnapshot } from './context.ts'
import { computeDepositAmounts } from './guarantee.ts'
import { refuseHotelWithoutAttestation } from './pci/card-access.ts'
import { listHotelAvailability, type HotelAvailability, type RoomTypeAvailability } from './offers.ts'
import type { ParticipantRoomNight } from './pools.ts'
import { getReservation, listReservedNights } from './reservations.ts'
import { insertStay, type RoomGuest, toGuestMemberships } from './reserve.ts'
import { listStayNights } from './stay.ts'
import type { ReservationRow } from './tables.ts'
import { bookRoomNights } from './take-nights.ts'
import type { HotelWaitlistEntry } from './waitlist-entries.ts'
import type { RequestedStay } from './wish.ts'

/** A request for a room for one entry of a hotel waiting list, with restrictions on the rooms that the entry may get. */
export interface RoomAssignmentRequest {
  snapshot: HousingSnapshot
  entry: HotelWaitlistEntry
  guest: RoomGuest
  /** The hotel to find a room in if the waiting list entry accepts any hotel; null for the nearest hotel with a free room. */
  hotelId: string | null
  /** If set, the guest can only get a room of this hotel and, unless the room type is null, of this type. */
  only?: { hotelId: string; roomTypeCode: string | null } | null
  /** Whether the guest can get a room that was returned to the hotel. Organizers set this after the hotel has agreed. */
  useReturned?: boolean
  /** Rooms that were read for earlier waiting list entries and are still valid, because this transaction has locked the room nights. */
  found?: RoomSearchCache
}

/**
 * The rooms that a transaction has read so far, by hotel, room type and dates, so that entries with the same choice share them. Choices in
 * `full` have no free room and are not tried again.
 */
export interface RoomSearchCache {
  rooms: Map<string, ChosenRoom[]>
  full: Set<string>
}

export const createRoomSearchCache = (): RoomSearchCache => ({ rooms: new Map(), full: new Set() })

interface Choice {
  hotelId: string | null
  roomTypeCode: string | null
}

type ChosenRoom = Pick<HotelAvailability, 'hotel' | 'contract'> & RoomTypeAvailability

/** Lists the hotels and room types that a waiting list entry accepts, the first choice first. `only` restricts them. */
function listChoices({ entry, hotelId, only }: RoomAssignmentRequest): Choice[] {
  const choices = [
    { hotelId: entry.hotel_id ?? only?.hotelId ?? hotelId, roomTypeCode: entry.room_type_code },
    ...entry.alternatives.map((one) => ({ hotelId: one.hotelId, roomTypeCode: one.roomTypeCode ?? null })),
  ]
  if (!only) return choices
  return choices
    .filter((one) => one.hotelId === only.hotelId && (one.roomTypeCode ?? only.roomTypeCode) === (only.roomTypeCode ?? one.roomTypeCode))
    .map((one) => ({ ...one, roomTypeCode: one.roomTypeCode ?? only.roomTypeCode }))
}

/**
 * Lists the rooms that match one choice of a waiting list entry: the nearest hotel first, the room type with the lowest first rate first.
 */
async function listRooms(
  ctx: HousingContext,
  { snapshot, entry, useReturned = false }: RoomAssignmentRequest,
  choice: Choice,
  blocks: BookableBlocks,
  own: readonly ParticipantRoomNight[] = [],
) {
  const offers = await listHotelAvailability(ctx, snapshot, {
    nights: listStayNights(entry.check_in, entry.check_out),
    occupants: entry.occupants,
    blocks,
    own,
    useReturned,
    ...(choice.hotelId === null ? {} : { hotelId: choice.hotelId }),
  })
  const rateOf = ({ nights }: RoomTypeAvailability) => nights[0]?.rate ?? Infinity
  return offers.flatMap(({ hotel, contract, rooms }): ChosenRoom[] =>
    rooms
      .filter(({ type }) => (choice.roomTypeCode ?? type.code) === type.code)
      .toSorted((a, b) => rateOf(a) - rateOf(b) || (a.type.code < b.type.code ? -1 : 1))
      .map((room) => ({ hotel, contract, ...room })),
  )
}

const findBlocks = (ctx: HousingContext, { snapshot, entry, guest }: RoomAssignmentRequest): Promise<BookableBlocks> =>
  findBookableBlocks(ctx, snapshot, toGuestMemberships(guest), daysBetween(entry.check_in, entry.check_out))

/**
 * Finds the stay that a waiting list entry replaces if the entry is for other nights of that stay, at the same hotel and in the same room
 * type. Its nights are not needed a second time.
 */
export async function findStayToExtend(ctx: HousingContext, { entry, only }: RoomAssignmentRequest): Promise<ReservationRow | null> {
  if (entry.replaces_reservation_id === null) return null
  const room = await getReservation(ctx, entry.replaces_reservation_id)
  const isSameRoom = (hotelId: string | null, roomTypeCode: string | null) =>
    hotelId === room.hotel_id && (roomTypeCode ?? room.room_type_code) === room.room_type_code
  if (room.status !== 'confirmed' || !isSameRoom(entry.hotel_id, entry.room_type_code)) return null
  if (only && !isSameRoom(only.hotelId, only.roomTypeCode)) return null
  return room.check_in < entry.check_out && entry.check_in < room.check_out ? room : null
}

const keyOf = ({ entry }: RoomAssignmentRequest, { hotelId, roomTypeCode }: Choice, { blocks, freeSell }: BookableBlocks): string =>
  [hotelId, roomTypeCode, entry.check_in, entry.check_out, entry.occupants, freeSell, ...blocks.map(({ id }) => id)].join(' ')

export const NO_ROOMS_REASON = 'no_rooms'

/** Holds a room for a waiting list entry: the first of its choices that is free on all nights. Returns the reason if no room is free. */
export async function holdFirstAvailableRoom(
  ctx: HousingContext,
  grant: RoomAssignmentRequest,
  until: Date,
): Promise<{ held: ReservationRow } | { reason: string }> {
  const { found = createRoomSearchCache() } = grant
  const blocks = await findBlocks(ctx, grant)
  let reason = NO_ROOMS_REASON
  for (const choice of listChoices(grant)) {
    const key = keyOf(grant, choice, blocks)
    if (found.full.has(key)) continue
    const rooms = found.rooms.get(key) ?? (await listRooms(ctx, grant, choice, blocks))
    found.rooms.set(key, rooms)
    for (const room of rooms) {
      if (!room.free) continue
      const attempt = await runInSavepoint(ctx, () => holdRoom(ctx, grant, room, until))
      if (!attempt.refused) {
        // The replaced room becomes free only when the new one is confirmed, so the cached rooms are discarded and read again.
        if (grant.entry.replaces_reservation_id !== null) found.rooms.clear()
        return { held: attempt.done }
      }
      if (!(attempt.refused instanceof RoomTaken)) reason = attempt.refused.message
    }
    if (reason === NO_ROOMS_REASON) found.full.add(key)
  }
  return { reason }
}

export interface PredictedRoomHold {
  room: ChosenRoom
  /** The room blocks that the room comes from. */
  blocks: BookableBlocks['blocks']
}

/**
 * Predicts which rooms `holdFirstAvailableRoom` would hold for one entry after another, without locks and without taking them. Entries with
 * the same choice share the rooms that were read. A predicted room is counted only against the first block that it could come from.
 */
export function createRoomHoldPredictor() {
  const offers = new Map<string, ChosenRoom[]>()
  const used = new Map<string, number>()
  const refusals = new Map<string, AppError | null>()
  const findRefusal = async (ctx: HousingContext, { snapshot }: RoomAssignmentRequest, { hotel }: ChosenRoom): Promise<AppError | null> => {
    const known = refusals.get(hotel.id)
    if (known !== undefined) return known
    const { refused = null } = await runInSavepoint(ctx, () => refuseHotelWithoutAttestation(ctx, snapshot, hotel))
    refusals.set(hotel.id, refused)
    return refused
  }
  const poolOf = ({ hotel, type }: ChosenRoom, { night, blockId }: RoomTypeAvailability['nights'][number]) =>
    [hotel.id, type.code, night, blockId].join(' ')
  return async (ctx: HousingContext, grant: RoomAssignmentRequest): Promise<PredictedRoomHold | { reason: string }> => {
    const blocks = await findBlocks(ctx, grant)
    const extended = await findStayToExtend(ctx, grant)
    const own = extended ? await listReservedNights(ctx, extended.id) : []
    let reason = NO_ROOMS_REASON
    for (const choice of listChoices(grant)) {
      const key = `${keyOf(grant, choice, blocks)} ${extended?.id ?? ''}`
      const rooms = offers.get(key) ?? (await listRooms(ctx, grant, choice, blocks, own))
      offers.set(key, rooms)
      for (const room of rooms) {
        const pools = room.nights.map((night) => poolOf(room, night))
        if (!room.free || room.nights.some(({ free }, index) => free <= (used.get(pools[index]!) ?? 0))) continue
        const refused = await findRefusal(ctx, grant, room)
        if (refused) {
          reason = refused.message
          continue
        }
        if (!grant.snapshot.isTest) for (const pool of pools) used.set(pool, (used.get(pool) ?? 0) + 1)
        return { room, blocks: blocks.blocks.filter(({ id }) => room.nights.some(({ blockId }) => blockId === id)) }
      }
    }
    return { reason }
  }
}

/** Thrown if a concurrent transaction has taken the last room since the free rooms were read. */
class RoomTaken extends AppError {}

async function holdRoom(
  ctx: HousingContext,
  { snapshot, entry, guest, useReturned = false }: RoomAssignmentRequest,
  { hotel, contract, type }: ChosenRoom,
  until: Date,
): Promise<ReservationRow> {
  const stay = { checkIn: entry.check_in, checkOut: entry.check_out, occupants: entry.occupants }
  const wish: RequestedStay = { ...NO_PREFERENCES, ...stay, hotel, contract, type }
  await refuseHotelWithoutAttestation(ctx, snapshot, hotel)
  const nights = listStayNights(entry.check_in, entry.check_out)
  const taken = await bookRoomNights(ctx, { snapshot, belongings: toGuestMemberships(guest), wish, nights, holds: true, useReturned })
  if ('full' in taken) throw new RoomTaken(taken.full.code, taken.full.message)
  const columns = {
    ...toRequestedStayColumns(wish),
    ...toStayPriceColumns(wish, taken.nights),
    status: 'held' as const,
    held_until: until,
    entry_id: entry.id,
  }
  // A person whose room is replaced may have one room above the limit until the new room is confirmed.
  const maxRooms = snapshot.config.housing.maxRoomsPerPerson + (entry.replaces_reservation_id === null ? 0 : 1)
  return insertStay(ctx, { snapshot, guest, source: 'web' }, columns, taken.nights, maxRooms)
}

const NO_PREFERENCES = {
  kind: 'stay',
  bedType: null,
  smoking: null,
  requests: null,
  loyaltyNumber: null,
  shareWith: null,
  waitlist: false,
} as const

/**
 * Returns until when an offer made now can be accepted: for the configured hours, at most until the day of check-in. Null if that day has
 * begun.
 */
export function calculateRoomOfferEnd(
  { at, timezone, config }: HousingSnapshot,
  { check_in }: Pick<HotelWaitlistEntry, 'check_in'>,
): Date | null {
  const end = Math.min(at.getTime() + config.housing.offerHours * 3_600_000, startOfDay(timezone, check_in).getTime())
  return end <= at.getTime() ? null : new Date(end)
}

/** Finds the highest deposit of all rooms that the guest could get, free or not, in minor units; null if none requires a deposit. */
export async function findHighestDeposit(ctx: HousingContext, grant: RoomAssignmentRequest): Promise<number | null> {
  const blocks = await findBlocks(ctx, grant)
  const deposits: number[] = []
  for (const choice of listChoices(grant))
    for (const { price } of await listRooms(ctx, grant, choice, blocks)) {
      const deposit = price && computeDepositAmounts(grant.snapshot, price)
      if (deposit) deposits.push(deposit.total)
    }
  return deposits.length === 0 ? null : Math.max(...deposits)
}
