import type { Money } from '../../kernel/money.ts'
import type { FieldAccessClass, FieldType } from './dictionary/types.ts'

/** A column of a query result, a report table or a file. */
export interface ReportColumn {
  /** The key of the value in each row; in query results the code of the field or metric itself, such as `money.net`. */
  name: string
  label: string
  type: FieldType
  class: FieldAccessClass
  /** Format of the values; by default that of their type. */
  format?: ReportColumnFormat | undefined
  /** Alignment of the column; by default numbers to the right, everything else to the left. */
  align?: 'left' | 'right' | 'center' | undefined
  /** Width of the column in characters, for file formats in which columns have a width. */
  width?: number | undefined
}

/** Formats of a column. `plain` is the value as programs read it; `grouped` separates thousands; `short` and `long` are date formats. */
export const COLUMN_FORMATS = ['plain', 'grouped', 'percent', 'short', 'long'] as const
export type ReportColumnFormat = (typeof COLUMN_FORMATS)[number]

/** A value of a report's table: days as YYYY-MM-DD, instants as ISO text, decimals and percentages as numbers, lists as lists of codes. */
export type ReportValue = string | number | boolean | null | readonly string[] | Money
export type ReportRow = Record<string, ReportValue>

/** One table of a report. Its rows can be read once, in batches, without holding all of them in memory. */
export interface ReportTable {
  title: string
  columns: readonly ReportColumn[]
  rows: AsyncIterable<ReportRow>
  /** Returns the column sums over all rows. To be called once the rows have been read. */
  totals: () => ReportRow
  /**
   * Returns the results of the checks that compare column sums with totals from another source. To be called once the rows have been read.
   */
  checks: () => readonly { name: string; ok: boolean }[]
}
