import { sql } from 'kysely'
import { type DueExternalCall, enqueueExternalCall } from '../../kernel/external-calls.ts'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { PROCESSOR_POLL_SECONDS } from './charge-kinds.ts'

const MAX_CALLS_PER_RUN = 500

/**
 * Requeues stored requests to payment processors (external calls) that are overdue for two minutes and not leased, for example after a
 * crash. A repeated requeue is harmless, because the lease admits one worker.
 */
export const reconcileChargesTask: RecurringTask = {
  name: 'payments',
  schedule: { everySeconds: PROCESSOR_POLL_SECONDS },
  async run({ transact, queue }) {
    await transact(async (db) => {
      const { rows } = await sql<DueExternalCall>`
        select o.tenant_id as "tenantId", o.id as "callId", o.kind as "callKind" from outside_calls o
        where o.status in ('waiting', 'calling') and o.next_attempt_at <= lanyard_now() and (o.lease_until is null or o.lease_until <= lanyard_now())
          and o.created_at <= lanyard_now() - interval '2 minutes'
        order by o.next_attempt_at limit ${MAX_CALLS_PER_RUN}`.execute(db)
      for (const call of rows) await enqueueExternalCall(queue, db, call)
    })
  },
}
