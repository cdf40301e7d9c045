import type { ReportTable } from '../../figures/report-table.ts'

/** One part of a report, in reading order. Files of tables (CSV, Excel, JSON) contain only the tables. */
export type ReportPart =
  | { kind: 'table'; table: ReportTable }
  /** Text of the organizer: `html` is sanitized markup for HTML files, `text` the same content as plain text. */
  | { kind: 'text'; html: string; text: string }
  | { kind: 'figure'; title: string; value: string; note?: string | undefined }
  /** A chart: the drawing for HTML files, the picture for PDF files, and its numbers as a table for all formats. */
  | { kind: 'chart'; title: string; altText: string; svg: string; png: Buffer; table: ReportTable }
  /** A picture of the organizer; only its text where no file is written. */
  | { kind: 'image'; altText: string; picture: ReportPicture | null }
  | { kind: 'divider' }
  | { kind: 'pageBreak' }

export interface ReportPicture {
  mime: 'image/png' | 'image/jpeg'
  content: Buffer
  /** The size in pixels. */
  width: number
  height: number
}

/** The tables of a report, including those behind charts. */
export const listTables = (parts: readonly ReportPart[]): ReportTable[] => parts.flatMap((part) => ('table' in part ? [part.table] : []))

/** The texts of a report's pictures, for formats that show no pictures. */
export const listPictureTexts = (parts: readonly ReportPart[]): string[] =>
  parts.flatMap((part) => (part.kind === 'image' ? [part.altText] : []))
