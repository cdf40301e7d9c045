import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { HousingContext } from '../context.ts'

/**
 * Puts the rooms that the cut-off returned to the hotel back into the general inventory, so that a later cut-off can run. The caller has
 * locked the contract and its nights.
 */
export async function returnRoomsToSale(ctx: HousingContext, hotelId: string): Promise<void> {
  const { rows } = await sql<{ night: string; rooms: number }>`
    with was as (
      select r.hotel_id, r.room_type_code, r.night, r.returned as rooms from room_nights r
      where r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id} and r.hotel_id = ${hotelId} and r.returned > 0)
    update room_nights r set returned = 0 from was
    where r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id} and r.hotel_id = was.hotel_id
      and r.room_type_code = was.room_type_code and r.night = was.night
    returning r.night, was.rooms`.execute(ctx.db)
  await eventDb(ctx).updateTable('housing_contracts').set({ cutoff_done_for: null }).where('hotel_id', '=', hotelId).execute()
  const rooms = rows.reduce((sum, row) => sum + row.rooms, 0)
  recordChange(ctx, { kind: 'housingContract', id: hotelId, before: { returned: rooms }, after: { returned: 0 } })
}
