import { sql } from 'kysely'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { markAllGuaranteedStays } from './guarantee-status.ts'

const MAX_EXPIRED_PER_RUN = 500

/** Expires overdue holds and the waiting list offers that belong to them, and marks rooms whose guarantee (card or deposit) has arrived. */
export const cleanUpRoomHolds: RecurringTask = {
  name: 'rooms',
  schedule: { everySeconds: 30 },
  async run({ transact }) {
    const overdue = await transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; eventId: string; id: string }>`
        select tenant_id as "tenantId", event_id as "eventId", id from reservations
        where status = 'held' and not charging and held_until <= lanyard_now() order by held_until, id limit ${MAX_EXPIRED_PER_RUN}`.execute(
        db,
      )
      return rows
    })
    // Each hold expires in its own transaction, so that a booking never waits for a whole batch.
    for (const { tenantId, eventId, id } of overdue) {
      await transact((db) => sql`select reservation_expire(${tenantId}, ${eventId}, ${id})`.execute(db))
    }
    await transact(markAllGuaranteedStays)
  },
}
