import type { EventContext } from '../../../kernel/context.ts'
import type { Permission } from '../../../kernel/permissions.ts'
import { type StoredUpload, storeGeneratedFile, type UploadDestination } from '../../files/upload.ts'
import { runInSnapshot } from '../../figures/query/snapshot.ts'
import type { ParameterValues } from '../designed/parameters.ts'
import type { FileFormat } from '../files/facts.ts'
import { renderReportFile } from '../files/render.ts'
import { getRunnableReport } from '../find-report.ts'
import type { RunnableReport } from '../runnable.ts'
import { countReportRows, openReport, requirePermissions, toReportFileHeader } from './open-report.ts'
import type { ReportRunRow, ReportRunOptions, RunResult } from './tables.ts'

export interface ReportFileMetadata {
  rows: number
  asOf: Date
  containsPersonal: boolean
  needs: Permission[]
  result: RunResult
}

/** Callbacks that count rows while a file is written; `onRow` throws if the run was cancelled. */
export interface RowProgressCallbacks {
  onRow: () => void
}

export interface WrittenReportFile {
  stored: StoredUpload
  rendered: ReportFileMetadata
}

/** Writes the file of a report run to the file store. */
export async function writeReportRunFile(
  ctx: EventContext,
  run: ReportRunRow,
  { target, progress }: { target: UploadDestination; progress: RowProgressCallbacks },
): Promise<WrittenReportFile> {
  const report = await getRunnableReport(ctx, run.report_code!)
  return writeReportFile(ctx, report, {
    values: run.parameters as ParameterValues,
    options: run.options,
    format: run.format as FileFormat,
    target,
    progress,
  })
}

/** Runs a report in one database snapshot and writes it to the file store. A file with personal fields requires personal.export. */
export async function writeReportFile(
  ctx: EventContext,
  report: RunnableReport,
  given: {
    values: ParameterValues
    options: ReportRunOptions
    format: FileFormat
    target: UploadDestination
    progress?: RowProgressCallbacks
  },
): Promise<WrittenReportFile> {
  const { values, options, format, target, progress } = given
  const { stored, result } = await storeGeneratedFile(target, { tenantId: ctx.tenantId, purpose: 'export' }, (store) =>
    runInSnapshot(ctx, 'run_report', async (snapshot): Promise<ReportFileMetadata> => {
      const opened = await openReport(snapshot, report, { values, options, files: target.files })
      requirePermissions('run_report', opened.needs, ctx.permissions)
      const counted = countReportRows(opened.parts, progress?.onRow)
      const facts = toReportFileHeader(snapshot, report, { values, options, containsPersonal: opened.containsPersonal })
      await store(await renderReportFile(format, facts, counted.parts))
      return {
        rows: counted.total(),
        asOf: snapshot.scope.asOf,
        containsPersonal: opened.containsPersonal,
        needs: opened.needs,
        result: { tables: counted.summarize(), withheld: [...opened.withheld] },
      }
    }),
  )
  return { stored, rendered: result }
}
