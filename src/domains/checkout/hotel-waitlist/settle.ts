import { sql } from 'kysely'
import { performance } from 'node:perf_hooks'
import type { EventContext } from '../../../kernel/context.ts'
import type { AfterCommitContext } from '../../../kernel/tool.ts'
import { findWaitlistFillByChargedEntry, type WaitlistFillRow } from './fill-rows.ts'
import { type WaitlistFillResults, readWaitlistFillResults } from './results.ts'

/**
 * The maximum time that a request waits for the outcomes of its card charges. A declined card may start another charge, for the next entry.
 */
const MAX_WAIT_MS = 15_000

/** Adds the outcomes of the card charges to the results, as far as the card processor responds within the time limit. */
export async function addWaitlistChargeOutcomes<Answer extends WaitlistFillResults & { jobId?: string | undefined }>(
  ctx: AfterCommitContext<EventContext>,
  kept: Answer,
): Promise<Answer> {
  const pending = kept.results.find(({ outcome }) => outcome === 'charge_pending')
  const fill = pending && kept.jobId === undefined ? await findWaitlistFillByChargedEntry(ctx, pending.entryId) : null
  if (!fill) return kept
  const end = performance.now() + MAX_WAIT_MS
  const tried = new Set<string>()
  while (performance.now() < end) {
    const open = (await listOpenCalls(ctx, fill)).filter((callId) => !tried.has(callId))
    if (open.length === 0) break
    for (const callId of open) tried.add(callId)
    await ctx.settle(open)
  }
  return { ...kept, ...(await readWaitlistFillResults(ctx, fill)) }
}

async function listOpenCalls({ db, tenantId, event }: EventContext, { id }: WaitlistFillRow): Promise<string[]> {
  const { rows } = await sql<{ callId: string }>`
    select c.call_id as "callId" from hotel_waitlist_fill_entries f
    join charges c on c.tenant_id = f.tenant_id and c.event_id = f.event_id and c.id = f.charge_id
    where f.tenant_id = ${tenantId} and f.event_id = ${event.id} and f.fill_id = ${id} and c.status in ('pending', 'unknown')
      and c.call_id is not null
    order by f.ordinal`.execute(db)
  return rows.map(({ callId }) => callId)
}
