import type { ReportColumn, ReportRow, ReportTable } from '../../figures/report-table.ts'
import { escapeCsvFormula, quoteCsvCell } from '../../sheets/csv.ts'
import { isMoneyValue, toPlainText } from './values.ts'

/** The byte order mark, by which spreadsheet programs detect UTF-8 in CSV files. */
const BYTE_ORDER_MARK = '\uFEFF'
const LINE_END = '\r\n'
const CHUNK_CHARACTERS = 64 * 1024

export interface CsvHeaderNames {
  header: (column: ReportColumn) => string
  /** Returns the header of the currency column that follows a money column. */
  currency: (column: ReportColumn) => string
}

const formatText = (text: string) => quoteCsvCell(escapeCsvFormula(text))

/**
 * Formats a value as CSV cells: numbers unchanged, money in two cells, and all other values as text that spreadsheets do not run as a
 * formula.
 */
function formatCells(column: ReportColumn, row: ReportRow): string {
  const value = row[column.name]
  if (column.type === 'money') return isMoneyValue(value) ? `${value.amount},${value.currency}` : ','
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return formatText(toPlainText(value))
}

const formatHeader = (columns: readonly ReportColumn[], names: CsvHeaderNames) =>
  columns
    .flatMap((column) => (column.type === 'money' ? [names.header(column), names.currency(column)] : [names.header(column)]))
    .map(formatText)
    .join(',')

/** Writes a table as CSV (RFC 4180), with at most one chunk in memory. */
export async function* writeCsv({ columns, rows }: Pick<ReportTable, 'columns' | 'rows'>, names: CsvHeaderNames): AsyncGenerator<Buffer> {
  let chunk = `${BYTE_ORDER_MARK}${formatHeader(columns, names)}${LINE_END}`
  for await (const row of rows) {
    for (let index = 0; index < columns.length; index++) chunk += `${index === 0 ? '' : ','}${formatCells(columns[index]!, row)}`
    chunk += LINE_END
    if (chunk.length >= CHUNK_CHARACTERS) {
      yield Buffer.from(chunk)
      chunk = ''
    }
  }
  if (chunk !== '') yield Buffer.from(chunk)
}
