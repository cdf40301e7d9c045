import { sql } from 'kysely'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { computeRoundedDistanceKm } from './distance.ts'
import type { BookableBlocks } from './blocks.ts'
import { type HousingSnapshot, getTodayAtEvent, type HousingQueryContext } from './context.ts'
import { isPastCutoff, isOpenForBooking, type ParticipantRoomNight, type RoomSources, selectRoomSources } from './pools.ts'
import { priceStay, getRateForOccupants, type StayPrice } from './stay.ts'
import type { HousingContractRow, HotelRow, RoomNightRow, RoomTypeRow } from './tables.ts'

/** Price and availability of one room type on one night. */
export interface NightAvailability {
  night: string
  /** The price of the night; null if no rooms are contracted for it. */
  rate: number | null
  free: number
  /** The room block that the room would come from; null for a room outside blocks. */
  blockId: string | null
}

export interface RoomTypeAvailability {
  type: RoomTypeRow
  nights: NightAvailability[]
  /** Price of the stay; null if any night has no rate. */
  price: StayPrice | null
  /** Whether the room is available on every night. */
  free: boolean
}

export interface HotelAvailability {
  hotel: HotelRow
  contract: HousingContractRow
  distanceKm: number | null
  /**
   * After the cut-off date the hotel sells its rooms itself, so guests without a room block of their own can only join the waiting list.
   */
  waitlistOnly: boolean
  rooms: RoomTypeAvailability[]
}

interface OfferQuery {
  nights: readonly string[]
  occupants: number
  blocks: BookableBlocks
  search?: string | undefined
  hotelId?: string
  /**
   * Nights that the participant already holds or has booked, which count as free for this participant. Hotels of these nights are listed
   * even if they are closed, so that the participant can shorten the stay.
   */
  own?: readonly ParticipantRoomNight[]
  /** Whether rooms that were returned to the hotel count as free. The hotel must have agreed; its cut-off may have passed. */
  useReturned?: boolean
}

type OfferContext = Pick<HousingSnapshot, 'config' | 'timezone' | 'at'>

/**
 * Lists the hotels that are open and those where the participant has a room, nearest first, with price and availability of each room type.
 */
export async function listHotelAvailability(
  ctx: HousingQueryContext,
  snapshot: OfferContext,
  asked: OfferQuery,
): Promise<HotelAvailability[]> {
  const today = getTodayAtEvent(snapshot)
  const { own = [], useReturned = false } = asked
  const offered = await listOfferedHotels(ctx, asked)
  const blocked = await listBlockNights(
    ctx,
    offered.map(({ hotel }) => hotel.id),
    asked,
  )
  const poolsOf = (contract: HousingContractRow, roomTypeCode: string) =>
    selectRoomSources(asked.blocks, { contract, roomTypeCode, own, today, useReturned })
  const isWaitlistOnly = ({ hotel, contract }: (typeof offered)[number]) =>
    !useReturned &&
    isPastCutoff(contract, today) &&
    !blocked.some((row) => row.hotel_id === hotel.id && poolsOf(contract, row.room_type_code).usable.some(({ id }) => id === row.block_id))
  const hotels = offered
    .map((one) => ({ ...one, waitlistOnly: isWaitlistOnly(one) }))
    .filter(({ hotel, waitlistOnly }) => !waitlistOnly || hotel.after_cutoff === 'waitlist' || findOwnType(asked, hotel) !== undefined)
  if (hotels.length === 0) return []
  const ids = hotels.map(({ hotel }) => hotel.id)
  const [types, rooms] = [await listRoomTypes(ctx, ids), await listRoomNights(ctx, ids, asked.nights)]
  const typesBy = Map.groupBy(types, ({ hotel_id }) => hotel_id)
  const roomsBy = new Map(rooms.map((row) => [roomNightKey(row), row]))
  const blockedBy = Map.groupBy(blocked, roomNightKey)
  const ownKeys = new Set(own.map(roomNightKey))
  const offers = hotels.map(({ hotel, contract, waitlistOnly }): HotelAvailability => {
    const ownType = findOwnType(asked, hotel)
    const there = own.filter(({ hotel_id }) => hotel_id === hotel.id)
    const isClosed = !isOpenForBooking(hotel, ownType ?? '', there)
    const offerOf = (type: RoomTypeRow): RoomTypeAvailability => {
      const pools = poolsOf(contract, type.code)
      const nights = asked.nights.map((night) => {
        const key = roomNightKey({ hotel_id: hotel.id, room_type_code: type.code, night })
        const offer = toNightOffer(night, roomsBy.get(key), blockedBy.get(key) ?? [], asked, { ...pools, sellsNothing: isClosed })
        return ownKeys.has(key) ? { ...offer, free: offer.free + 1 } : offer
      })
      const rates = nights.flatMap(({ rate }) => (rate === null ? [] : [rate]))
      return {
        type,
        nights,
        price: nights.length > 0 && rates.length === nights.length ? priceStay(hotel, rates) : null,
        free: nights.length > 0 && nights.every(({ free }) => free > 0),
      }
    }
    const keepsType = isClosed || hotel.sell_status === 'changesSameType'
    const fitting = (typesBy.get(hotel.id) ?? []).filter(
      ({ code, max_occupancy }) => max_occupancy >= asked.occupants && (!keepsType || code === ownType),
    )
    return {
      hotel,
      contract,
      distanceKm: computeRoundedDistanceKm(hotel, snapshot.config.details.venue),
      waitlistOnly,
      rooms: fitting.map(offerOf),
    }
  })
  return offers.toSorted((a, b) => (a.distanceKm ?? Infinity) - (b.distanceKm ?? Infinity) || (a.hotel.id < b.hotel.id ? -1 : 1))
}

