import type { RawBuilder } from 'kysely'
import type { Permission } from '../../../kernel/permissions.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import type { ReportColumn, ReportRow, ReportTable } from '../../figures/report-table.ts'

export interface StandardReportParameter {
  name: string
  type: 'day' | 'code' | 'codes' | 'number' | 'boolean' | 'text'
  label: string
  required: boolean
  default?: string | number | boolean | readonly string[]
}

export type StandardReportParameterValues = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** The data that a standard report reads: real or test rows of one event, with the parameter values of the report run. */
export interface ReportScope {
  snapshot: QuerySnapshot
  tenantId: number
  event: { id: string; timezone: string; currency: string }
  values: StandardReportParameterValues
  isTestData: boolean
}

/**
 * The result of one table: its rows in order, or the statement that reads them. Columns that depend on the event replace the declared
 * columns.
 */
export interface ReportTableSource {
  columns?: readonly ReportColumn[]
  statement?: RawBuilder<unknown>
  rows?: AsyncIterable<ReportRow> | Iterable<ReportRow>
  /** Whether the rows have exactly the columns that the caller may see, so that they need not be copied. */
  hasShownColumns?: true
}

/** The sums over all rows of a table, by column. */
export type ColumnSums = Readonly<Record<string, number>>

/**
 * A check of a table. A check with metrics requires that the sum of a value over all rows equals the sum of the
 * metrics; it is left out if parameters restrict the rows. Other checks compare sums of the table itself.
 */
export type ReportTableCheck =
  | { name: string; metrics: readonly string[]; of: (row: ReportRow) => number }
  | { name: string; holds: (sums: ColumnSums, scope: ReportScope) => boolean | Promise<boolean> }

export interface ReportTableDefinition {
  title?: string
  columns: readonly ReportColumn[]
  /** The columns whose sum over all rows is shown as a total. */
  totals?: readonly string[]
  /** Computes totals that are not the sum of a column, such as averages. */
  figures?: (scope: ReportScope) => Promise<ReportRow>
  checks?: readonly ReportTableCheck[]
  read: (scope: ReportScope) => ReportTableSource | Promise<ReportTableSource>
}

/** A report that is built into Lanyard. */
export interface StandardReport {
  code: string
  name: string
  description: string
  kind: 'standard'
  category: string
  parameters: readonly StandardReportParameter[]
  /** The permissions besides reports.read that the report requires. */
  needs: readonly Permission[]
  /** The columns of all tables of the report; columns of an event's custom fields are added when the report is opened. */
  columns: readonly ReportColumn[]
  /** The reason why a standard report has no rows. */
  note?: string
  open: (
    snapshot: QuerySnapshot,
    values: StandardReportParameterValues,
    options: { includeTestData: boolean },
  ) => Promise<{ parts: { kind: 'table'; table: ReportTable }[]; withheld: string[] }>
}
