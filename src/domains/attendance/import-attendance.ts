import { z } from 'zod'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { groupErrorsByKind } from '../../kernel/error-kinds.ts'
import { newId } from '../../kernel/ids.ts'
import { defineJob, enqueueJob, getJob } from '../../kernel/jobs.ts'
import { readDoorRules } from './door-rules.ts'
import type { OfflineScanRow } from './import-rows.ts'
import { type ImportCounts, importScans, createImportCounts } from './import-scans.ts'

/** Number of rows per step of the background job. Imports with fewer rows run within the call. */
const ROWS_PER_STEP = 5000
/** Maximum number of conflicts, and of unmatched rows, in the result of an import. */
const MAX_ROWS_SHOWN = 100

interface ImportInput {
  rows: OfflineScanRow[]
  timezone?: string | undefined
}

export const importAttendanceJob = defineJob({
  name: 'import-attendance',
  scope: 'event',
  exclusivePerEvent: true,
  input: z.object({ rows: z.array(z.custom<OfflineScanRow>()), timezone: z.string().optional() }),
  async run(job, input: ImportInput) {
    const parts = splitByTime(input.rows)
    let [counts, done] = [createImportCounts(), 0]
    for (const part of parts) {
      counts = addCounts(counts, await job.step((ctx) => importPart(ctx, part, input.timezone, job.jobId)))
      await job.progress((done += part.length), input.rows.length)
    }
    return toResult(counts)
  },
})

/** Splits rows into batches in order of time, so that of two scans in different batches the earlier one is stored first. */
function splitByTime(rows: readonly OfflineScanRow[]): OfflineScanRow[][] {
  const sorted = rows.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  return Array.from({ length: Math.ceil(sorted.length / ROWS_PER_STEP) }, (_, part) =>
    sorted.slice(part * ROWS_PER_STEP, (part + 1) * ROWS_PER_STEP),
  )
}

async function importPart(
  ctx: EventContext,
  rows: readonly OfflineScanRow[],
  timezone: string | undefined,
  importId: string,
): Promise<ImportCounts> {
  const rules = await readDoorRules(ctx)
  const counts = await importScans(ctx, rules, rows, { timezone: timezone ?? ctx.event.timezone, importId })
  if (counts.imported > 0) recordChange(ctx, { kind: 'event', id: ctx.event.id, after: { importedScans: counts.imported } })
  return counts
}

/** Imports the scans of offline scanners. A large file is imported by a background job, whose progress a call with `jobId` returns. */
export async function importAttendance(
  ctx: EventContext,
  { jobId, timezone, dryRun }: { jobId?: string | undefined; timezone?: string | undefined; dryRun?: boolean | undefined },
  rows: OfflineScanRow[],
) {
  if (jobId !== undefined) return readImport(ctx, jobId)
  if (rows.length > ROWS_PER_STEP && !dryRun) {
    recordChange(ctx, { kind: 'event', id: ctx.event.id, after: { importsScans: rows.length } })
    return enqueueJob(ctx, importAttendanceJob, { rows, timezone }, { eventId: ctx.event.id })
  }
  let counts = createImportCounts()
  const importId = newId()
  for (const part of splitByTime(rows)) counts = addCounts(counts, await importPart(ctx, part, timezone, importId))
  return toResult(counts)
}

async function readImport(ctx: EventContext, jobId: string) {
  const { result, status, progress, error } = await getJob(ctx, { jobId, name: importAttendanceJob.name, eventId: ctx.event.id })
  return {
    jobId,
    status,
    progress: { done: progress.done, total: progress.total ?? 0 },
    ...(status === 'done' ? (result as ReturnType<typeof toResult>) : {}),
    ...(error === null ? {} : { error }),
  }
}

const addCounts = (a: ImportCounts, b: ImportCounts): ImportCounts => ({
  rows: a.rows + b.rows,
  imported: a.imported + b.imported,
  duplicates: a.duplicates + b.duplicates,
  unmatched: [...a.unmatched, ...b.unmatched],
  invalid: [...a.invalid, ...b.invalid],
  conflicts: [...a.conflicts, ...b.conflicts],
})

function toResult({ unmatched, invalid, conflicts, ...counts }: ImportCounts) {
  const first = <T extends { row: number }>(items: readonly T[], most: number) => items.toSorted((a, b) => a.row - b.row).slice(0, most)
  const { shown, errorKinds } = groupErrorsByKind(invalid)
  return {
    ...counts,
    unmatched: first(unmatched, MAX_ROWS_SHOWN).map(({ row, value }) => ({ row, value: value.slice(0, 80) })),
    unmatchedCount: unmatched.length,
    invalid: shown,
    errorKinds,
    invalidCount: invalid.length,
    conflicts: first(conflicts, MAX_ROWS_SHOWN),
    conflictKinds: groupErrorsByKind(conflicts).errorKinds,
    conflictCount: conflicts.length,
  }
}