/** Finds the room type that the participant already has at a hotel. */
const findOwnType = ({ own }: OfferQuery, { id }: HotelRow): string | undefined =>
  own?.find(({ hotel_id }) => hotel_id === id)?.room_type_code

function toNightOffer(
  night: string,
  room: OfferedNight | undefined,
  blocked: readonly BlockNight[],
  { occupants, useReturned = false }: OfferQuery,
  { usable, freeSell, sellsNothing }: RoomSources & { sellsNothing: boolean },
): NightAvailability {
  if (!room) return { night, rate: null, free: 0, blockId: null }
  const own = usable.flatMap(({ id }) => blocked.filter((row) => row.block_id === id && row.free > 0))
  const first = own[0]
  const returned = useReturned ? 0 : room.returned
  const free = freeSell ? room.contracted - returned - room.allocated - room.booked - room.held : 0
  return {
    night,
    rate: first?.rate ?? getRateForOccupants(room, occupants),
    free: sellsNothing ? 0 : own.reduce((sum, row) => sum + row.free, free),
    blockId: first?.block_id ?? null,
  }
}

const roomNightKey = ({ hotel_id, room_type_code, night }: ParticipantRoomNight) => `${hotel_id} ${room_type_code} ${night}`

async function listOfferedHotels(ctx: HousingQueryContext, { search, hotelId, own = [] }: OfferQuery) {
  let query = eventDb(ctx).selectFrom('event_hotels').selectAll()
  const isOwn = sql<boolean>`id = any(${[...new Set(own.map(({ hotel_id }) => hotel_id))]})`
  query = query.where('retired', '=', false).where((eb) => eb.or([eb('sell_status', '=', 'open'), isOwn]))
  if (hotelId !== undefined) query = query.where('id', '=', hotelId)
  if (search !== undefined) query = query.where(buildWordMatchCondition(sql`searched`, search))
  const hotels = await query.orderBy('id').execute()
  const contracts = await eventDb(ctx).selectFrom('housing_contracts').selectAll().where('status', '=', 'definite').execute()
  const byHotel = new Map(contracts.map((contract) => [contract.hotel_id, contract]))
  return hotels.flatMap((hotel) => {
    const contract = byHotel.get(hotel.id)
    return contract ? [{ hotel, contract }] : []
  })
}

const listRoomTypes = (ctx: HousingQueryContext, hotelIds: readonly string[]) =>
  eventDb(ctx)
    .selectFrom('room_types')
    .selectAll()
    .where('hotel_id', '=', sql<string>`any(${hotelIds})`)
    .where('retired', '=', false)
    .orderBy('code')
    .execute()

/** The columns of room nights that availability and prices need. A list of all hotels reads thousands of rows, so no others are read. */
const OFFERED_COLUMNS = [
  'hotel_id',
  'room_type_code',
  'night',
  'contracted',
  'returned',
  'allocated',
  'booked',
  'held',
  'rate_single',
  'rate_double',
  'rate_triple',
  'rate_quad',
] as const

type OfferedNight = Pick<RoomNightRow, (typeof OFFERED_COLUMNS)[number]>

const listRoomNights = (ctx: HousingQueryContext, hotelIds: readonly string[], nights: readonly string[]) =>
  eventDb(ctx)
    .selectFrom('room_nights')
    .select(OFFERED_COLUMNS)
    .where('hotel_id', '=', sql<string>`any(${hotelIds})`)
    .where('night', '=', sql<string>`any(${nights}::date[])`)
    .execute()

interface BlockNight {
  block_id: string
  hotel_id: string
  room_type_code: string
  night: string
  rate: number | null
  free: number
}

async function listBlockNights(
  ctx: HousingQueryContext,
  hotelIds: readonly string[],
  { blocks, nights }: OfferQuery,
): Promise<BlockNight[]> {
  if (blocks.blocks.length === 0) return []
  return eventDb(ctx)
    .selectFrom('block_nights')
    .select(['block_id', 'hotel_id', 'room_type_code', 'night', 'rate', sql<number>`rooms - booked - held`.as('free')])
    .where('block_id', '=', sql<string>`any(${blocks.blocks.map(({ id }) => id)})`)
    .where('hotel_id', '=', sql<string>`any(${hotelIds})`)
    .where('night', '=', sql<string>`any(${nights}::date[])`)
    .execute()
}
