import { sql } from 'kysely'
import { eventDb } from '../../kernel/scoped-db.ts'
import { matchesWords } from '../../kernel/search.ts'
import { distanceKm } from './distance.ts'
import type { OwnBlocks } from './blocks.ts'
import { type HousingSnapshot, todayAtEvent, type EventQueryScope } from './context.ts'
import { priceStay, getRateForOccupants, type StayPrice } from './stay.ts'
import type { ContractRow, HotelRow, RoomNightRow, RoomTypeRow } from './tables.ts'

/** Price and availability of one room type on one night. */
export interface NightOffer {
  night: string
  /** The price of the night; null if no rooms are contracted for it. */
  rate: number | null
  free: number
  /** The block that the room would come from; null for general inventory. */
  blockId: string | null
}

export interface RoomOffer {
  type: RoomTypeRow
  nights: NightOffer[]
  /** Price of the stay; null if any night has no rate. */
  price: StayPrice | null
  /** Whether the room is available on every night. */
  free: boolean
}

export interface HotelOffer {
  hotel: HotelRow
  contract: ContractRow
  distanceKm: number | null
  /** After the cut-off date the hotel sells its own rooms: guests can only join the waiting list. */
  waitlistOnly: boolean
  rooms: RoomOffer[]
}

interface OfferQuery {
  nights: readonly string[]
  occupants: number
  blocks: OwnBlocks
  search?: string | undefined
  hotelId?: string
  /**
   * Nights that the participant already holds or has booked; these count as free for them. Their hotel is listed although it is closed, so
   * that they can shorten the stay.
   */
  own?: readonly OwnNight[]
  /** Whether rooms that were returned to the hotel count as free, also after the cut-off, because the hotel has agreed. */
  useReturned?: boolean
}

export type OwnNight = Pick<RoomNightRow, 'hotel_id' | 'room_type_code' | 'night'>

type OfferContext = Pick<HousingSnapshot, 'config' | 'timezone' | 'at'>

