import { recordChange } from '../../kernel/audit.ts'
import { conflict } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import type { HousingContext } from '../housing/context.ts'
import { lockRfp } from './rfps.ts'
import type { AttachedRubric, RfpRow } from './tables.ts'

/** Returns the time from which the rubric is locked: the due time if responses are sealed, otherwise the first submission. */
export const getRubricLockTime = ({ sealed, response_due_at, first_submitted_at }: RfpRow): Date | null =>
  sealed ? response_due_at : first_submitted_at

/** Copies a rubric to an RFP. Rejected if the rubric is locked or the RFP has ended. */
export async function attachRubric(ctx: HousingContext, rfpId: string, rubric: AttachedRubric, now: Date): Promise<RfpRow> {
  const rfp = await lockRfp(ctx, rfpId)
  const lockedAt = getRubricLockTime(rfp)
  if (lockedAt !== null && lockedAt <= now) throw conflict(`The rubric of ${rfp.number} is locked since ${formatInstant(lockedAt)}`)
  if (rfp.status === 'awarded' || rfp.status === 'cancelled') throw conflict(`${rfp.number} is ${rfp.status}: its rubric cannot change`)
  await eventDb(ctx)
    .updateTable('rfps')
    .set({ rubric: JSON.stringify(rubric) })
    .where('id', '=', rfpId)
    .execute()
  recordChange(ctx, { kind: 'rfp', id: rfpId, before: { rubric: rfp.rubric }, after: { rubric } })
  return { ...rfp, rubric }
}
