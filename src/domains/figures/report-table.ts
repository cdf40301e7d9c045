import type { Money } from '../../kernel/money.ts'
import type { FieldClass, FieldType } from './dictionary/types.ts'

/** A column of a result, of a report's table and of a file. */
export interface ReportColumn {
  /** The key of the value in each row; in query results the code of the field or metric itself, such as `money.net`. */
  name: string
  label: string
  type: FieldType
  class: FieldClass
  /** How the values are written; by their type if missing. */
  format?: ColumnFormat | undefined
  /** Numbers are aligned to the right, everything else to the left, if missing. */
  align?: 'left' | 'right' | 'center' | undefined
  /** The width in characters, for files with columns. */
  width?: number | undefined
}

/** `plain` is the value as programs read it; `grouped` separates thousands; `short` and `long` are forms of days. */
export const COLUMN_FORMATS = ['plain', 'grouped', 'percent', 'short', 'long'] as const
export type ColumnFormat = (typeof COLUMN_FORMATS)[number]

/** Days as YYYY-MM-DD, instants as ISO text, decimals and percentages as numbers, lists as lists of codes. */
export type ReportValue = string | number | boolean | null | readonly string[] | Money
export type ReportRow = Record<string, ReportValue>

/** One table of a report. Its rows can be read once, in batches, without holding all of them in memory. */
export interface ReportTable {
  title: string
  columns: readonly ReportColumn[]
  rows: AsyncIterable<ReportRow>
  /** Sums over all rows, once they have been read. */
  totals: () => ReportRow
  /** Comparisons with other figures, once all rows have been read. */
  checks: () => readonly { name: string; ok: boolean }[]
}
