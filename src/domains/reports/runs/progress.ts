import { AppError } from '../../../kernel/errors.ts'
import type { JobRunContext } from '../../../kernel/jobs.ts'
import type { RowProgressCallbacks } from './render-run.ts'
import { findReportRun } from './runs.ts'
import type { ReportRunRow } from './tables.ts'

const REPORT_EVERY_MS = 1000

/**
 * Reports the number of rows that a run has written (how many there will be is unknown), and stops the run after it was cancelled. A timer
 * does both, because no statement may run in the snapshot while rows are read from it.
 */
export async function reportProgressWhileWriting<T>(
  job: JobRunContext<'event'>,
  run: ReportRunRow,
  write: (progress: RowProgressCallbacks) => Promise<T>,
): Promise<T> {
  let rows = 0
  let isCancelled = false
  let reporting: Promise<void> | null = null
  const at = { db: job.db, tenantId: run.tenant_id, event: { id: run.event_id } }
  const report = async () => {
    await job.progress(rows, null)
    const current = await findReportRun(at, run.id)
    isCancelled = current?.status !== 'running'
  }
  const timer = setInterval(() => {
    reporting ??= report()
      .catch(() => {})
      .finally(() => (reporting = null))
  }, REPORT_EVERY_MS)
  try {
    return await write({
      onRow() {
        if (isCancelled) throw new AppError('conflict', 'The run was cancelled')
        rows++
      },
    })
  } finally {
    clearInterval(timer)
    await Promise.resolve(reporting)
  }
}
