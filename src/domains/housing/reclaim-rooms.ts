import { sql } from 'kysely'
import type { RoomNightKey } from './allocation.ts'
import type { HousingQueryContext } from './context.ts'
import { lockRoomInventory } from './moves/lock-rooms.ts'

/** Puts rooms that were returned to the hotel back into the general inventory, if the hotel still has them. The hotel must have agreed. */
export async function reclaimRoomsFromHotel(
  ctx: HousingQueryContext,
  wanted: readonly (RoomNightKey & { rooms: number })[],
): Promise<void> {
  await lockRoomInventory(ctx, wanted)
  await sql`
    update room_nights r set returned = r.returned - least(r.returned, w.rooms)
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w ("hotelId" text, "roomTypeCode" text, night date, rooms integer)
    where r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id} and r.hotel_id = any(${wanted.map(({ hotelId }) => hotelId)})
      and r.hotel_id = w."hotelId" and r.room_type_code = w."roomTypeCode" and r.night = w.night`.execute(ctx.db)
}
