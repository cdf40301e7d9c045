import { AppError } from '../../../kernel/errors.ts'
import type { ReportRow, ReportTable } from '../../figures/report-table.ts'
import type { FileFormat } from './facts.ts'

/** The maximum number of rows per table, for the file formats that have a limit. */
export const MAX_FILE_ROWS_BY_FORMAT: Partial<Record<FileFormat, number>> = { pdf: 5_000, html: 20_000 }

/** Yields the rows of a table, and throws if there are more rows than the format allows. */
export async function* limitRows(format: 'pdf' | 'html', rows: ReportTable['rows']): AsyncGenerator<ReportRow> {
  let count = 0
  for await (const row of rows) {
    if (++count > MAX_FILE_ROWS_BY_FORMAT[format]!) throw createTooManyReportRowsError(format)
    yield row
  }
}

export const createTooManyReportRowsError = (format: FileFormat) =>
  new AppError(
    'limit_exceeded',
    `A table in ${format.toUpperCase()} can have at most ${MAX_FILE_ROWS_BY_FORMAT[format]!.toLocaleString('en')} rows — use csv or xlsx`,
  )
