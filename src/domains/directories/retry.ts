import { z } from 'zod'
import { id } from '../../kernel/args.ts'
import { defineJob, TryLater } from '../../kernel/jobs.ts'
import { isNobodys, prepareQuestion } from './asking.ts'
import { mapFound } from './bindings.ts'
import { claimTry, noteFailure, noteSuccess } from './circuit.ts'
import type { DirectoryOutcome } from './engine/spec.ts'
import { findWaiting, giveUp, keepAnswer, logEmpty, type Waiting } from './lookups.ts'

const GIVE_UP_SECONDS = 24 * 3600

interface Retried {
  outcome: DirectoryOutcome
  tags: string[]
}

/** Repeats a lookup that its registration did not wait for, until the directory answers or a day has passed. */
export const retryLookup = defineJob({
  name: 'directory-lookup-retry',
  scope: 'event',
  input: z.object({ connectionId: id(), lookupId: id() }),
  async run(job, { connectionId, lookupId }): Promise<Retried> {
    const waiting = await job.step((ctx) => findWaiting(ctx, { connectionId, lookupId }))
    // Answered by an earlier delivery, or its connection is gone.
    if (!waiting) return { outcome: 'error', tags: [] }
    const { connection, key, inputs, waitedSeconds, zone } = waiting
    if (!inputs || waitedSeconds > GIVE_UP_SECONDS) {
      await job.step((ctx) => giveUp(ctx, { connectionId, lookupId }))
      return { outcome: 'error', tags: [] }
    }
    // Its requests may have been changed since.
    if (isNobodys(connection, inputs)) {
      await job.step((ctx) => logEmpty(ctx, connection, { lookupId, key, outcome: 'notFound', status: null, ms: null, tags: [] }, null))
      return { outcome: 'notFound', tags: [] }
    }
    if (connection.status !== 'ready' && !(await job.step((ctx) => claimTry(ctx, connectionId)))) throw laterThan(waiting)
    const question = await job.step((ctx) => prepareQuestion(ctx, connection, inputs))
    const { answer, ms } = await question(job.fetcher)
    if (answer.outcome === 'error') {
      await job.step((ctx) => noteFailure(ctx, connectionId))
      throw laterThan(waiting)
    }
    const { tags } = mapFound(connection, answer, { fields: [], zone })
    await job.step(async (ctx) => {
      await noteSuccess(ctx, connectionId)
      await keepAnswer(ctx, connection, { lookupId, key, outcome: answer.outcome, status: answer.httpStatus, ms, tags }, answer.record)
    })
    return { outcome: answer.outcome, tags }
  },
})

/** As long again as it has waited, so that a short outage is over soon and a long one is not hammered: a minute at least, an hour at most. */
const laterThan = ({ waitedSeconds }: Waiting) => new TryLater(Math.min(3600, Math.max(60, Math.round(waitedSeconds))))
