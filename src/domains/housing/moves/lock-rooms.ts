import { sql } from 'kysely'
import type { RoomNightKey } from '../allocation.ts'
import type { HousingQueryContext } from '../context.ts'

/**
 * Locks contracts, room nights and the nights of blocks in the order that every change of rooms uses, before anything is decided. A change
 * of several hotels or blocks locks them here together, so that two such changes do not deadlock.
 */
export async function lockRoomInventory(
  { db, tenantId, event }: HousingQueryContext,
  nights: readonly RoomNightKey[],
  { changesContract = false }: { changesContract?: boolean } = {},
): Promise<void> {
  const keys = JSON.stringify(nights.map(({ hotelId, roomTypeCode, night }) => ({ hotelId, roomTypeCode, night })))
  const hotels = [...new Set(nights.map(({ hotelId }) => hotelId))]
  const mode = changesContract ? sql`for no key update` : sql`for share`
  await sql`
    select from housing_contracts where tenant_id = ${tenantId} and event_id = ${event.id}
      and hotel_id = any(${hotels}) order by hotel_id ${mode}`.execute(db)
  const named = sql`
    select k."hotelId", k."roomTypeCode", k.night from jsonb_to_recordset(${keys}::jsonb) as k("hotelId" text, "roomTypeCode" text, night date)`
  await sql`
    select from room_nights where tenant_id = ${tenantId} and event_id = ${event.id} and hotel_id = any(${hotels}) and (hotel_id, room_type_code, night) in (${named})
    order by hotel_id, room_type_code, night for no key update`.execute(db)
  await sql`
    select from block_nights where tenant_id = ${tenantId} and event_id = ${event.id} and hotel_id = any(${hotels}) and (hotel_id, room_type_code, night) in (${named})
    order by block_id, hotel_id, room_type_code, night for no key update`.execute(db)
}
