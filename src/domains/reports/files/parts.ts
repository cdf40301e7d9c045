import type { ReportColumn, ReportTable } from '../../figures/report-table.ts'

/** One part of a report, in reading order. Files of tables (CSV, Excel, JSON) contain only the tables. */
export type ReportPart =
  | { kind: 'table'; table: ReportTable }
  /** Text that an organizer wrote: `html` is sanitized markup for HTML files, `text` the same content as plain text. */
  | { kind: 'text'; html: string; text: string }
  /** A figure: a single value with a title. `column` defines its format. */
  | { kind: 'figure'; title: string; value: string; note?: string | undefined; column: ReportColumn }
  /** A chart: the SVG drawing for HTML files, the PNG picture for PDF files, and its numbers as a table for all formats. */
  | { kind: 'chart'; title: string; altText: string; svg: string; renderPng: () => Promise<Buffer>; table: ReportTable }
  /** A picture that an organizer uploaded. If the report is not written to a file, there is only its alternative text. */
  | { kind: 'image'; altText: string; picture: ReportPicture | null }
  | { kind: 'divider' }
  | { kind: 'pageBreak' }

export interface ReportPicture {
  mime: 'image/png' | 'image/jpeg'
  content: Buffer
  /** The width and height of the picture in pixels. */
  width: number
  height: number
}

/** Lists the tables of a report, including the tables of charts. */
export const listReportTables = (parts: readonly ReportPart[]): ReportTable[] =>
  parts.flatMap((part) => ('table' in part ? [part.table] : []))

/** Lists the columns of all values of a report: those of its tables, and one for each figure. */
export const listReportColumns = (parts: readonly ReportPart[]): ReportColumn[] => [
  ...listReportTables(parts).flatMap((table) => table.columns),
  ...parts.flatMap((part) => (part.kind === 'figure' ? [part.column] : [])),
]

/** Lists the alternative texts of a report's pictures, for formats that show no pictures. */
export const listPictureAltTexts = (parts: readonly ReportPart[]): string[] =>
  parts.flatMap((part) => (part.kind === 'image' ? [part.altText] : []))
