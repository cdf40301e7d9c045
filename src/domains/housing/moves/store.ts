import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { SerializationConflict } from '../../../kernel/errors.ts'
import type { HousingQueryContext, HousingContext } from '../context.ts'
import { announceReservationChange } from '../reservations.ts'
import type { ReservationRow } from '../tables.ts'
import type { PlannedReservationMove } from './plan.ts'
import type { RoomLocation } from './room-location.ts'
import type { MovedStay, ReservationMoveRequest } from './stays.ts'

/**
 * Moves reservations as planned, with two statements for any number of them. The caller has locked the reservations, their rooms and the
 * rooms at the destination.
 */
export async function storeReservationMoves(
  ctx: HousingContext,
  { reason }: ReservationMoveRequest,
  to: RoomLocation,
  planned: readonly PlannedReservationMove[],
): Promise<MovedStay[]> {
  if (planned.length === 0) return []
  await moveNights(ctx, to, planned)
  const updated = new Map((await updateReservations(ctx, planned)).map((row) => [row.id, row]))
  return planned.map(({ before, cardWithheld }) => {
    const after = updated.get(before.id)
    if (!after) throw new SerializationConflict('a reservation was changed concurrently')
    announceReservationChange(ctx, before, after)
    recordChange(ctx, { kind: 'reservation', id: before.id, before: toAudited(before), after: { ...toAudited(after), reason } })
    return { before, after, cardWithheld }
  })
}

const toAudited = (row: ReservationRow) => ({
  hotelId: row.hotel_id,
  roomTypeCode: row.room_type_code,
  stayTotal: row.stay_total,
  hotelConfirmationNumber: row.hotel_confirmation_number,
})

/**
 * Moves the nights of the reservations, and updates the room counts of each affected room night and block night once. As with every freed
 * night, a room goes back to its block or to the general inventory, or after the cut-off to the hotel, unless the block is kept longer. A
 * night keeps its index among the participant's rooms, so the limit of rooms per person stays satisfied.
 */
async function moveNights(
  { db, tenantId, event }: HousingQueryContext,
  to: RoomLocation,
  planned: readonly PlannedReservationMove[],
): Promise<void> {
  const nights = planned.flatMap(({ after, nights: moved }) =>
    moved.map(({ night, rate }) => ({ id: after.id, night, type: after.room_type_code, rate })),
  )
  const blockId = to.block?.id ?? null
  const at = (table: string) => sql`${sql.ref(`${table}.tenant_id`)} = ${tenantId} and ${sql.ref(`${table}.event_id`)} = ${event.id}`
  await sql`
    with planned as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(nights)}::jsonb) as p (id text, night date, type text, rate bigint)),
    moved as (
      update reservation_nights n set hotel_id = ${to.at.hotel.id}, room_type_code = p.type, block_id = ${blockId}, rate = p.rate
      from planned p join reservation_nights o on ${at('o')} and o.reservation_id = p.id and o.night = p.night
      where ${at('n')} and n.reservation_id = p.id and n.night = p.night
      returning o.hotel_id, o.room_type_code, o.block_id, n.night, n.room_type_code as new_type, n.is_test_data),
    freed as (
      select m.hotel_id, m.room_type_code, m.block_id, m.night, count(*)::int as rooms,
        exists (select from housing_contracts c join events e on e.tenant_id = c.tenant_id and e.id = c.event_id
          where ${at('c')} and c.hotel_id = m.hotel_id and c.cutoff_action = 'return' and c.cutoff_on < t.today)
        and not exists (select from room_blocks b where ${at('b')} and b.id = m.block_id and b.release_on >= t.today) as returns
      from moved m
      cross join (select (lanyard_now() at time zone e.timezone)::date as today from events e where e.tenant_id = ${tenantId} and e.id = ${event.id}) t
      where not m.is_test_data group by m.hotel_id, m.room_type_code, m.block_id, m.night, t.today),
    taken as (
      select ${to.at.hotel.id}::text as hotel_id, new_type as room_type_code, ${blockId}::text as block_id, night, count(*)::int as rooms
      from moved where not is_test_data group by new_type, night),
    of_rooms as (
      select hotel_id, room_type_code, night, sum(booked)::int as booked, sum(allocated)::int as allocated, sum(returned)::int as returned
      from (
        select hotel_id, room_type_code, night, case when block_id is null then -rooms else 0 end as booked,
          case when block_id is not null and returns then -rooms else 0 end as allocated, case when returns then rooms else 0 end as returned
        from freed
        union all select hotel_id, room_type_code, night, rooms, 0, 0 from taken where block_id is null) c
      group by hotel_id, room_type_code, night),
    of_blocks as (
      select hotel_id, room_type_code, block_id, night, sum(booked)::int as booked, sum(removed)::int as removed from (
        select hotel_id, room_type_code, block_id, night, -rooms as booked, case when returns then rooms else 0 end as removed from freed
        union all select hotel_id, room_type_code, block_id, night, rooms, 0 from taken) c
      where block_id is not null group by hotel_id, room_type_code, block_id, night),
    counted_rooms as (
      update room_nights r set booked = r.booked + c.booked, allocated = r.allocated + c.allocated, returned = r.returned + c.returned
      from of_rooms c
      where ${at('r')} and r.hotel_id = c.hotel_id and r.room_type_code = c.room_type_code and r.night = c.night
        and (c.booked, c.allocated, c.returned) <> (0, 0, 0))
    update block_nights b set booked = b.booked + c.booked, rooms = b.rooms - c.removed
    from of_blocks c
    where ${at('b')} and b.block_id = c.block_id and b.hotel_id = c.hotel_id and b.room_type_code = c.room_type_code and b.night = c.night`.execute(
    db,
  )
}

/** Updates hotel, room type and price of the reservations. Reservations that were changed since they were read are left out. */
async function updateReservations(
  { db, tenantId, event }: HousingQueryContext,
  planned: readonly PlannedReservationMove[],
): Promise<ReservationRow[]> {
  const changes = JSON.stringify(planned.map(({ before, columns }) => ({ id: before.id, revision: before.revision, ...columns })))
  const { rows } = await sql<ReservationRow>`
    update reservations s set hotel_id = c.hotel_id, room_type_code = c.room_type_code, bed_type = c.bed_type,
      hotel_confirmation_number = c.hotel_confirmation_number, moves = c.moves, stay_rooms = c.stay_rooms, stay_fees = c.stay_fees,
      stay_tax = c.stay_tax, stay_total = c.stay_total
    from jsonb_populate_recordset(null::reservations, ${changes}::jsonb) c
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.id = c.id and s.revision = c.revision
    returning s.*`.execute(db)
  return rows
}
