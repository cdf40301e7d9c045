import { sql } from 'kysely'
import { z } from 'zod'
import type { EventContext } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import { defineJob, type JobRunContext } from '../../../kernel/jobs.ts'
import { LeaseLostError } from '../../../kernel/lease.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { deleteUpload } from '../../files/upload.ts'
import { writeExport } from '../export/write-export.ts'
import { finishRun } from './finish-run.ts'
import { sendReportRunEmails } from './email-recipients.ts'
import { toRequesterContext, PERMISSION_WITHDRAWN_MESSAGE } from './requester.ts'
import { reportProgressWhileWriting } from './progress.ts'
import { writeReportRunFile, type WrittenReportFile } from './render-run.ts'
import { findReportRun } from './runs.ts'
import { REPORT_RUN_STATES } from './states.ts'
import type { ReportRunRow } from './tables.ts'

/**
 * Writes a report or an export to a file and emails it. A restarted job starts from the first row; for a finished run it only sends missing
 * emails.
 */
export const runReportJob = defineJob({
  name: 'run-report',
  scope: 'event',
  input: z.object({ runId: z.string() }),
  async run(job, { runId }) {
    const begun = await job.step((ctx) => beginRun(ctx, runId))
    if (begun === null) return { runId }
    if (begun.run.status === 'running' && !(await writeRun(job, begun))) return { runId }
    await sendReportRunEmails(job, runId)
    return { runId }
  },
})

interface BegunRun {
  run: ReportRunRow
  /** Returns a context with the requester's current permissions and a database connection outside a transaction. */
  requester: (job: JobRunContext<'event'>) => EventContext
}

/** Starts the report run, unless it has ended or its requester may no longer run the report. */
async function beginRun(ctx: EventContext, runId: string): Promise<BegunRun | null> {
  const run = await findReportRun(ctx, runId, { lock: true })
  if (!run || ['failed', 'cancelled', 'expired'].includes(run.status)) return null
  if (run.status === 'done') return { run, requester: () => ctx }
  if (!ctx.client.active) {
    await changeRecordState(ctx, REPORT_RUN_STATES, run, 'cancelled', {
      columns: { error: 'The client was switched off', finished_at: sql`lanyard_now()` },
    })
    return null
  }
  const requester = await toRequesterContext(ctx, run)
  if (!requester) {
    await failRun(ctx, run, PERMISSION_WITHDRAWN_MESSAGE)
    return null
  }
  const moved = await changeRecordState(ctx, REPORT_RUN_STATES, run, 'running')
  return { run: moved, requester: ({ db }) => ({ ...requester, db }) }
}

/** How many times longer a database statement for a report file may take than one for a tool call, because no caller waits for the file. */
const TIMES_AS_LONG = 60
/** The disk space that PostgreSQL may use to sort one report file, which may have a million rows. */
const TEMPORARY_FILES_MB = 20_000

const withLongLimit = (ctx: EventContext): EventContext => ({
  ...ctx,
  queryLimits: { ...ctx.queryLimits, timeoutMs: ctx.queryLimits.timeoutMs * TIMES_AS_LONG, temporaryFilesMb: TEMPORARY_FILES_MB },
})

/** Writes the file and finishes the report run. Returns false if the run failed or was cancelled; its partial file is then deleted. */
async function writeRun(job: JobRunContext<'event'>, { run, requester }: BegunRun): Promise<boolean> {
  const target = { db: job.db, files: job.files, log: job.log }
  let written: WrittenReportFile
  try {
    const ctx = withLongLimit(requester(job))
    const write = run.kind === 'export' ? writeExport : writeReportRunFile
    written = await reportProgressWhileWriting(job, run, (progress) => write(ctx, run, { target, progress }))
  } catch (error) {
    if (error instanceof LeaseLostError) throw error
    if (!(error instanceof AppError))
      job.log.error('report run failed', { job: job.jobId, error: (error as Error).message, stack: (error as Error).stack ?? '' })
    const reason = error instanceof AppError ? error.message : 'The file could not be written'
    await job.step(async (ctx) => {
      const current = await findReportRun(ctx, run.id, { lock: true })
      if (current?.status === 'running') await failRun(ctx, current, reason)
    })
    return false
  }
  const isDone = await job.step(async (ctx) => {
    const current = await findReportRun(ctx, run.id, { lock: true })
    if (current?.status !== 'running') return false
    const allowed = await toRequesterContext(ctx, current, written.rendered.needs)
    if (allowed) await finishRun(ctx, current, written)
    else await failRun(ctx, current, PERMISSION_WITHDRAWN_MESSAGE)
    return allowed !== null
  })
  if (!isDone) await deleteUpload(target, written.stored)
  return isDone
}

const failRun = (ctx: EventContext, run: ReportRunRow, error: string) =>
  changeRecordState(ctx, REPORT_RUN_STATES, run, 'failed', { columns: { error, finished_at: sql`lanyard_now()` }, audited: { error } })
