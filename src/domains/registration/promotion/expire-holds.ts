import { sql } from 'kysely'
import type { RecurringTask } from '../../../kernel/recurring.ts'
import { emailExpiredOffer, listUnemailedExpiredOffers } from './expiry-emails.ts'
import { WAITLIST_ENTRY_STATES } from '../states.ts'

const OFFERED = 'offered'
const REMOVED = WAITLIST_ENTRY_STATES.move(OFFERED, 'removed')

const MAX_KEYS_PER_RUN = 500

/** Expires capacity holds and their waiting list offers, so that capacity becomes free even without further requests. */
export const expireCapacityHolds: RecurringTask = {
  name: 'holds',
  schedule: { everySeconds: 30 },
  async run({ transact, commitEach }) {
    const overdue = await transact(async (db) => {
      // Offers to test participants have no capacity hold that could expire, so they are ended here.
      const { rows: ended } = await sql<{ tenant_id: number; event_id: string; participant_id: string }>`
        update waitlist_entries set status = ${REMOVED}, offered_until = null, reason = 'offer_expired', ended_at = lanyard_now()
        where status = ${OFFERED} and is_test_data and offered_until <= lanyard_now()
        returning tenant_id, event_id, participant_id`.execute(db)
      for (const { tenant_id, event_id, participant_id } of ended)
        await sql`select participants_stop_waiting(${tenant_id}, ${event_id}, ${participant_id})`.execute(db)
      const { rows } = await sql<{ tenantId: number; eventId: string; key: string }>`
        select distinct tenant_id as "tenantId", event_id as "eventId", key from holds
        where status = 'active' and not charging and expires_at <= lanyard_now()
        order by 1, 2, 3 limit ${MAX_KEYS_PER_RUN}`.execute(db)
      return rows
    })
    // Each inventory key (such as `product:dinner`) has its own transaction, so that buyers wait for one product at most.
    await commitEach(overdue, ({ db }, { tenantId, eventId, key }) => sql`select holds_expire(${tenantId}, ${eventId}, ${key})`.execute(db))
    // Offers also expire when other buyers need the capacity, so the emails about all expired offers are sent here.
    const unreported = await transact((db) => listUnemailedExpiredOffers(db, MAX_KEYS_PER_RUN))
    await commitEach(unreported, (ctx, { entryId }) => emailExpiredOffer(ctx, entryId))
  },
}
