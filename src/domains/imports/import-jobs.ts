import { Readable } from 'node:stream'
import { z } from 'zod'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import { defineJob, enqueueJob, type JobRun } from '../../kernel/jobs.ts'
import { createFile } from '../files/files.ts'
import { storeUpload } from '../files/upload.ts'
import { errorLines } from './error-file.ts'
import { type ImportedSheet, importSheets } from './import-sheets.ts'
import { countUnseen } from './known-rows.ts'
import { forgetErrors, moneySoFar, openRun } from './run-state.ts'
import { findRun, noCounts, noteRun, type RunCounts } from './runs.ts'
import { getSetup, openSetupSheets } from './setups.ts'

const input = z.object({ runId: z.string() })

/** A run of many rows, batch by batch: each is kept with what it counted, so whoever goes on after a stop knows where. */
export const runImportJob = defineJob({
  name: 'run-imports',
  scope: 'event',
  oneAtATime: true,
  input,
  async run(job, { runId }) {
    const opened = await job.step(async (ctx) => {
      const run = (await findRun(ctx, runId))!
      if (run.status === 'done' || run.status === 'failed') return null
      const setup = await getSetup(ctx, run.setup_id)
      const state = await openRun(ctx, run, setup)
      // What a dry run met before a stop was only in memory: it begins again.
      if (run.status === 'queued' || run.dry_run) {
        state.counts = { ...noCounts(), money: await moneySoFar(ctx, state.isTest) }
        await forgetErrors(ctx, runId)
        await noteRun(ctx, runId, { status: 'running', counts: state.counts })
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
      const sheets = await openSetupSheets({ ...at, db: job.db, files: job.files }, state.setup)
      const planned = state.setup.proposal.sheets.map((sheet): ImportedSheet => ({
        ...sheet,
        read: () => sheets.find(({ name }) => name === sheet.name)!.rows(),
      }))
      const stopped = await importSheets(state, planned, async (batch) => {
        const { counts, met } = await job.step(batch)
        state.counts = counts
        if (state.run.dry_run) for (const one of met) state.planned.add(one)
        await job.progress(counts.rows + counts.payments.rows, total)
      })
      await end(job, runId, async (ctx) => ({
        ...state.counts,
        notInFile: await unseen(ctx, state),
        ...(stopped === null ? {} : { stopped }),
      }))
    } catch (error) {
      // What the file itself says wrong is told; anything else is tried again.
      if (!(error instanceof AppError)) throw error
      await end(job, runId, () => Promise.resolve({ ...state.counts, stopped: error.message }))
    }
    return { runId }
  },
})

const unseen = async (ctx: EventContext, state: Parameters<typeof countUnseen>[1]) =>
  state.run.dry_run ? Math.max(0, (await countUnseen(ctx, state)) - state.counts.unchanged - state.counts.updated) : countUnseen(ctx, state)

async function end(job: JobRun<'event'>, runId: string, counted: (ctx: EventContext) => Promise<RunCounts>): Promise<void> {
  await job.step(async (ctx) => {
    const counts = await counted(ctx)
    const status = counts.stopped === undefined ? 'done' : 'failed'
    await noteRun(ctx, runId, { status, counts, finished: true })
    const { rows, created, updated, errors } = counts
    recordChange(ctx, { kind: 'import run', id: runId, after: { status, rows, created, updated, errors } })
    if (counts.noted > 0) await enqueueJob(ctx, writeErrorsJob, { runId }, { eventId: ctx.event.id })
  })
}

/** All errors of a run as a sheet that can be mended and imported again. */
export const writeErrorsJob = defineJob({
  name: 'write-import-errors',
  scope: 'event',
  input,
  async run(job, { runId }) {
    const at = await job.step(async (ctx) => {
      const run = await findRun(ctx, runId)
      return run === null || run.error_file_id !== null ? null : { tenantId: ctx.tenantId, event: ctx.event, isTest: run.mode === 'test' }
    })
    if (!at) return { runId }
    const stored = await storeUpload(
      { db: job.db, files: job.files, log: job.log },
      {
        tenantId: at.tenantId,
        purpose: 'export',
        name: `import-errors-${runId}.csv`,
        content: Readable.from(errorLines({ ...at, db: job.db }, runId), { objectMode: false }),
      },
    )
    await job.step(async (ctx) => {
      const file = await createFile(ctx, stored, {
        clientId: ctx.client.id,
        eventId: ctx.event.id,
        owner: { kind: 'import run', id: runId },
        isTestData: at.isTest,
      })
      await noteRun(ctx, runId, { errorFileId: file.id })
    })
    return { runId }
  },
})
