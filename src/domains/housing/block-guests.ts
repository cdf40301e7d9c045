import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { HousingContext, HousingSnapshot, HousingQueryContext } from './context.ts'
import { transferGuaranteeToBlockOwner } from './guarantee-change.ts'
import { getReservation } from './reservations.ts'

/**
 * Moves booked nights of a group's members from the hotel's general inventory to the group's block while the block has rooms, oldest
 * reservation first. The nights keep their rate. Returns the number of reservations that now draw on the block.
 */
export async function moveGroupBookingsIntoBlock(ctx: HousingContext, blockId: string, groupId: string): Promise<number> {
  const { db, tenantId, event } = ctx
  await lockBlockRooms(ctx, blockId)
  const { rows } = await sql<{ reservationId: string; nights: number }>`
    with ranked as (
      select n.reservation_id, n.hotel_id, n.room_type_code, n.night, b.rooms - b.booked - b.held as free,
        row_number() over (partition by n.hotel_id, n.room_type_code, n.night order by s.created_at, s.id) as place
      from block_nights b
      join reservation_nights n on n.tenant_id = b.tenant_id and n.event_id = b.event_id and n.hotel_id = b.hotel_id
        and n.room_type_code = b.room_type_code and n.night = b.night and n.block_id is null and not n.is_test_data and n.status <> 'held'
      join reservations s on s.tenant_id = n.tenant_id and s.event_id = n.event_id and s.id = n.reservation_id
      join participants p on p.tenant_id = n.tenant_id and p.event_id = n.event_id and p.id = n.participant_id
      where b.tenant_id = ${tenantId} and b.event_id = ${event.id} and b.block_id = ${blockId} and p.group_id = ${groupId}),
    moved as (
      update reservation_nights n set block_id = ${blockId} from ranked r
      where n.tenant_id = ${tenantId} and n.event_id = ${event.id} and n.reservation_id = r.reservation_id and n.night = r.night and r.place <= r.free
      returning n.reservation_id, n.hotel_id, n.room_type_code, n.night),
    counted as (select hotel_id, room_type_code, night, count(*)::int as nights from moved group by 1, 2, 3),
    freed as (
      update room_nights r set booked = r.booked - c.nights from counted c
      where r.tenant_id = ${tenantId} and r.event_id = ${event.id} and r.hotel_id = c.hotel_id and r.room_type_code = c.room_type_code
        and r.night = c.night),
    taken as (
      update block_nights b set booked = b.booked + c.nights from counted c
      where b.tenant_id = ${tenantId} and b.event_id = ${event.id} and b.block_id = ${blockId} and b.hotel_id = c.hotel_id
        and b.room_type_code = c.room_type_code and b.night = c.night)
    select reservation_id as "reservationId", count(*)::int as nights from moved group by 1 order by 1`.execute(db)
  for (const { reservationId, nights } of rows)
    recordChange(ctx, { kind: 'reservation', id: reservationId, after: { block: blockId, nightsMovedToBlock: nights } })
  return rows.length
}

/** Locks the hotel's room nights on which a block has rooms, and then the nights of the block. All changes of rooms lock in this order. */
async function lockBlockRooms({ db, tenantId, event }: HousingQueryContext, blockId: string): Promise<void> {
  await sql`
    select from room_nights r where r.tenant_id = ${tenantId} and r.event_id = ${event.id} and (r.hotel_id, r.room_type_code, r.night) in (
      select b.hotel_id, b.room_type_code, b.night from block_nights b
      where b.tenant_id = ${tenantId} and b.event_id = ${event.id} and b.block_id = ${blockId})
    order by r.hotel_id, r.room_type_code, r.night for no key update`.execute(db)
  await sql`
    select from block_nights b where b.tenant_id = ${tenantId} and b.event_id = ${event.id} and b.block_id = ${blockId}
    order by b.hotel_id, b.room_type_code, b.night for no key update`.execute(db)
}

/**
 * Makes the owner of a block pay for its guests. Reservations with a pending guarantee are charged to the owner's master account instead,
 * and their deposits are refunded as credit. Secured guarantees do not change. Returns the number of rooms.
 */
export async function transferGuaranteesToBlockOwner(
  ctx: HousingContext,
  blockId: string,
  readSnapshot: () => Promise<HousingSnapshot>,
): Promise<number> {
  const { db, tenantId, event } = ctx
  const { rows } = await sql<{ id: string }>`
    select s.id from reservations s
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.status = 'confirmed' and s.guarantee_status = 'pending'
      and exists (select from reservation_nights n where n.tenant_id = s.tenant_id and n.event_id = s.event_id and n.reservation_id = s.id
        and n.block_id = ${blockId})
    order by s.id for no key update`.execute(db)
  if (rows.length === 0) return 0
  const snapshot = await readSnapshot()
  for (const { id } of rows) await transferGuaranteeToBlockOwner(ctx, snapshot, await getReservation(ctx, id))
  return rows.length
}
