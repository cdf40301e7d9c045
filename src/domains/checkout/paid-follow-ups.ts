import { z } from 'zod'
import type { EventContext } from '../../kernel/context.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { AppError } from '../../kernel/errors.ts'
import { defineJob, enqueueJob, RetryJobLaterError } from '../../kernel/jobs.ts'
import { LeaseLostError } from '../../kernel/lease.ts'
import { runIsolatedInSavepoint } from '../../kernel/savepoint.ts'
import { CHARGE_PROBLEM_SEPARATOR, replaceChargeProblem } from '../payments/charges.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import {
  COMPLETION_FOLLOW_UPS,
  type CompletionFollowUp,
  readCompletionFollowUpData,
  runCompletionFollowUp,
} from './completion-follow-ups.ts'

const NAMES: Readonly<Record<CompletionFollowUp, string>> = {
  confirmation: 'the confirmation email',
  invitation: 'the invitation',
  group: 'the leader of the group',
  visit: 'the visit',
  booth: 'the booth application',
  waitlist: 'the waiting list',
  hotels: 'the other hotels on the waiting list',
  duplicates: 'the cancellation of duplicates',
}

/**
 * Describes the failure of a follow-up for the organizer. Only the message of an `AppError` is included; other messages may contain
 * personal data and are only logged.
 */
function describeFailure(followUp: CompletionFollowUp, error: Error): string {
  const reason = error instanceof AppError ? error.message.replaceAll(CHARGE_PROBLEM_SEPARATOR, ', ') : 'internal error'
  return `The registration is complete, but ${NAMES[followUp]} could not be saved (${reason}) and is retried`
}

/**
 * Runs the follow-up tasks of a paid registration. A task that fails is undone and retried alone by a job, because the payment must be
 * settled in any case. Returns a sentence for each failure.
 */
export async function runFollowUpsAfterPayment(ctx: EventContext, participant: ParticipantRow, chargeId: string): Promise<string[]> {
  const problems: string[] = []
  const left = await readCompletionFollowUpData(ctx, participant.id)
  for (const followUp of COMPLETION_FOLLOW_UPS) {
    const { refused } = await runIsolatedInSavepoint(ctx, () => runCompletionFollowUp(ctx, followUp, participant, left))
    if (!refused) continue
    const problem = describeFailure(followUp, refused)
    const since = (await getDatabaseTime(ctx)).toISOString()
    const input = { participantId: participant.id, followUp, chargeId, problem, since }
    await enqueueJob(ctx, retryFollowUpTaskJob, input, { eventId: ctx.event.id })
    problems.push(problem)
  }
  return problems
}

const MIN_RETRY_SECONDS = 60
const MAX_RETRY_SECONDS = 3600
/** How long a failed follow-up task is retried, so that an organizer can remove the cause, such as a company code that is taken. */
const MAX_AGE_SECONDS = 14 * 24 * 3600

/** The background job that retries a failed task of a paid registration. When it succeeds, the job removes the error flag of the charge. */
export const retryFollowUpTaskJob = defineJob({
  name: 'retry_follow_up',
  scope: 'event',
  input: z.object({
    participantId: z.string(),
    followUp: z.enum(COMPLETION_FOLLOW_UPS),
    chargeId: z.string(),
    problem: z.string(),
    since: z.string(),
  }),
  async run(job, { participantId, followUp, chargeId, problem, since }) {
    try {
      return await job.step(async (ctx: EventContext) => {
        const participant = await getParticipant(ctx, participantId)
        const isNeeded = participant.status === 'complete'
        if (isNeeded) await runCompletionFollowUp(ctx, followUp, participant, await readCompletionFollowUpData(ctx, participantId))
        await replaceChargeProblem(ctx, chargeId, problem)
        return { done: isNeeded }
      })
    } catch (error) {
      if (error instanceof LeaseLostError) throw error
      job.log.error('follow-up of a payment failed', { job: job.jobId, name: followUp, error: (error as Error).message })
      const age = await job.step(async (ctx: EventContext) => ((await getDatabaseTime(ctx)).getTime() - Date.parse(since)) / 1000)
      if (age < MAX_AGE_SECONDS) throw new RetryJobLaterError(Math.min(Math.max(age, MIN_RETRY_SECONDS), MAX_RETRY_SECONDS))
      await job.step((ctx: EventContext) => replaceChargeProblem(ctx, chargeId, problem, problem.replace(/ and is retried$/, '')))
      return { done: false }
    }
  },
})
