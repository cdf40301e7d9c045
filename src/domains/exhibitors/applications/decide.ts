import type { ExhibitorContext } from '../context.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { APPLICATION_STATES } from '../states.ts'
import { requireNoOtherActiveApplication } from './edit.ts'
import { endOffer } from './offers.ts'
import { describeApplications, lockApplication } from './read.ts'

type Decision = 'under_review' | 'approved' | 'waitlisted' | 'rejected'

/** Moves a booth application to another state of its review. An open offer has to be ended with withdraw_offer first. */
export async function decideApplication(ctx: ExhibitorContext, number: string, to: Decision, note: string | undefined) {
  const { row, company } = await lockApplication(ctx, number)
  // An application returns from `offered` to `approved` only when its offer ends.
  if (row.status === 'offered') APPLICATION_STATES.move(row.status, 'rejected')
  if (row.status === 'rejected') await requireNoOtherActiveApplication(ctx, row, company)
  await changeRecordState(ctx, APPLICATION_STATES, row, to, {
    columns: note === undefined ? {} : { decision_note: note },
    audited: note === undefined ? {} : { note },
  })
  return { ...(await describeApplications(ctx, [number])), changed: ['status', ...(note === undefined ? [] : ['note'])] }
}

/** Withdraws the application of a company that no longer wants a booth. Booths that were offered become available. */
export async function withdrawApplication(ctx: ExhibitorContext, number: string, note: string | undefined) {
  const { row } = await lockApplication(ctx, number)
  if (row.status === 'offered') await endOffer(ctx, row, 'withdrawn')
  else
    await changeRecordState(ctx, APPLICATION_STATES, row, 'withdrawn', {
      columns: note === undefined ? {} : { decision_note: note },
      audited: note === undefined ? {} : { note },
    })
  ctx.effects.add('changes', `withdraw ${number}`, { application: number, status: 'withdrawn' })
  return { ...(await describeApplications(ctx, [number])), changed: ['status'] }
}
