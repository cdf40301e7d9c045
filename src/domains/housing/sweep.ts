import { sql } from 'kysely'
import type { Recurring } from '../../kernel/recurring.ts'
import { secureAll } from './secure.ts'

const MOST_AT_ONCE = 500

/** Ends rooms that were held too long, and the offers that ran out with them, also where nobody asks for them; and notes what is secured by now. */
export const sweepRooms: Recurring = {
  name: 'rooms',
  schedule: { everySeconds: 30 },
  async run({ transact }) {
    const overdue = await transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; eventId: string; id: string }>`
        select tenant_id as "tenantId", event_id as "eventId", id from reservations
        where status = 'held' and not charging and held_until <= lanyard_now() order by held_until, id limit ${MOST_AT_ONCE}`.execute(db)
      return rows
    })
    // A stay at a time: nobody who books waits for more than one.
    for (const { tenantId, eventId, id } of overdue) {
      await transact((db) => sql`select reservation_expire(${tenantId}, ${eventId}, ${id})`.execute(db))
    }
    await transact(secureAll)
  },
}
