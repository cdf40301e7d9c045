import type { EventContext } from '../../kernel/context.ts'
import { type DecisionInput, decideSubmissions, informSubmittersOfDecision } from './decide.ts'
import { cancelSubmission, describeScheduledSession, scheduleSubmission, unscheduleSubmission } from './schedule.ts'
import { describeSubmission } from './submission-shape.ts'
import { lockSubmission, updateSubmission } from './submissions.ts'
import type { SubmissionRow } from './tables.ts'

/** Runs a change of one submission and returns the changed submission. */
export async function describeChangedSubmission(ctx: EventContext, change: Promise<Pick<SubmissionRow, 'number'>>) {
  const { number } = await change
  return { submission: await describeSubmission(ctx, number) }
}

const briefly = (rows: readonly SubmissionRow[]) => rows.map(({ number, status, pending }) => ({ number, status, pending }))

type Named<Input> = Input & { number: string }

export async function updateAndShowSubmission(ctx: EventContext, { number, ...edit }: Named<Parameters<typeof updateSubmission>[2]>) {
  const { row, changed } = await updateSubmission(ctx, number, edit)
  return { ...(await describeChangedSubmission(ctx, Promise.resolve(row))), changed }
}

export const decideAndShowSubmissions = async (
  ctx: EventContext,
  { decisions, force = false }: { decisions: readonly DecisionInput[]; force?: boolean | undefined },
) => ({
  submissions: briefly(await decideSubmissions(ctx, decisions, force)),
})

export async function informSubmittersAndShow(ctx: EventContext, input: Parameters<typeof informSubmittersOfDecision>[1]) {
  const { informed, ...counts } = await informSubmittersOfDecision(ctx, input)
  return { submissions: briefly(informed), ...counts }
}

export async function scheduleAndShowSubmission(ctx: EventContext, { number, ...slot }: Named<Parameters<typeof scheduleSubmission>[2]>) {
  const { row, session, conflicts } = await scheduleSubmission(ctx, number, slot)
  return { ...(await describeChangedSubmission(ctx, Promise.resolve(row))), session: describeScheduledSession(session), conflicts }
}

export async function unscheduleAndShowSubmission(ctx: EventContext, { number }: { number: string }) {
  const row = await lockSubmission(ctx, number)
  await unscheduleSubmission(ctx, row)
  return describeChangedSubmission(ctx, Promise.resolve(row))
}

export async function cancelAndShowSubmission(ctx: EventContext, { number, reason }: { number: string; reason: string }) {
  const { row, emails } = await cancelSubmission(ctx, number, reason)
  return { ...(await describeChangedSubmission(ctx, Promise.resolve(row))), queued: emails }
}
