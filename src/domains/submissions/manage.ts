import type { EventContext } from '../../kernel/context.ts'
import { type DecisionInput, decideSubmissions, informSubmitters } from './decide.ts'
import { cancelSubmission, describeSession, scheduleSubmission, unscheduleSubmission } from './schedule.ts'
import { describeSubmission } from './submission-shape.ts'
import { lockSubmission, updateSubmission } from './submissions.ts'
import type { SubmissionRow } from './tables.ts'

/** Runs a change of one submission and returns the changed submission. */
export async function showChangedSubmission(ctx: EventContext, change: Promise<Pick<SubmissionRow, 'number'>>) {
  const { number } = await change
  return { submission: await describeSubmission(ctx, number) }
}

const briefly = (rows: readonly SubmissionRow[]) => rows.map(({ number, status, pending }) => ({ number, status, pending }))

type Named<Input> = Input & { number: string }

export async function updateAndShowSubmission(ctx: EventContext, { number, ...edit }: Named<Parameters<typeof updateSubmission>[2]>) {
  const { row, changed } = await updateSubmission(ctx, number, edit)
  return { ...(await showChangedSubmission(ctx, Promise.resolve(row))), changed }
}

export const decideAndShow = async (
  ctx: EventContext,
  { decisions, force = false }: { decisions: readonly DecisionInput[]; force?: boolean | undefined },
) => ({
  submissions: briefly(await decideSubmissions(ctx, decisions, force)),
})

export async function informAndShow(ctx: EventContext, input: Parameters<typeof informSubmitters>[1]) {
  const { informed, ...counts } = await informSubmitters(ctx, input)
  return { submissions: briefly(informed), ...counts }
}

export async function scheduleAndShow(ctx: EventContext, { number, ...slot }: Named<Parameters<typeof scheduleSubmission>[2]>) {
  const { row, session, conflicts } = await scheduleSubmission(ctx, number, slot)
  return { ...(await showChangedSubmission(ctx, Promise.resolve(row))), session: describeSession(session), conflicts }
}

export async function unscheduleAndShow(ctx: EventContext, { number }: { number: string }) {
  const row = await lockSubmission(ctx, number)
  await unscheduleSubmission(ctx, row)
  return showChangedSubmission(ctx, Promise.resolve(row))
}

export async function cancelAndShow(ctx: EventContext, { number, reason }: { number: string; reason: string }) {
  const { row, emails } = await cancelSubmission(ctx, number, reason)
  return { ...(await showChangedSubmission(ctx, Promise.resolve(row))), queued: emails }
}