/** Reads the open hotels and the participant's own, nearest first, with price and availability of each room type. */
export async function listHotelOffers(ctx: EventQueryScope, snapshot: OfferContext, asked: OfferQuery): Promise<HotelOffer[]> {
  const today = todayAtEvent(snapshot)
  const hotels = (await listOfferedHotels(ctx, asked)).filter(
    ({ hotel, contract }) =>
      asked.useReturned || !isPastCutoff(contract, today) || hotel.after_cutoff === 'waitlist' || findOwnType(asked, hotel) !== undefined,
  )
  if (hotels.length === 0) return []
  const ids = hotels.map(({ hotel }) => hotel.id)
  const [types, rooms, blocked] = [
    await listRoomTypes(ctx, ids),
    await listRoomNights(ctx, ids, asked.nights),
    await listBlockNights(ctx, ids, asked),
  ]
  const typesBy = Map.groupBy(types, ({ hotel_id }) => hotel_id)
  const roomsBy = new Map(rooms.map((row) => [roomNightKey(row), row]))
  const blockedBy = Map.groupBy(blocked, roomNightKey)
  const own = new Set(asked.own?.map(roomNightKey))
  const offers = hotels.map(({ hotel, contract }): HotelOffer => {
    const ownType = findOwnType(asked, hotel)
    const isClosed = !canTakeNights(hotel, ownType !== undefined)
    const waitlistOnly = !asked.useReturned && isPastCutoff(contract, today)
    const offerOf = (type: RoomTypeRow): RoomOffer => {
      const nights = asked.nights.map((night) => {
        const key = roomNightKey({ hotel_id: hotel.id, room_type_code: type.code, night })
        const offer = toNightOffer(night, roomsBy.get(key), blockedBy.get(key) ?? [], asked, waitlistOnly || isClosed)
        return own.has(key) ? { ...offer, free: offer.free + 1 } : offer
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
    return { hotel, contract, distanceKm: distanceKm(hotel, snapshot.config.details.venue), waitlistOnly, rooms: fitting.map(offerOf) }
  })
  return offers.toSorted((a, b) => (a.distanceKm ?? Infinity) - (b.distanceKm ?? Infinity) || (a.hotel.id < b.hotel.id ? -1 : 1))
}

/** Finds the room type that the participant already has at a hotel. */
const findOwnType = ({ own }: OfferQuery, { id }: HotelRow): string | undefined =>
  own?.find(({ hotel_id }) => hotel_id === id)?.room_type_code

/** Whether a hotel sells nights: to everyone, or only to guests who already have a room there. */
const canTakeNights = ({ sell_status }: HotelRow, isGuest: boolean): boolean =>
  sell_status === 'open' || (isGuest && (sell_status === 'changes' || sell_status === 'changesSameType'))

/** Whether the hotel's cut-off date has passed. The cut-off day itself still counts as open. */
export const isPastCutoff = ({ cutoff_on }: Pick<ContractRow, 'cutoff_on'>, today: string) => cutoff_on !== null && today > cutoff_on

function toNightOffer(
  night: string,
  room: OfferedNight | undefined,
  blocked: readonly BlockNight[],
  { blocks, occupants, useReturned = false }: OfferQuery,
  sellsNothing: boolean,
): NightOffer {
  if (!room) return { night, rate: null, free: 0, blockId: null }
  const own = blocks.usable.flatMap(({ id }) => blocked.filter((row) => row.block_id === id && row.free > 0))
  const first = own[0]
  const returned = useReturned ? 0 : room.returned
  const freeSell = blocks.freeSell ? room.contracted - returned - room.allocated - room.booked - room.held : 0
  return {
    night,
    rate: first?.rate ?? getRateForOccupants(room, occupants),
    free: sellsNothing ? 0 : own.reduce((sum, { free }) => sum + free, freeSell),
    blockId: first?.block_id ?? null,
  }
}

const roomNightKey = ({ hotel_id, room_type_code, night }: OwnNight) => `${hotel_id} ${room_type_code} ${night}`

async function listOfferedHotels(ctx: EventQueryScope, { search, hotelId, own = [] }: OfferQuery) {
  let query = eventDb(ctx).selectFrom('event_hotels').selectAll()
  const isOwn = sql<boolean>`id = any(${[...new Set(own.map(({ hotel_id }) => hotel_id))]})`
  query = query.where('retired', '=', false).where((eb) => eb.or([eb('sell_status', '=', 'open'), isOwn]))
  if (hotelId !== undefined) query = query.where('id', '=', hotelId)
  if (search !== undefined) query = query.where(matchesWords(sql`searched`, search))
  const hotels = await query.orderBy('id').execute()
  const contracts = await eventDb(ctx).selectFrom('housing_contracts').selectAll().where('status', '=', 'definite').execute()
  const byHotel = new Map(contracts.map((contract) => [contract.hotel_id, contract]))
  return hotels.flatMap((hotel) => {
    const contract = byHotel.get(hotel.id)
    return contract ? [{ hotel, contract }] : []
  })
}

const listRoomTypes = (ctx: EventQueryScope, hotelIds: readonly string[]) =>
  eventDb(ctx)
    .selectFrom('room_types')
    .selectAll()
    .where('hotel_id', '=', sql<string>`any(${hotelIds})`)
    .where('retired', '=', false)
    .orderBy('code')
    .execute()

/** The columns of room nights that offers need. A list of all hotels reads thousands of room nights, so other columns are left out. */
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

const listRoomNights = (ctx: EventQueryScope, hotelIds: readonly string[], nights: readonly string[]) =>
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

async function listBlockNights(ctx: EventQueryScope, hotelIds: readonly string[], { blocks, nights }: OfferQuery): Promise<BlockNight[]> {
  if (blocks.usable.length === 0) return []
  return eventDb(ctx)
    .selectFrom('block_nights')
    .select(['block_id', 'hotel_id', 'room_type_code', 'night', 'rate', sql<number>`rooms - booked - held`.as('free')])
    .where('block_id', '=', sql<string>`any(${blocks.usable.map(({ id }) => id)})`)
    .where('hotel_id', '=', sql<string>`any(${hotelIds})`)
    .where('night', '=', sql<string>`any(${nights}::date[])`)
    .execute()
}
