import { sql } from 'kysely'
import { matchesWords } from '../../kernel/search.ts'
import { distanceKm } from './distance.ts'
import type { OwnBlocks } from './blocks.ts'
import { type HousingScene, todayOf, type Where } from './scene.ts'
import { priceStay, rateFor, type StayPrice } from './stay.ts'
import type { ContractRow, HotelRow, RoomNightRow, RoomTypeRow } from './tables.ts'

/** What somebody is offered of one room type on one night. */
export interface NightOffer {
  night: string
  /** Null where nothing was contracted for that night. */
  rate: number | null
  free: number
  /** The block that it would come from; null: out of free sale. */
  blockId: string | null
}

export interface RoomOffer {
  type: RoomTypeRow
  nights: NightOffer[]
  /** Null while a night has no price. */
  price: StayPrice | null
  /** Whether every night could be taken now. */
  free: boolean
}

export interface HotelOffer {
  hotel: HotelRow
  contract: ContractRow
  distanceKm: number | null
  /** Past its cut-off the hotel sells its rooms itself: people can only wait. */
  waitlistOnly: boolean
  rooms: RoomOffer[]
}

interface Asked {
  nights: readonly string[]
  occupants: number
  blocks: OwnBlocks
  search?: string | undefined
  hotelId?: string
  /** What they have or hold themselves is free to them. */
  own?: readonly OwnNight[]
}

export type OwnNight = Pick<RoomNightRow, 'hotel_id' | 'room_type_code' | 'night'>

type Scene = Pick<HousingScene, 'config' | 'timezone' | 'at'>

/** The hotels that are open to somebody, nearest first, with what each of their rooms would cost them. */
export async function readOffers(ctx: Where, scene: Scene, asked: Asked): Promise<HotelOffer[]> {
  const today = todayOf(scene)
  const hotels = (await openHotels(ctx, asked)).filter(
    ({ hotel, contract }) => !isPast(contract, today) || hotel.after_cutoff === 'waitlist',
  )
  if (hotels.length === 0) return []
  const ids = hotels.map(({ hotel }) => hotel.id)
  const [types, rooms, blocked] = [
    await typesOf(ctx, ids),
    await roomNightsOf(ctx, ids, asked.nights),
    await blockNightsOf(ctx, ids, asked),
  ]
  const typesBy = Map.groupBy(types, ({ hotel_id }) => hotel_id)
  const roomsBy = new Map(rooms.map((row) => [keyOf(row), row]))
  const blockedBy = Map.groupBy(blocked, keyOf)
  const own = new Set(asked.own?.map(keyOf))
  const offers = hotels.map(({ hotel, contract }): HotelOffer => {
    const waitlistOnly = isPast(contract, today)
    const offerOf = (type: RoomTypeRow): RoomOffer => {
      const nights = asked.nights.map((night) => {
        const key = keyOf({ hotel_id: hotel.id, room_type_code: type.code, night })
        const offer = nightOffer(night, roomsBy.get(key), blockedBy.get(key) ?? [], asked, waitlistOnly)
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
    const fitting = (typesBy.get(hotel.id) ?? []).filter(({ max_occupancy }) => max_occupancy >= asked.occupants)
    return { hotel, contract, distanceKm: distanceKm(hotel, scene.config.details.venue), waitlistOnly, rooms: fitting.map(offerOf) }
  })
  return offers.toSorted((a, b) => (a.distanceKm ?? Infinity) - (b.distanceKm ?? Infinity) || (a.hotel.id < b.hotel.id ? -1 : 1))
}

/** From the day after it on. */
export const isPast = ({ cutoff_on }: Pick<ContractRow, 'cutoff_on'>, today: string) => cutoff_on !== null && today > cutoff_on

function nightOffer(
  night: string,
  room: RoomNightRow | undefined,
  blocked: readonly BlockNight[],
  { blocks, occupants }: Asked,
  waitlistOnly: boolean,
): NightOffer {
  if (!room) return { night, rate: null, free: 0, blockId: null }
  const own = blocks.usable.flatMap(({ id }) => blocked.filter((row) => row.block_id === id && row.free > 0))
  const first = own[0]
  const freeSell = blocks.freeSell ? room.contracted - room.returned - room.allocated - room.booked - room.held : 0
  return {
    night,
    rate: first?.rate ?? rateFor(room, occupants),
    free: waitlistOnly ? 0 : own.reduce((sum, { free }) => sum + free, freeSell),
    blockId: first?.block_id ?? null,
  }
}

const keyOf = ({ hotel_id, room_type_code, night }: OwnNight) => `${hotel_id} ${room_type_code} ${night}`

async function openHotels({ db, tenantId, event }: Where, { search, hotelId }: Asked) {
  let query = db.selectFrom('event_hotels').selectAll().where('tenant_id', '=', tenantId).where('event_id', '=', event.id)
  query = query.where('retired', '=', false).where('sell_status', '=', 'open')
  if (hotelId !== undefined) query = query.where('id', '=', hotelId)
  if (search !== undefined) query = query.where(matchesWords(sql`searched`, search))
  const hotels = await query.orderBy('id').execute()
  const contracts = await db
    .selectFrom('housing_contracts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('status', '=', 'definite')
    .execute()
  const byHotel = new Map(contracts.map((contract) => [contract.hotel_id, contract]))
  return hotels.flatMap((hotel) => {
    const contract = byHotel.get(hotel.id)
    return contract ? [{ hotel, contract }] : []
  })
}

const typesOf = ({ db, tenantId, event }: Where, hotelIds: readonly string[]) =>
  db
    .selectFrom('room_types')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('hotel_id', '=', sql<string>`any(${hotelIds})`)
    .where('retired', '=', false)
    .orderBy('code')
    .execute()

const roomNightsOf = ({ db, tenantId, event }: Where, hotelIds: readonly string[], nights: readonly string[]) =>
  db
    .selectFrom('room_nights')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
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

async function blockNightsOf(
  { db, tenantId, event }: Where,
  hotelIds: readonly string[],
  { blocks, nights }: Asked,
): Promise<BlockNight[]> {
  if (blocks.usable.length === 0) return []
  return db
    .selectFrom('block_nights')
    .select(['block_id', 'hotel_id', 'room_type_code', 'night', 'rate', sql<number>`rooms - booked - held`.as('free')])
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('block_id', '=', sql<string>`any(${blocks.usable.map(({ id }) => id)})`)
    .where('hotel_id', '=', sql<string>`any(${hotelIds})`)
    .where('night', '=', sql<string>`any(${nights}::date[])`)
    .execute()
}
