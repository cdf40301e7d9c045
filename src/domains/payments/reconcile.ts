import { sql } from 'kysely'
import type { Recurring } from '../../kernel/recurring.ts'
import { ASK_SECONDS } from './charge-kinds.ts'

const MOST_AT_ONCE = 500

/**
 * Sees to it that what is not known is asked about, whatever became of the process that had it in hand: every charge, and whatever else is asked
 * outside, that is two minutes old and that nobody is at. Twice is harmless: one of them gets through.
 */
export const reconcileCharges: Recurring = {
  name: 'payments',
  schedule: { everySeconds: ASK_SECONDS },
  async run({ transact, queue }) {
    await transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; callId: string }>`
        select o.tenant_id as "tenantId", o.id as "callId" from outside_calls o
        where o.status in ('waiting', 'calling') and o.next_attempt_at <= lanyard_now() and (o.lease_until is null or o.lease_until <= lanyard_now())
          and o.created_at <= lanyard_now() - interval '2 minutes'
        order by o.next_attempt_at limit ${MOST_AT_ONCE}`.execute(db)
      for (const call of rows) await queue.send(db, { kind: 'outsideCall', ...call })
    })
  },
}
