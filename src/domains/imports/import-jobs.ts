import { Readable } from 'node:stream'
import { z } from 'zod'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import { defineJob, enqueueJob, type JobRunContext } from '../../kernel/jobs.ts'
import { createFile } from '../files/files.ts'
import { storeUpload } from '../files/upload.ts'
import { streamErrorCsv } from './error-file.ts'
import { type ImportedSheet, importSheets } from './import-sheets.ts'
import { countParticipantsNotInFile } from './known-rows.ts'
import { deleteRowErrors, rememberPlannedIdentities, sumImportedOrderAmounts, loadImportRunState } from './run-state.ts'
import { findImportRun, createImportRunCounts, updateImportRun, type ImportRunCounts } from './runs.ts'
import { getImportSetup, openImportSetupSheets } from './setups.ts'

const input = z.object({ runId: z.string() })

/**
 * Imports many rows in batches. Each batch commits with its counts and position, so that the job resumes after the last committed batch.
 */
export const runImportJob = defineJob({
  name: 'run-imports',
  scope: 'event',
  exclusivePerEvent: true,
  input,
  async run(job, { runId }) {
    const opened = await job.step(async (ctx) => {
      const run = (await findImportRun(ctx, runId))!
      if (run.status === 'done' || run.status === 'failed') return null
      const setup = await getImportSetup(ctx, run.setup_id)
      const state = await loadImportRunState(ctx, run, setup)
      // A dry run keeps its progress only in memory, so after an interruption it starts again at the first row.
      if (run.status === 'queued' || run.dry_run) {
        state.counts = { ...createImportRunCounts(), money: await sumImportedOrderAmounts(ctx, state.isTest) }
        await deleteRowErrors(ctx, runId)
        await updateImportRun(ctx, runId, { status: 'running', counts: state.counts })
      }
      return {
        state: run.dry_run ? { ...state, run: { ...run, position: null } } : state,
        at: { tenantId: ctx.tenantId, client: ctx.client, event: ctx.event },
      }
    })
    if (!opened) return { runId }
    const { state, at } = opened
    const total = state.setup.proposal.sheets.reduce((sum, { rows }) => sum + rows, 0)
    try {
      const sheets = await openImportSetupSheets({ ...at, db: job.db, files: job.files }, state.setup)
      const planned = state.setup.proposal.sheets.map((sheet): ImportedSheet => ({
        ...sheet,
        read: () => sheets.find(({ name }) => name === sheet.name)!.rows(),
      }))
      const stopped = await importSheets(state, planned, async (batch) => {
        const { counts, identities } = await job.step(batch)
        state.counts = counts
        rememberPlannedIdentities(state, identities)
        await job.progress(counts.rows + counts.payments.rows, total)
      })
      await finishRun(job, runId, async (ctx) => ({
        ...state.counts,
        notInFile: await countParticipantsNotInFile(ctx, state),
        ...(stopped === null ? {} : { stopped }),
      }))
    } catch (error) {
      // An error in the imported file ends the run with its message. After any other error, the job is retried.
      if (!(error instanceof AppError)) throw error
      await finishRun(job, runId, () => Promise.resolve({ ...state.counts, stopped: error.message }))
    }
    return { runId }
  },
})

async function finishRun(
  job: JobRunContext<'event'>,
  runId: string,
  counted: (ctx: EventContext) => Promise<ImportRunCounts>,
): Promise<void> {
  await job.step(async (ctx) => {
    const counts = await counted(ctx)
    const status = counts.stopped === undefined ? 'done' : 'failed'
    await updateImportRun(ctx, runId, { status, counts, finished: true })
    const { rows, created, updated, errors } = counts
    recordChange(ctx, { kind: 'import run', id: runId, after: { status, rows, created, updated, errors } })
    if (counts.noted > 0) await enqueueJob(ctx, writeImportErrorsJob, { runId }, { eventId: ctx.event.id })
  })
}

/** Writes all errors of a run to a CSV file that users can correct and import again. */
export const writeImportErrorsJob = defineJob({
  name: 'write-import-errors',
  scope: 'event',
  input,
  async run(job, { runId }) {
    const at = await job.step(async (ctx) => {
      const run = await findImportRun(ctx, runId)
      return run === null || run.error_file_id !== null ? null : { tenantId: ctx.tenantId, event: ctx.event, isTest: run.mode === 'test' }
    })
    if (!at) return { runId }
    const stored = await storeUpload(
      { db: job.db, files: job.files, log: job.log },
      {
        tenantId: at.tenantId,
        purpose: 'export',
        name: `import-errors-${runId}.csv`,
        content: Readable.from(streamErrorCsv({ ...at, db: job.db }, runId), { objectMode: false }),
      },
    )
    await job.step(async (ctx) => {
      const file = await createFile(ctx, stored, {
        clientId: ctx.client.id,
        eventId: ctx.event.id,
        owner: { kind: 'import run', id: runId },
        isTestData: at.isTest,
      })
      await updateImportRun(ctx, runId, { errorFileId: file.id })
    })
    return { runId }
  },
})
