import { sql } from 'kysely'
import type { ExhibitorQueryContext } from '../exhibitors/context.ts'

/** Counts the waiting list entries for which a room in their hotel, or in an alternative hotel, is now free on every night. */
export async function countWaitlistEntriesWithFreeRoom({ db, tenantId, event }: ExhibitorQueryContext): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from hotel_waitlist_entries w
    where w.tenant_id = ${tenantId} and w.event_id = ${event.id} and w.status = 'waiting' and not w.is_test_data and exists (
      select from (
        select w.hotel_id, w.room_type_code
        union all
        select a ->> 'hotelId', a ->> 'roomTypeCode' from jsonb_array_elements(w.alternatives) a) choice(hotel_id, room_type_code)
      join room_nights r on r.tenant_id = w.tenant_id and r.event_id = w.event_id and r.night >= w.check_in and r.night < w.check_out
        and (choice.hotel_id is null or r.hotel_id = choice.hotel_id) and (choice.room_type_code is null or r.room_type_code = choice.room_type_code)
        and r.contracted - r.returned - r.allocated - r.booked - r.held > 0
      join room_types t on t.tenant_id = r.tenant_id and t.event_id = r.event_id and t.hotel_id = r.hotel_id and t.code = r.room_type_code
        and t.max_occupancy >= w.occupants
      join housing_contracts c on c.tenant_id = r.tenant_id and c.event_id = r.event_id and c.hotel_id = r.hotel_id and c.status = 'definite'
      group by r.hotel_id, r.room_type_code
      having count(distinct r.night) = w.check_out - w.check_in)`.execute(db)
  return rows[0]!.n
}
