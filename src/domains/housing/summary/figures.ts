import { sql } from 'kysely'
import { count } from '../../../kernel/args.ts'
import type { HousingQueryContext } from '../context.ts'

/** Numbers of room nights, summed over a hotel, a night, a room type, a block or the whole event. */
export interface RoomNightCounts {
  contracted: number
  returned: number
  allocated: number
  pickup: number
  held: number
  freeSell: number
}

/** Schema of a sum of room nights. Large events have more than a million, which is above the default limit of counts. */
export const roomNightSumSchema = () => count(0, 100_000_000)

export const roomNightCountFields = {
  contracted: roomNightSumSchema(),
  returned: roomNightSumSchema(),
  allocated: roomNightSumSchema(),
  pickup: roomNightSumSchema(),
  held: roomNightSumSchema(),
  freeSell: roomNightSumSchema(),
}

/** Room counts of one hotel, room type and night, from one room block or from the general inventory (`blockId` is null). */
export interface RoomNightCountsOfSource extends RoomNightCounts {
  hotelId: string
  roomTypeCode: string
  night: string
  blockId: string | null
}

/**
 * Selects the room nights of contracts in force, split so that any grouping of the rows has the same sums: rooms allocated to a block count
 * as contracted there, and all others in the row without a block. Tentative and cancelled contracts do not count.
 */
export const buildRoomSourceCountsSql = (
  { tenantId, event }: Omit<HousingQueryContext, 'db'>,
  hotelId: string | null = null,
) => sql<RoomNightCountsOfSource>`
  with sold as (
    select r.* from room_nights r
    join housing_contracts c on c.tenant_id = r.tenant_id and c.event_id = r.event_id and c.hotel_id = r.hotel_id and c.status = 'definite'
    where r.tenant_id = ${tenantId} and r.event_id = ${event.id} and (${hotelId}::text is null or r.hotel_id = ${hotelId}))
  select hotel_id as "hotelId", room_type_code as "roomTypeCode", night, null as "blockId", contracted - allocated as contracted, returned,
    0 as allocated, booked as pickup, held, contracted - returned - allocated - booked - held as "freeSell"
  from sold
  union all
  select b.hotel_id, b.room_type_code, b.night, b.block_id, b.rooms, 0, b.rooms, b.booked, b.held, 0
  from block_nights b
  join sold s on s.hotel_id = b.hotel_id and s.room_type_code = b.room_type_code and s.night = b.night
  where b.tenant_id = ${tenantId} and b.event_id = ${event.id}
  order by 1, 2, 3, 4 nulls first`

export const listRoomNightCountsBySource = async (ctx: HousingQueryContext, hotelId?: string): Promise<RoomNightCountsOfSource[]> =>
  (await buildRoomSourceCountsSql(ctx, hotelId).execute(ctx.db)).rows

const NOTHING: RoomNightCounts = { contracted: 0, returned: 0, allocated: 0, pickup: 0, held: 0, freeSell: 0 }

export const sumRoomNightCounts = (rows: readonly RoomNightCounts[]): RoomNightCounts =>
  rows.reduce(
    (sum, row) => ({
      contracted: sum.contracted + row.contracted,
      returned: sum.returned + row.returned,
      allocated: sum.allocated + row.allocated,
      pickup: sum.pickup + row.pickup,
      held: sum.held + row.held,
      freeSell: sum.freeSell + row.freeSell,
    }),
    NOTHING,
  )

/** Returns the percentage of contracted rooms that are booked, with one decimal; null without contracted rooms. */
export const computePickupPercent = ({ pickup, contracted }: Pick<RoomNightCounts, 'pickup' | 'contracted'>): number | null =>
  contracted === 0 ? null : Math.round((1000 * pickup) / contracted) / 10

/** Finds the night with the most contracted rooms, the earlier one if two have the same number; null without contracted rooms. */
export function findPeakNight(rows: readonly RoomNightCountsOfSource[]): string | null {
  const nights = [...Map.groupBy(rows, ({ night }) => night)].map(([night, of]) => ({ night, ...sumRoomNightCounts(of) }))
  const [peak] = nights.toSorted((a, b) => b.contracted - a.contracted || a.night.localeCompare(b.night))
  return peak && peak.contracted > 0 ? peak.night : null
}
