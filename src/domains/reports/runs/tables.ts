import type { Selectable } from 'kysely'
import type { Tables } from '../../../kernel/columns.ts'
import type { Permission } from '../../../kernel/permissions.ts'
import type { ReportRow } from '../../figures/report-table.ts'
import type { ExportOptions, ExportManifest } from '../export/options.ts'
import type { FileFormat } from '../files/facts.ts'

export type ReportRunRow = Selectable<Tables['report_runs']>
export type RunRecipientRow = Selectable<Tables['report_run_recipients']>

/** What a run needs beyond its parameters. */
export interface RunOptions {
  locale?: string | undefined
  theme?: 'light' | 'dark' | undefined
  includeTestData?: boolean | undefined
  /** The text that the requester adds to the email. */
  message?: string | undefined
  /** The run was started by a schedule, not by a person at that moment. */
  isScheduled?: boolean | undefined
  export?: ExportOptions | undefined
}

/** What a finished run found. */
export interface RunResult {
  tables?: { title: string; rows: number; totals: ReportRow; checks: { name: string; ok: boolean }[] }[]
  withheld?: string[]
  manifest?: ExportManifest
}

declare module '../../../kernel/columns.ts' {
  interface ColumnTypes {
    'report_runs.parameters': Record<string, unknown>
    'report_runs.options': RunOptions
    'report_runs.result': RunResult
    'report_runs.format': FileFormat | 'zip'
    'report_runs.needs': Permission[]
  }
}
