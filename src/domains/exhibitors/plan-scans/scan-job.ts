import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import { id } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import { defineJob, type JobRunContext, RetryJobLaterError } from '../../../kernel/jobs.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { openFile } from '../../files/files.ts'
import { computeBoundingBox } from '../floor/polygons.ts'
import { FLOOR_PLAN_SCAN_STATES } from '../states.ts'
import { scanFloorPlanInThread } from './run-in-thread.ts'
import type { FloorPlanScanRequest, FloorPlanScanResult } from './scan-file.ts'
import type { ScanWarning } from './source-drawing.ts'

/** The scan options, as stored in the JSON column `options` of a floor plan scan. */
type StoredOptions = Omit<FloorPlanScanRequest, 'units' | 'outlineSize'> & { useModel?: true }

/**
 * Whether a scan is running in this process. A scan may use much memory, so each process runs one at a time. The job of another scan is
 * retried later instead of occupying a job slot.
 */
let scanning = false
const BUSY_RETRY_SECONDS = 3

/** Reads the source file of a plan in a background job: outside of any transaction, in a separate thread. */
export const scanFloorPlanJob = defineJob({
  name: 'scan-floor-plan',
  scope: 'event',
  input: z.object({ scanId: id() }),
  async run(job, { scanId }) {
    if (scanning) throw new RetryJobLaterError(BUSY_RETRY_SECONDS)
    scanning = true
    try {
      await runScan(job, scanId)
      return { scanId }
    } finally {
      scanning = false
    }
  },
})

async function runScan(job: JobRunContext<'event'>, scanId: string): Promise<void> {
  const opened = await job.step((ctx) => openScan(ctx, scanId))
  if (!opened) return
  const bytes = await buffer(await openFile(job.files, opened.file))
  let outcome: FloorPlanScanResult | AppError
  try {
    outcome = await scanFloorPlanInThread(bytes, opened.request, {
      log: job.log,
      // A progress report that fails is not repeated, because the next one replaces it.
      progress: (percent) => void job.progress(percent, 100).catch(() => {}),
    })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    outcome = error
  }
  await job.step((ctx) => finishScan(ctx, scanId, outcome, opened.warnings))
}

interface OpenedScan {
  file: { tenantId: number; id: string }
  request: FloorPlanScanRequest
  warnings: ScanWarning[]
}

const selectScan = (ctx: EventContext, scanId: string) => eventDb(ctx).selectFrom('floor_plan_scans').selectAll().where('id', '=', scanId)

/** Marks the scan as running. Null if the scan has ended. A scan that is running already was interrupted, and starts again. */
async function openScan(ctx: EventContext, scanId: string): Promise<OpenedScan | null> {
  const scan = await selectScan(ctx, scanId).executeTakeFirst()
  if (!scan || FLOOR_PLAN_SCAN_STATES.terminal.includes(scan.status)) return null
  if (scan.status === 'queued') await changeRecordState(ctx, FLOOR_PLAN_SCAN_STATES, scan, 'running')
  const plan = await eventDb(ctx)
    .selectFrom('floor_plans')
    .select(['units', 'outline'])
    .where('id', '=', scan.floor_plan_id)
    .executeTakeFirstOrThrow()
  const { useModel, ...options } = scan.options as unknown as StoredOptions
  const { outer, fromSource } = plan.outline
  const box = outer.length >= 3 && !fromSource ? computeBoundingBox(outer) : null
  return {
    file: { tenantId: ctx.tenantId, id: scan.file_id },
    request: { ...options, units: plan.units, outlineSize: box && { width: box.right - box.left, height: box.top - box.bottom } },
    // The configured language model reads text only, so it cannot look at a drawing.
    warnings: useModel ? ['model_not_used'] : [],
  }
}

async function finishScan(
  ctx: EventContext,
  scanId: string,
  outcome: FloorPlanScanResult | AppError,
  warnings: readonly ScanWarning[],
): Promise<void> {
  const scan = await selectScan(ctx, scanId).executeTakeFirst()
  if (scan?.status !== 'running') return
  if (outcome instanceof AppError) {
    await changeRecordState(ctx, FLOOR_PLAN_SCAN_STATES, scan, 'failed', { columns: { error: `${outcome.code}: ${outcome.message}` } })
    return
  }
  await changeRecordState(ctx, FLOOR_PLAN_SCAN_STATES, scan, 'done', {
    columns: {
      findings: JSON.stringify(outcome.findings),
      scale: JSON.stringify(outcome.scale),
      warnings: [...outcome.warnings, ...warnings],
      progress: JSON.stringify({ done: 100, total: 100 }),
    },
    audited: { findings: outcome.findings.length },
  })
}
