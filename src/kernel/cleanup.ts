import { sql } from 'kysely'
import type { Db } from './columns.ts'
import { type DueExternalCall, enqueueExternalCall } from './external-calls.ts'
import type { JobQueue } from './ports.ts'

/**
 * Deletes records that detect repeated calls, after they expire. Idempotency keys are valid for a day and confirm tokens for ten minutes;
 * each is kept an hour longer, so that none disappears during a call.
 */
export async function deleteExpiredIdempotencyData(db: Db): Promise<void> {
  await sql`delete from idempotency_keys where created_at < lanyard_now() - interval '25 hours'`.execute(db)
  await sql`delete from confirmations where used_at < lanyard_now() - interval '70 minutes'`.execute(db)
}

const BATCH_SIZE = 1000

/**
 * Enqueues jobs and external calls again that are overdue by an hour, because the queue lost them or was replaced. Enqueuing twice is
 * harmless.
 */
export async function requeueOverdueJobsAndCalls(db: Db, queue: JobQueue): Promise<void> {
  const jobs = await sql<{ tenantId: number; jobId: string; name: string }>`
    update jobs set due_at = lanyard_now() where (tenant_id, id) in (
      select tenant_id, id from jobs where status in ('queued', 'running') and due_at < lanyard_now() - interval '1 hour'
        and (lease_until is null or lease_until < lanyard_now() - interval '1 hour') order by due_at limit ${BATCH_SIZE} for update skip locked)
    returning tenant_id as "tenantId", id as "jobId", name`.execute(db)
  for (const job of jobs.rows) await queue.send(db, { kind: 'job', ...job })
  const calls = await sql<DueExternalCall>`
    update outside_calls set next_attempt_at = lanyard_now() where (tenant_id, id) in (
      select tenant_id, id from outside_calls where status in ('waiting', 'calling') and next_attempt_at < lanyard_now() - interval '1 hour'
        and (lease_until is null or lease_until < lanyard_now() - interval '1 hour') order by next_attempt_at limit ${BATCH_SIZE} for update skip locked)
    returning tenant_id as "tenantId", id as "callId", kind as "callKind"`.execute(db)
  for (const call of calls.rows) await enqueueExternalCall(queue, db, call)
}
