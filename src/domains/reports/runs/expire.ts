import { changeRecordState } from '../../../kernel/states.ts'
import type { RecurringTask } from '../../../kernel/recurring.ts'
import { sql } from 'kysely'
import { deleteFile } from '../../files/files.ts'
import { findReportRun } from './runs.ts'
import { REPORT_RUN_STATES } from './states.ts'

const MAX_RUNS_PER_SLOT = 1000

/** Deletes the files of report runs after 7 days. The runs themselves are kept. */
export const expireReportRuns: RecurringTask = {
  name: 'expire-report-runs',
  schedule: { everySeconds: 600 },
  async run({ transact, commitEach }) {
    const due = await transact((db) =>
      db
        .selectFrom('report_runs')
        .select(['tenant_id as tenantId', 'event_id as eventId', 'id'])
        .where('status', '=', 'done')
        .where('expires_at', '<=', sql<Date>`lanyard_now()`)
        .orderBy('expires_at')
        .limit(MAX_RUNS_PER_SLOT)
        .execute(),
    )
    await commitEach(due, async (ctx, { id }) => {
      const run = await findReportRun(ctx, id, { lock: true })
      if (run?.status !== 'done' || run.file_id === null) return
      await changeRecordState(ctx, REPORT_RUN_STATES, run, 'expired', { columns: { file_id: null } })
      await deleteFile(ctx, { fileId: run.file_id })
    })
  },
}
