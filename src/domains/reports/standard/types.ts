import type { RawBuilder } from 'kysely'
import type { Permission } from '../../../kernel/permissions.ts'
import type { Snapshot } from '../../figures/query/snapshot.ts'
import type { ReportColumn, ReportRow, ReportTable } from '../../figures/report-table.ts'

export interface StandardParameter {
  name: string
  type: 'day' | 'code' | 'codes' | 'number' | 'boolean' | 'text'
  label: string
  required: boolean
  default?: string | number | boolean | readonly string[]
}

export type StandardValues = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** What the statements of a report read: real or test rows of the event, with the values of the run's parameters. */
export interface ReportScope {
  snapshot: Snapshot
  tenantId: number
  event: { id: string; timezone: string; currency: string }
  values: StandardValues
  isTestData: boolean
}

/** The result of one table: its rows in order, or the statement that reads them. Columns that depend on the event replace the declared ones. */
export interface TableSource {
  columns?: readonly ReportColumn[]
  statement?: RawBuilder<unknown>
  rows?: AsyncIterable<ReportRow> | Iterable<ReportRow>
}

/** Sums over all rows of a table, by column. */
export type Sums = Readonly<Record<string, number>>

/**
 * A comparison of a table with another figure. A tie with a metric requires that the sum of a value over all rows equals the metric, or the sum of several; it is
 * left out if parameters restrict the rows. Other ties compare sums of the table itself.
 */
export type Tie =
  | { name: string; metrics: readonly string[]; of: (row: ReportRow) => number }
  | { name: string; holds: (sums: Sums, scope: ReportScope) => boolean | Promise<boolean> }

export interface ReportTableDefinition {
  title?: string
  columns: readonly ReportColumn[]
  /** Columns whose sum over all rows is a total. */
  totals?: readonly string[]
  /** Further totals, which are not sums of a column. */
  figures?: (scope: ReportScope) => Promise<ReportRow>
  ties?: readonly Tie[]
  read: (scope: ReportScope) => TableSource | Promise<TableSource>
}

/** A report that ships with the product. */
export interface StandardReport {
  code: string
  name: string
  description: string
  kind: 'standard'
  category: string
  parameters: readonly StandardParameter[]
  /** Permissions beyond reports.read. */
  needs: readonly Permission[]
  /** The columns of all its tables; those of an event's custom fields are added when it is opened. */
  columns: readonly ReportColumn[]
  /** Why the report has no rows. */
  note?: string
  open: (
    snapshot: Snapshot,
    values: StandardValues,
    options: { includeTestData: boolean },
  ) => Promise<{ parts: { kind: 'table'; table: ReportTable }[]; withheld: string[] }>
}
