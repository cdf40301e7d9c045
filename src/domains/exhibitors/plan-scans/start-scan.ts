import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { type AppError, conflict, preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { enqueueJob, getJob } from '../../../kernel/jobs.ts'
import { eventDb, tenantDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { getFile } from '../../files/files.ts'
import type { FloorPlanRow } from '../floor/floor-plans.ts'
import { FLOOR_PLAN_SCAN_STATES } from '../states.ts'
import { createFileLimitError, MAX_SOURCE_FILE_BYTES } from './source-drawing.ts'
import { scanFloorPlanJob } from './scan-job.ts'
import { findFloorPlanFileKind } from './source-kinds.ts'

/** The options of a floor plan scan that a caller can choose. */
export interface FloorPlanScanOptions {
  fileId?: string | undefined
  page?: number | undefined
  kinds?: readonly string[] | undefined
  layers?: readonly string[] | undefined
  languages?: readonly string[] | undefined
  useModel?: boolean | undefined
}

export interface StartedScan {
  scanId: string
  jobId: string
  status: 'queued' | 'done'
  reused?: true
}

/**
 * Starts reading the source file of a floor plan in the background. If the same file was read before with the same options, returns that
 * scan.
 */
export async function startFloorPlanScan(
  ctx: EventContext,
  plan: Pick<FloorPlanRow, 'id' | 'code' | 'source_file_id'>,
  choice: FloorPlanScanOptions = {},
): Promise<StartedScan> {
  const fileId = choice.fileId ?? plan.source_file_id
  if (fileId === null) throw preconditionFailed(`Floor plan ${plan.code} has no source file. Name one with fileId`)
  const file = await getFile(ctx, { fileId, eventId: ctx.event.id, purpose: 'floorPlan' })
  const kind = findFloorPlanFileKind(file.mime)
  if (!kind) throw preconditionFailed('Floor plans are read from SVG, DXF (ASCII), PDF, PNG and JPEG files')
  if (file.size > MAX_SOURCE_FILE_BYTES) throw createFileLimitError('A floor plan file has at most 25 MB')
  const options = {
    kind,
    page: choice.page ?? 1,
    kinds: choice.kinds?.toSorted() ?? null,
    layers: choice.layers?.toSorted() ?? null,
    languages: (choice.languages ?? (await listLocales(ctx))).toSorted(),
    ...(choice.useModel ? { useModel: true } : {}),
  }
  const known = await findFinishedScan(ctx, plan.id, file.sha256, options)
  if (known) return { scanId: known.id, jobId: known.job_id!, status: 'done', reused: true }
  await failAbandonedScan(ctx, plan.id)
  const id = newId()
  const inserted = await ctx.db
    .insertInto('floor_plan_scans')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      floor_plan_id: plan.id,
      file_id: file.id,
      sha256: file.sha256,
      options: JSON.stringify(options),
    })
    .onConflict((c) =>
      c
        .columns(['tenant_id', 'event_id', 'floor_plan_id'])
        // The statuses are literals in the SQL text, because PostgreSQL does not match parameters with the condition of a partial index.
        .where(sql<boolean>`status in ('queued', 'running')`)
        .doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  if (!inserted) throw await describeRunning(ctx, plan)
  const { jobId, status } = await enqueueJob(ctx, scanFloorPlanJob, { scanId: id }, { eventId: ctx.event.id })
  await eventDb(ctx).updateTable('floor_plan_scans').set({ job_id: jobId }).where('id', '=', id).execute()
  recordChange(ctx, { kind: 'floorPlanScan', id, after: { floorPlan: plan.code, fileId: file.id } })
  return { scanId: id, jobId, status }
}

const listLocales = async (ctx: EventContext): Promise<readonly string[]> =>
  (await tenantDb(ctx).selectFrom('events').select('locales').where('id', '=', ctx.event.id).executeTakeFirstOrThrow()).locales

const selectScans = (ctx: EventContext, planId: string) => eventDb(ctx).selectFrom('floor_plan_scans').where('floor_plan_id', '=', planId)

const findFinishedScan = (ctx: EventContext, planId: string, sha256: string, options: object) =>
  selectScans(ctx, planId)
    .select(['id', 'job_id'])
    .where('status', '=', 'done')
    .where('sha256', '=', sha256)
    .where(sql<boolean>`options = ${JSON.stringify(options)}::jsonb`)
    .orderBy('id', 'desc')
    .executeTakeFirst()

const findRunningScan = (ctx: EventContext, planId: string) =>
  selectScans(ctx, planId).select(['id', 'job_id', 'status']).where('status', 'in', ['queued', 'running']).executeTakeFirst()

/** Marks a scan as failed if its background job has failed or was cancelled. Otherwise the plan could never be scanned again. */
async function failAbandonedScan(ctx: EventContext, planId: string): Promise<void> {
  const running = await findRunningScan(ctx, planId)
  if (!running?.job_id) return
  const { status } = await getJob(ctx, { jobId: running.job_id, name: scanFloorPlanJob.name, eventId: ctx.event.id })
  if (status === 'failed')
    await changeRecordState(ctx, FLOOR_PLAN_SCAN_STATES, running, 'failed', { columns: { error: 'The scan was stopped' } })
}

async function describeRunning(ctx: EventContext, plan: Pick<FloorPlanRow, 'id' | 'code'>): Promise<AppError> {
  const running = await findRunningScan(ctx, plan.id)
  const scan = running ? `scan ${running.id}` : 'another scan'
  const message = `Floor plan ${plan.code} is being read by ${scan}. Wait until it has finished`
  return conflict(message, running ? { fix: { tool: 'get_floor_plan_scan', arguments: { scanId: running.id }, here: true } } : {})
}
