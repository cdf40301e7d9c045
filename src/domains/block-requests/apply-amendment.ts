import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { changeAllocation, type RoomNightKey } from '../housing/allocation.ts'
import { createTooFewRoomsError } from '../housing/errors.ts'
import { getOrCreateRequestBlock } from './blocks.ts'
import { lockBlockNights, lockRoomSupply } from './place.ts'
import { type GrantedRooms, type HotelSupply, sortHotelsByPreference, trackRemainingRooms } from './plan-allocation.ts'
import { type BlockRoomNight, listBlockNights, readBlockRequestSettings } from './requests.ts'
import { readHotelNames } from './requester.ts'
import { readRoomSupply } from './supply.ts'
import type { AmendedNight, BlockRequestRow } from './tables.ts'

export interface NightlyRoomDelta {
  night: string
  delta: number
}

const fits = ({ hotelId, roomTypeCode, night }: AmendedNight, at: RoomNightKey) =>
  at.night === night &&
  (hotelId === undefined || at.hotelId === hotelId) &&
  (roomTypeCode === undefined || at.roomTypeCode === roomTypeCode)

/**
 * Releases the rooms that an amendment gives up: at the hotel and of the room type that it names, otherwise at the hotels of the block in
 * descending order of their ids.
 */
export async function applyAmendmentDecreases(ctx: EventContext, row: BlockRequestRow, changes: readonly AmendedNight[], partial: boolean) {
  const decreases = changes.filter(({ delta }) => delta < 0)
  if (decreases.length === 0 || row.block_id === null) return { applied: [], notApplied: toLeft(decreases) }
  await lockBlockNights(ctx, row.block_id)
  const nights = (await listBlockNights(ctx, row)).toReversed()
  const applied = new Map<BlockRoomNight, number>()
  const notApplied: NightlyRoomDelta[] = []
  for (const change of decreases) {
    let left = -change.delta
    for (const at of nights.filter((one) => fits(change, one))) {
      const many = Math.min(left, at.rooms - at.booked - at.held - (applied.get(at) ?? 0))
      applied.set(at, (applied.get(at) ?? 0) + many)
      left -= many
    }
    if (left > 0 && !partial) throw explainBooked(change, nights)
    if (left > 0) notApplied.push({ night: change.night, delta: -left })
  }
  const done = [...applied]
    .filter(([, many]) => many > 0)
    .map(([{ hotelId, roomTypeCode, night }, many]) => ({ hotelId, roomTypeCode, night, delta: -many }))
  await changeAllocation(ctx, row.block_id, done)
  return { applied: done, notApplied }
}

const toLeft = (changes: readonly AmendedNight[]): NightlyRoomDelta[] => changes.map(({ night, delta }) => ({ night, delta }))

function explainBooked(change: AmendedNight, nights: readonly BlockRoomNight[]) {
  const here = nights.filter((one) => fits(change, one))
  const used = here.reduce((sum, { booked, held }) => sum + booked + held, 0)
  const rooms = here.reduce((sum, one) => sum + one.rooms, 0)
  return preconditionFailed(`${change.night}: ${used} booked, cannot set ${rooms + change.delta} — move_hotel_reservations first`)
}

interface IncreaseOptions {
  /**
   * The rooms that the caller chose. By default, rooms at hotels and of room types that the request already has, then rooms in the order of
   * the allocation algorithm.
   */
  given: readonly GrantedRooms[] | undefined
  partial: boolean
}

/** Grants the additional rooms of an amendment, each night separately. Returns the request with its block. */
export async function applyAmendmentIncreases(
  ctx: EventContext,
  row: BlockRequestRow,
  changes: readonly AmendedNight[],
  options: IncreaseOptions,
) {
  const increases = changes.filter(({ delta }) => delta > 0)
  if (increases.length === 0) return { row, applied: [], notApplied: [] }
  await lockRoomSupply(ctx, [...new Set(increases.map(({ night }) => night))])
  const planned = options.given ? matchGiven(increases, options.given) : await planNights(ctx, row, increases)
  if (planned.notApplied.length > 0 && !options.partial) throw await explainShortage(ctx, planned, options.given !== undefined)
  if (planned.grants.length === 0) return { row, applied: [], notApplied: planned.notApplied.map(({ night, delta }) => ({ night, delta })) }
  const withBlock = await getOrCreateRequestBlock(ctx, row, [...new Set(planned.grants.map(({ hotelId }) => hotelId))])
  const done = await changeAllocation(
    ctx,
    withBlock.block_id,
    planned.grants.map(({ rooms, ...key }) => ({ ...key, delta: rooms })),
    { partial: options.partial },
  )
  const refused = done.filter(({ after, wanted }) => after < wanted).map(({ night, after, wanted }) => ({ night, delta: wanted - after }))
  return {
    row: withBlock as BlockRequestRow,
    applied: done
      .filter(({ before, after }) => after > before)
      .map(({ hotelId, roomTypeCode, night, before, after }) => ({ hotelId, roomTypeCode, night, delta: after - before })),
    notApplied: [...planned.notApplied.map(({ night, delta }) => ({ night, delta })), ...refused],
  }
}

