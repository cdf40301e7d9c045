import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import type { Db } from '../../../kernel/columns.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { lockHotelRoomNights } from '../contracts/amend-nights.ts'
import { lockHousingContract } from '../contracts/original.ts'
import type { HousingQueryContext, HousingContext } from '../context.ts'
import { releaseUnbookedRooms, type ReleasedBlock } from './release-unbooked.ts'

export interface TenantHotelReference {
  tenantId: number
  eventId: string
  hotelId: string
}

/**
 * SQL condition that a cut-off is due: it begins at 00:00 of the day after `cutoff_on` in the event's time zone, and runs once per cut-off
 * day.
 */
const IS_DUE = sql`c.status = 'definite' and c.cutoff_action = 'return' and c.cutoff_on < (lanyard_now() at time zone e.timezone)::date
  and c.cutoff_done_for is distinct from c.cutoff_on`

/** Lists the hotels of all tenants whose cut-off has passed and whose rooms have not been returned to the hotel yet. */
export async function listDueCutoffs(db: Db): Promise<TenantHotelReference[]> {
  const { rows } = await sql<TenantHotelReference>`
    select c.tenant_id as "tenantId", c.event_id as "eventId", c.hotel_id as "hotelId" from housing_contracts c
    join events e on e.tenant_id = c.tenant_id and e.id = c.event_id and e.status <> 'archived'
    where ${IS_DUE} order by 1, 2, 3 /* reads the rows of all tenants */`.execute(db)
  return rows
}

async function isDue({ db, tenantId, event }: HousingQueryContext, hotelId: string): Promise<boolean> {
  const { rows } = await sql`
    select from housing_contracts c join events e on e.tenant_id = c.tenant_id and e.id = c.event_id
    where c.tenant_id = ${tenantId} and c.event_id = ${event.id} and c.hotel_id = ${hotelId} and ${IS_DUE}`.execute(db)
  return rows.length > 0
}

/**
 * Runs the cut-off of one hotel: blocks give up their unbooked rooms unless they have a later release date, and all free rooms go back to
 * the hotel. Reservations do not change. Does nothing if the cut-off is not due or has run.
 */
export async function releaseRoomsAtHotelCutoff(ctx: HousingContext, hotelId: string): Promise<ReleasedBlock[] | null> {
  const contract = await lockHousingContract(ctx, hotelId)
  if (!contract || !(await isDue(ctx, hotelId))) return null
  await lockHotelRoomNights(ctx, hotelId)
  const released = await releaseUnbookedRooms(ctx, await listReleasedBlocks(ctx, hotelId, contract.cutoff_on!), hotelId)
  const { numUpdatedRows } = await eventDb(ctx)
    .updateTable('room_nights')
    .set({ returned: sql<number>`contracted - allocated - booked - held` })
    .where('hotel_id', '=', hotelId)
    .where(sql<boolean>`returned + allocated + booked + held < contracted`)
    .executeTakeFirstOrThrow()
  await eventDb(ctx).updateTable('housing_contracts').set({ cutoff_done_for: contract.cutoff_on }).where('hotel_id', '=', hotelId).execute()
  recordChange(ctx, {
    kind: 'housingContract',
    id: hotelId,
    before: { cutoffDoneFor: contract.cutoff_done_for },
    after: { cutoffDoneFor: contract.cutoff_on, returnedNights: Number(numUpdatedRows) },
  })
  return released
}

async function listReleasedBlocks(ctx: HousingContext, hotelId: string, cutoffOn: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select b.id from room_blocks b where b.tenant_id = ${ctx.tenantId} and b.event_id = ${ctx.event.id}
      and (b.release_on is null or b.release_on <= ${cutoffOn})
      and exists (select from block_nights n where n.tenant_id = b.tenant_id and n.event_id = b.event_id and n.block_id = b.id
        and n.hotel_id = ${hotelId} and n.rooms > n.booked + n.held)
    order by b.id`.execute(ctx.db)
  return rows.map(({ id }) => id)
}
