import { sql } from 'kysely'
import { z } from 'zod'
import type { EventContext } from '../../../kernel/context.ts'
import { defineJob, RetryLater } from '../../../kernel/jobs.ts'
import { chargeDeposit } from './deposit-charge.ts'
import { listFillEntries, lockFill } from './fill-rows.ts'
import { isUnfinished, loadFillRun, serveEntries } from './serve.ts'

/** The number of entries per transaction. It is small, so that bookings of the same hotels wait only briefly. */
const ENTRIES_PER_STEP = 5
const POLL_SECONDS = 2

/** Fills the waiting list in steps. It ends when every entry is processed and every card was tried once. */
export const fillWaitlistJob = defineJob({
  name: 'fill_hotel_waitlist',
  scope: 'event',
  input: z.object({ fillId: z.string() }),
  async run(job, { fillId }) {
    for (;;) {
      const step = await job.step((ctx: EventContext) => serveNext(ctx, fillId))
      await job.progress(step.done, step.total)
      if (!step.unfinished) break
    }
    const { untried, done, total } = await job.step((ctx: EventContext) => readProgress(ctx, fillId))
    await job.progress(done, total)
    if (untried > 0) throw new RetryLater(POLL_SECONDS)
    return { entries: total }
  },
})

async function serveNext(ctx: EventContext, fillId: string) {
  const fill = await lockFill(ctx, fillId)
  if (isUnfinished(fill, await listFillEntries(ctx, fillId)))
    await serveEntries(ctx, await loadFillRun(ctx, fill, chargeDeposit(fillId, { here: false })), {
      limit: ENTRIES_PER_STEP,
      onlyNew: true,
    })
  return { ...(await readProgress(ctx, fillId)), unfinished: isUnfinished(fill, await listFillEntries(ctx, fillId)) }
}

/** Counts the entries that are done: their outcome is known, or their card was tried and the processor did not answer in time. */
async function readProgress({ db, tenantId, event }: EventContext, fillId: string) {
  const { rows } = await sql<{ total: number; processed: number; untried: number }>`
    select count(*)::int as total, count(f.outcome)::int as processed,
      count(*) filter (where f.outcome = 'charge_pending' and c.status = 'pending' and c.attempts = 0)::int as untried
    from hotel_waitlist_fill_entries f
    left join charges c on c.tenant_id = f.tenant_id and c.event_id = f.event_id and c.id = f.charge_id
    where f.tenant_id = ${tenantId} and f.event_id = ${event.id} and f.fill_id = ${fillId}`.execute(db)
  const { total, processed, untried } = rows[0]!
  return { total, done: processed - untried, untried }
}