interface Short extends NightlyRoomDelta {
  wanted: number
  /** The hotel and room type that could provide the rooms, if there is exactly one. */
  only?: RoomNightKey
}

interface Planned {
  grants: GrantedRooms[]
  notApplied: Short[]
}

/** Compares the rooms that the caller chose with the amendment: no night may get more rooms than the requester asked for. */
function matchGiven(increases: readonly AmendedNight[], given: readonly GrantedRooms[]): Planned {
  const notApplied: Short[] = []
  const asked = Map.groupBy(increases, ({ night }) => night)
  const stray = given.find(({ night }) => !asked.has(night))
  if (stray) throw preconditionFailed(`The amendment asks for no more rooms on ${stray.night}`)
  for (const [night, of] of asked) {
    const wanted = of.reduce((sum, { delta }) => sum + delta, 0)
    const rooms = given.filter((one) => one.night === night).reduce((sum, one) => sum + one.rooms, 0)
    if (rooms > wanted) throw preconditionFailed(`The amendment asks for ${wanted} more rooms on ${night}, not ${rooms}`)
    if (rooms < wanted) notApplied.push({ night, delta: wanted - rooms, wanted })
  }
  return { grants: [...given], notApplied }
}

async function planNights(ctx: EventContext, row: BlockRequestRow, increases: readonly AmendedNight[]): Promise<Planned> {
  const own = await listBlockNights(ctx, row)
  const { config, rules, today } = await readBlockRequestSettings(ctx)
  const hotels = await readRoomSupply(ctx, {
    nights: increases.map(({ night }) => night),
    venue: config.details.venue,
    limits: rules,
    granted: own,
    today,
  })
  const remaining = trackRemainingRooms()
  const grants: GrantedRooms[] = []
  const notApplied: Short[] = []
  for (const change of increases) {
    let left = change.delta
    const candidates = listCandidates(row, own, hotels, change)
    for (const { key, hotel, type } of candidates) {
      const many = Math.max(0, Math.min(left, remaining.limitOf(hotel, type, change.night)))
      if (many === 0) continue
      remaining.use(hotel, type, change.night, many)
      grants.push({ ...key, rooms: many })
      left -= many
    }
    if (left > 0)
      notApplied.push({
        night: change.night,
        delta: left,
        wanted: change.delta,
        ...(candidates.length === 1 ? { only: candidates[0]!.key } : {}),
      })
  }
  return { grants: mergeGrants(grants), notApplied }
}

const mergeGrants = (grants: readonly GrantedRooms[]): GrantedRooms[] =>
  [...Map.groupBy(grants, ({ hotelId, roomTypeCode, night }) => `${hotelId}/${roomTypeCode}/${night}`).values()].map((of) => ({
    ...of[0]!,
    rooms: of.reduce((sum, { rooms }) => sum + rooms, 0),
  }))

/**
 * Lists the hotels and room types that can provide rooms for a night: first those that the request has on that night, then its others, then
 * the order of the allocation algorithm.
 */
function listCandidates(row: BlockRequestRow, own: readonly BlockRoomNight[], hotels: readonly HotelSupply[], change: AmendedNight) {
  const rank = (key: RoomNightKey) => {
    const same = own.filter(({ hotelId, roomTypeCode }) => hotelId === key.hotelId && roomTypeCode === key.roomTypeCode)
    return same.some(({ night }) => night === key.night) ? 0 : same.length > 0 ? 1 : 2
  }
  return sortHotelsByPreference(hotels, row.hotel_preferences)
    .flatMap((hotel) =>
      hotel.types
        .filter(({ code }) => change.roomTypeCode !== undefined || row.room_types.length === 0 || row.room_types.includes(code))
        .toSorted((a, b) => rateOn(a.nights, change.night) - rateOn(b.nights, change.night) || (a.code < b.code ? -1 : 1))
        .map((type) => ({ key: { hotelId: hotel.id, roomTypeCode: type.code, night: change.night }, hotel, type })),
    )
    .filter(({ key }) => fits(change, key))
    .toSorted((a, b) => rank(a.key) - rank(b.key))
}

const rateOn = (nights: ReadonlyMap<string, { rate: number }>, night: string) => nights.get(night)?.rate ?? Number.MAX_SAFE_INTEGER

async function explainShortage(ctx: EventContext, { notApplied }: Planned, given: boolean) {
  if (given)
    return preconditionFailed(
      `The allocations give ${notApplied[0]!.wanted - notApplied[0]!.delta} of ${notApplied[0]!.wanted} rooms on ${notApplied[0]!.night}. Add rooms, or pass partial: true`,
    )
  const names = await readHotelNames(
    ctx,
    notApplied.flatMap(({ only }) => only?.hotelId ?? []),
  )
  const short = notApplied.map(({ night, delta, wanted, only }) => ({
    night,
    free: wanted - delta,
    wanted,
    hotel: only === undefined ? 'any hotel' : (names.get(only.hotelId) ?? only.hotelId),
    roomType: only?.roomTypeCode ?? 'any room type',
  }))
  return createTooFewRoomsError({ hotel: short[0]!.hotel, roomType: short[0]!.roomType, wanted: short[0]!.wanted, short, path: 'partial' })
}
