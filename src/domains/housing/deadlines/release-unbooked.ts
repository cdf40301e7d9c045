import { sql } from 'kysely'
import { changeAllocation } from '../allocation.ts'
import type { HousingContext } from '../context.ts'

/** A room block with the number of unbooked room nights that were released from it. */
export interface ReleasedBlock {
  blockId: string
  released: number
}

interface BlockNight {
  blockId: string
  hotelId: string
  roomTypeCode: string
  night: string
  rooms: number
  used: number
}

/**
 * Releases the rooms of blocks that are neither booked nor held, at all of their hotels or at one. All nights are locked before they are
 * read, in the order of every change of rooms, so that a concurrent booking either counts or finds no room.
 */
export async function releaseUnbookedRooms(ctx: HousingContext, blockIds: readonly string[], hotelId?: string): Promise<ReleasedBlock[]> {
  if (blockIds.length === 0) return []
  const nights = await lockBlockNights(ctx, blockIds, hotelId)
  const released: ReleasedBlock[] = []
  for (const [blockId, of] of Map.groupBy(nights, (night) => night.blockId)) {
    const unbooked = of.filter(({ rooms, used }) => rooms > used)
    if (unbooked.length === 0) continue
    await changeAllocation(
      ctx,
      blockId,
      unbooked.map(({ hotelId: hotel, roomTypeCode, night, used }) => ({ hotelId: hotel, roomTypeCode, night, rooms: used })),
    )
    released.push({ blockId, released: unbooked.reduce((sum, { rooms, used }) => sum + rooms - used, 0) })
  }
  return released
}

async function lockBlockNights(
  { db, tenantId, event }: HousingContext,
  blockIds: readonly string[],
  hotelId?: string,
): Promise<BlockNight[]> {
  const chosen = sql`b.tenant_id = ${tenantId} and b.event_id = ${event.id} and b.block_id = any(${blockIds})
    and (${hotelId ?? null}::text is null or b.hotel_id = ${hotelId ?? null})`
  await sql`
    select from housing_contracts c where c.tenant_id = ${tenantId} and c.event_id = ${event.id}
      and c.hotel_id in (select b.hotel_id from block_nights b where ${chosen}) order by c.hotel_id for share`.execute(db)
  await sql`
    select from room_nights r where r.tenant_id = ${tenantId} and r.event_id = ${event.id}
      and (r.hotel_id, r.room_type_code, r.night) in (select b.hotel_id, b.room_type_code, b.night from block_nights b where ${chosen})
    order by r.hotel_id, r.room_type_code, r.night for no key update`.execute(db)
  const { rows } = await sql<BlockNight>`
    select b.block_id as "blockId", b.hotel_id as "hotelId", b.room_type_code as "roomTypeCode", b.night, b.rooms, b.booked + b.held as used
    from block_nights b where ${chosen} order by b.block_id, b.hotel_id, b.room_type_code, b.night for no key update`.execute(db)
  return rows
}
