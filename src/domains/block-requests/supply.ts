import { sql } from 'kysely'
import { computeRoundedDistanceKm } from '../housing/distance.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { ExhibitorQueryContext } from '../exhibitors/context.ts'
import type { GrantedRooms, HotelSupply, RoomTypeSupply } from './plan-allocation.ts'

/** The limits on the rooms that one request may have in one hotel. */
export type RequestRoomLimits = Pick<NonNullable<EventConfig['housing']['requests']>, 'maxRoomsPerHotel' | 'maxPercentPerHotel'>

interface SupplyQuery {
  nights: readonly string[]
  venue: EventConfig['details']['venue']
  /** The limits per hotel that the organizer has set; null if there are none. */
  limits: RequestRoomLimits | null
  /** The rooms that the request already has, which count towards the limits. */
  granted: readonly GrantedRooms[]
  hotelIds?: readonly string[] | undefined
  today: string
}

interface SupplyRow {
  hotelId: string
  latitude: number | null
  longitude: number | null
  code: string
  night: string
  free: number
  contracted: number
  rate: number
}

/** Returns the maximum number of rooms that one request may have in a hotel on a night with this many contracted rooms. */
export function getRequestRoomLimit({ maxRoomsPerHotel, maxPercentPerHotel }: RequestRoomLimits, contracted: number): number {
  const share = maxPercentPerHotel === null ? Infinity : Math.floor((contracted * maxPercentPerHotel) / 100)
  return Math.min(maxRoomsPerHotel ?? Infinity, share)
}

/** Reads the free rooms of hotels with a definite contract whose cut-off has not passed. */
export async function readRoomSupply({ db, tenantId, event }: ExhibitorQueryContext, query: SupplyQuery): Promise<HotelSupply[]> {
  const { nights, venue, limits, granted, hotelIds, today } = query
  const { rows } = await sql<SupplyRow>`
    select r.hotel_id as "hotelId", h.latitude, h.longitude, r.room_type_code as code, r.night,
      r.contracted - r.returned - r.allocated - r.booked - r.held as free, r.contracted, r.rate_single as rate
    from room_nights r
    join event_hotels h on h.tenant_id = r.tenant_id and h.event_id = r.event_id and h.id = r.hotel_id and not h.retired
    join housing_contracts c on c.tenant_id = r.tenant_id and c.event_id = r.event_id and c.hotel_id = r.hotel_id
      and c.status = 'definite' and (c.cutoff_on is null or c.cutoff_on >= ${today}::date)
    where r.tenant_id = ${tenantId} and r.event_id = ${event.id} and r.night = any(${nights}::date[])
      and (${hotelIds === undefined} or r.hotel_id = any(${hotelIds ?? []}))
    order by r.hotel_id, r.room_type_code, r.night`.execute(db)
  return [...Map.groupBy(rows, ({ hotelId }) => hotelId)].map(([id, of]) => ({
    id,
    distanceKm: computeRoundedDistanceKm(of[0], venue),
    types: toTypes(of),
    caps: limits === null ? new Map() : toCaps(of, limits, sumHotelNights(granted, id)),
  }))
}

const toTypes = (rows: readonly SupplyRow[]): RoomTypeSupply[] =>
  [...Map.groupBy(rows, ({ code }) => code)].map(([code, of]) => ({
    code,
    nights: new Map(of.map(({ night, free, rate }) => [night, { free, rate }])),
  }))

function toCaps(rows: readonly SupplyRow[], limits: RequestRoomLimits, has: ReadonlyMap<string, number>): Map<string, number> {
  return new Map(
    [...Map.groupBy(rows, ({ night }) => night)].map(([night, of]) => [
      night,
      Math.max(
        0,
        getRequestRoomLimit(
          limits,
          of.reduce((sum, { contracted }) => sum + contracted, 0),
        ) - (has.get(night) ?? 0),
      ),
    ]),
  )
}

function sumHotelNights(granted: readonly GrantedRooms[], hotelId: string): Map<string, number> {
  const rooms = new Map<string, number>()
  for (const one of granted.filter((grant) => grant.hotelId === hotelId)) rooms.set(one.night, (rooms.get(one.night) ?? 0) + one.rooms)
  return rooms
}
