import type { Selectable } from 'kysely'
import type { Tables } from '../../../kernel/columns.ts'
import type { Permission } from '../../../kernel/permissions.ts'
import type { ReportRow } from '../../figures/report-table.ts'
import type { ExportOptions, ExportManifest } from '../export/options.ts'
import type { FileFormat } from '../files/facts.ts'

export type ReportRunRow = Selectable<Tables['report_runs']>
export type RunRecipientRow = Selectable<Tables['report_run_recipients']>

/** The options of a report run, besides the parameters of the report. */
export interface ReportRunOptions {
  locale?: string | undefined
  theme?: 'light' | 'dark' | undefined
  includeTestData?: boolean | undefined
  /** The message that the requester added to the email. */
  message?: string | undefined
  /** Whether a schedule started the run, not a user. */
  isScheduled?: boolean | undefined
  export?: ExportOptions | undefined
}

/** The results of a finished report run. */
export interface RunResult {
  tables?: { title: string; rows: number; totals: ReportRow; checks: { name: string; ok: boolean }[] }[]
  withheld?: string[]
  manifest?: ExportManifest
}

declare module '../../../kernel/columns.ts' {
  interface ColumnTypes {
    'report_runs.parameters': Record<string, unknown>
    'report_runs.options': ReportRunOptions
    'report_runs.result': RunResult
    'report_runs.format': FileFormat | 'zip'
    'report_runs.needs': Permission[]
  }
}
