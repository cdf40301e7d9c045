import type { Permission } from '../../kernel/permissions.ts'
import type { FileStore } from '../../kernel/ports.ts'
import type { QuerySnapshot } from '../figures/query/snapshot.ts'
import type { ReportTable } from '../figures/report-table.ts'
import type { ReportFileHeader } from './files/facts.ts'
import type { ReportPart } from './files/parts.ts'
import type { ParameterValues, ReportParameter } from './designed/parameters.ts'

/** A report that can be run: a standard report, or one that an organizer designed. */
export interface RunnableReport {
  code: string
  name: string
  description: string
  kind: 'standard' | 'designed'
  category: string | null
  parameters: readonly ReportParameter[]
  /** The permissions besides reports.read that every run of the report requires, such as housing.read. */
  needs: readonly Permission[]
  /** Why a standard report has no rows yet, for example because Lanyard does not store its data. */
  note?: string
  page?: ReportFileHeader['page']
  theme?: 'light' | 'dark' | undefined
  locale?: string | undefined
  /**
   * Opens the report in a snapshot with the permissions of the snapshot's context. Columns that these permissions do not allow are left out
   * and named in `withheld`. The rows of each part can be read only once.
   */
  open: (snapshot: QuerySnapshot, values: ParameterValues, options: ReportOpenOptions) => Promise<OpenedReport>
}

export interface ReportOpenOptions {
  includeTestData: boolean
  locale: string
  theme: 'light' | 'dark'
  /** The file store with the organizers' pictures. Without it, pictures are left out and only their alternative texts remain. */
  files?: FileStore | undefined
}

export interface OpenedReport {
  parts: readonly ReportPart[]
  /** The paths of columns that the caller may not see. */
  withheld: readonly string[]
  /** Permissions that the content of this run requires, in addition to those for the report and its columns. */
  needs?: readonly Permission[]
  /** The widgets of a designed report. */
  widgets?: readonly OpenedWidget[]
}

interface OpenedWidget {
  widget: { id: string; title?: string | undefined }
  /** The content of the widget; null if it cannot be shown. */
  part: ReportPart | null
  /** The tables of a standard report after its first one, if the widget shows a standard report. */
  more?: readonly ReportTable[]
  ignoresFilter: boolean
  problem?: string | undefined
}
