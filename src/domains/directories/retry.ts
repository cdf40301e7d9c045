import { z } from 'zod'
import { id } from '../../kernel/args.ts'
import { defineJob, RetryJobLaterError } from '../../kernel/jobs.ts'
import { hasUnsendableInputs, prepareDirectoryLookup } from './directory-query.ts'
import { mapLookupResult } from './bindings.ts'
import { claimCircuitBreakerProbe, recordLookupFailure, recordLookupSuccess } from './circuit.ts'
import type { DirectoryLookupOutcome } from './engine/spec.ts'
import { findPendingLookup, stopRetryingLookup, saveLookupResult, logUnansweredLookup, type PendingLookup } from './lookups.ts'

const MAX_RETRY_SECONDS = 24 * 3600

interface RetryResult {
  outcome: DirectoryLookupOutcome
  tags: string[]
}

/** Retries a lookup in the background until the directory answers or 24 hours have passed. */
export const retryLookup = defineJob({
  name: 'directory-lookup-retry',
  scope: 'event',
  input: z.object({ connectionId: id(), lookupId: id() }),
  async run(job, { connectionId, lookupId }): Promise<RetryResult> {
    const waiting = await job.step((ctx) => findPendingLookup(ctx, { connectionId, lookupId }))
    // Nothing is left to retry if an earlier run of this job answered the lookup, or if the connection was deleted.
    if (!waiting) return { outcome: 'error', tags: [] }
    const { connection, key, inputs, waitedSeconds, zone } = waiting
    if (!inputs || waitedSeconds > MAX_RETRY_SECONDS) {
      await job.step((ctx) => stopRetryingLookup(ctx, { connectionId, lookupId }))
      return { outcome: 'error', tags: [] }
    }
    // The request templates may have changed since the lookup was queued, so that its inputs can no longer be sent.
    if (hasUnsendableInputs(connection, inputs)) {
      await job.step((ctx) =>
        logUnansweredLookup(ctx, connection, { lookupId, key, outcome: 'notFound', status: null, ms: null, tags: [] }, null),
      )
      return { outcome: 'notFound', tags: [] }
    }
    if (connection.status !== 'ready' && !(await job.step((ctx) => claimCircuitBreakerProbe(ctx, connectionId)))) throw backOff(waiting)
    const question = await job.step((ctx) => prepareDirectoryLookup(ctx, connection, inputs))
    const { answer, ms } = await question(job.fetcher)
    if (answer.outcome === 'error') {
      await job.step((ctx) => recordLookupFailure(ctx, connectionId))
      throw backOff(waiting)
    }
    const { tags } = mapLookupResult(connection, answer, { fields: [], zone })
    await job.step(async (ctx) => {
      await recordLookupSuccess(ctx, connectionId)
      await saveLookupResult(
        ctx,
        connection,
        { lookupId, key, outcome: answer.outcome, status: answer.httpStatus, ms, tags },
        answer.record,
      )
    })
    return { outcome: answer.outcome, tags }
  },
})

/** Exponential backoff: waits as long as the lookup has already waited, between one minute and one hour. */
const backOff = ({ waitedSeconds }: PendingLookup) => new RetryJobLaterError(Math.min(3600, Math.max(60, Math.round(waitedSeconds))))
