import { sql } from 'kysely'
import type { Recurring } from '../../../kernel/recurring.ts'

const MOST_AT_ONCE = 500

/** Ends what was held too long, and the offers that ran out with it: places come free also where nobody asks for them. */
export const sweepHolds: Recurring = {
  name: 'holds',
  schedule: { everySeconds: 30 },
  async run({ transact, changeAt }) {
    const overdue = await transact(async (db) => {
      // Test data is offered places that nobody holds.
      const { rows: ended } = await sql<{ tenant_id: number; event_id: string; participant_id: string }>`
        update waitlist_entries set status = 'removed', offered_until = null, reason = 'offer_expired', ended_at = lanyard_now()
        where status = 'offered' and is_test_data and offered_until <= lanyard_now()
        returning tenant_id, event_id, participant_id`.execute(db)
      for (const { tenant_id, event_id, participant_id } of ended)
        await sql`select participants_stop_waiting(${tenant_id}, ${event_id}, ${participant_id})`.execute(db)
      const { rows } = await sql<{ tenantId: number; eventId: string; key: string }>`
        select distinct tenant_id as "tenantId", event_id as "eventId", key from holds
        where status = 'active' and not charging and expires_at <= lanyard_now()
        order by 1, 2, 3 limit ${MOST_AT_ONCE}`.execute(db)
      return rows
    })
    // A key at a time: nobody who buys waits for more than one.
    for (const { tenantId, eventId, key } of overdue) {
      await changeAt({ tenantId, eventId }, ({ db }) => sql`select holds_expire(${tenantId}, ${eventId}, ${key})`.execute(db))
    }
  },
}
