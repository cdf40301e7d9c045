import { sql } from 'kysely'
import type { RecurringTask } from '../../../kernel/recurring.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { sendRoomingList } from './lists.ts'

const SEND_AT = '06:00'

/**
 * Sends rooming lists: the first at 06:00 of the day on which it is due, then every morning on which it changed, until the last guest has
 * left. Each hotel is compared once per morning, in the time zone of the event.
 */
export const sendDueRoomingLists: RecurringTask = {
  name: 'rooming_lists',
  schedule: { everySeconds: 600 },
  async run({ transact, commitEach }) {
    const due = await transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; eventId: string; hotelId: string; today: string }>`
        select c.tenant_id as "tenantId", c.event_id as "eventId", c.hotel_id as "hotelId", l.today
        from housing_contracts c
        join events e on e.tenant_id = c.tenant_id and e.id = c.event_id and e.status = 'published'
        cross join lateral (select (lanyard_now() at time zone e.timezone)::date as today, (lanyard_now() at time zone e.timezone)::time as clock) l
        where c.status = 'definite' and c.rooming_list_due_on <= l.today and l.clock >= ${SEND_AT}::time
          and (c.rooming_checked_on is null or c.rooming_checked_on < l.today)
          and exists (select from room_nights r where r.tenant_id = c.tenant_id and r.event_id = c.event_id and r.hotel_id = c.hotel_id
            and r.night >= l.today - 1)
        order by 1, 2, 3`.execute(db)
      return rows
    })
    await commitEach(due, async (ctx, { hotelId, today }) => {
      const { numUpdatedRows } = await eventDb(ctx)
        .updateTable('housing_contracts')
        .set({ rooming_checked_on: today })
        .where('hotel_id', '=', hotelId)
        .where((eb) => eb.or([eb('rooming_checked_on', 'is', null), eb('rooming_checked_on', '<', today)]))
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return
      const hotel = await eventDb(ctx).selectFrom('event_hotels').selectAll().where('id', '=', hotelId).executeTakeFirstOrThrow()
      await sendRoomingList(ctx, hotel)
    })
    return { hotels: due.length }
  },
}
