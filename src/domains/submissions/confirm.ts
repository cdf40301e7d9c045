import { sql } from 'kysely'
import { preconditionFailed } from '../../kernel/errors.ts'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { changeRecordState } from '../../kernel/states.ts'
import type { SessionContext } from '../sessions/context.ts'
import { SUBMISSION_STATES } from './states.ts'
import { unscheduleSubmission } from './schedule.ts'
import { lockSubmission } from './submissions.ts'
import type { SubmissionRow } from './tables.ts'

async function isOverdue({ db }: SessionContext, { confirm_by }: SubmissionRow): Promise<boolean> {
  const { rows } = await sql<{ late: boolean }>`select coalesce(${confirm_by}::timestamptz < lanyard_now(), false) as late`.execute(db)
  return rows[0]!.late
}

/**
 * Confirms that the speakers of an accepted submission will speak. With `inTime`, throws if the deadline to confirm has passed. A repeated
 * confirmation changes nothing.
 */
export async function confirmSubmission(ctx: SessionContext, number: string, { inTime = false } = {}): Promise<SubmissionRow> {
  const row = await lockSubmission(ctx, number)
  if (row.status === 'confirmed') return row
  if (inTime && row.status === 'accepted' && (await isOverdue(ctx, row)))
    throw preconditionFailed(`The deadline to confirm ${row.number} has passed.`)
  return changeRecordState(ctx, SUBMISSION_STATES, row, 'confirmed')
}

/** Declines an accepted submission on behalf of its speakers. A scheduled session loses its time and room. */
export async function declineSubmission(
  ctx: SessionContext,
  number: string,
  reason: 'declined' | 'lapsed' = 'declined',
): Promise<SubmissionRow> {
  const row = await lockSubmission(ctx, number)
  if (row.status === 'rejected') return row
  const moved = await changeRecordState(ctx, SUBMISSION_STATES, row, 'rejected', { audited: { reason } })
  await unscheduleSubmission(ctx, row)
  return moved
}

/** Marks accepted submissions as lapsed if they were not confirmed in time, which releases their slots. */
export const lapseUnconfirmedSubmissions: RecurringTask = {
  name: 'lapse-submissions',
  schedule: { everySeconds: 300 },
  async run({ transact, commitEach }) {
    const due = await transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; eventId: string; number: string }>`
        select tenant_id as "tenantId", event_id as "eventId", number from submissions
        where status = 'accepted' and confirm_by < lanyard_now() order by confirm_by limit 500 /* reads the rows of all tenants */`.execute(
        db,
      )
      return rows
    })
    await commitEach(due, async (ctx, { number }) => {
      const row = await lockSubmission(ctx, number)
      if (row.status === 'accepted' && (await isOverdue(ctx, row))) await declineSubmission(ctx, number, 'lapsed')
    })
  },
}
