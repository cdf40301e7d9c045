import { z } from 'zod'
import type { EventContext } from '../../../kernel/context.ts'
import { defineJob, RetryJobLaterError } from '../../../kernel/jobs.ts'
import { scheduleDepositCharge } from './deposit-charge.ts'
import { countWaitlistFillEntries, type WaitlistFillProgress, lockWaitlistFill } from './fill-rows.ts'
import { hasWaitlistEntriesToProcess, loadWaitlistFillRun, assignRoomsToWaitlistEntries } from './serve.ts'

/** The number of waiting list entries per transaction. It is small, so that bookings of the same hotels wait only briefly. */
const ENTRIES_PER_STEP = 20
const POLL_SECONDS = 2

/**
 * The background job that gives free hotel rooms to the waiting list, in batches. It ends when every entry is processed and no card is left
 * to be charged.
 */
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
    const { untried, done, total } = toProgress(await job.step((ctx: EventContext) => countWaitlistFillEntries(ctx, fillId)))
    await job.progress(done, total)
    if (untried > 0) throw new RetryJobLaterError(POLL_SECONDS)
    return { entries: total }
  },
})

async function serveNext(ctx: EventContext, fillId: string) {
  const fill = await lockWaitlistFill(ctx, fillId)
  const before = await countWaitlistFillEntries(ctx, fillId)
  if (!hasWaitlistEntriesToProcess(fill, before)) return { ...toProgress(before), unfinished: false }
  await assignRoomsToWaitlistEntries(ctx, await loadWaitlistFillRun(ctx, fill, scheduleDepositCharge(fillId, { here: false })), {
    limit: ENTRIES_PER_STEP,
    onlyNew: true,
  })
  const after = await countWaitlistFillEntries(ctx, fillId)
  return { ...toProgress(after), unfinished: hasWaitlistEntriesToProcess(fill, after) }
}

/** Counts the finished waiting list entries: those with an outcome, except those whose card is still to be charged. */
const toProgress = ({ total, processed, untried }: WaitlistFillProgress) => ({ total, done: processed - untried, untried })
