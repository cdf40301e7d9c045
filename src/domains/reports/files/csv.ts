import type { ReportColumn, ReportRow, ReportTable } from '../../figures/report-table.ts'
import { neutralizeFormula, quoteCsvCell } from '../../sheets/csv.ts'
import { isMoney, toPlainText } from './values.ts'

/** Programs that open CSV files, such as spreadsheets, detect UTF-8 by this mark. */
const BYTE_ORDER_MARK = '\uFEFF'
const LINE_END = '\r\n'
const CHUNK_CHARACTERS = 64 * 1024

export interface CsvNames {
  /** The header of a column. */
  header: (column: ReportColumn) => string
  /** The header of the column with the currency of a money column. */
  currency: (column: ReportColumn) => string
}

const formatText = (text: string) => quoteCsvCell(neutralizeFormula(text))

/** The cells of a value: numbers as they are, money in two cells, and everything else as text that no spreadsheet runs as a formula. */
function formatCells(column: ReportColumn, row: ReportRow): string {
  const value = row[column.name]
  if (column.type === 'money') return isMoney(value) ? `${value.amount},${value.currency}` : ','
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return formatText(toPlainText(value))
}

const formatHeader = (columns: readonly ReportColumn[], names: CsvNames) =>
  columns
    .flatMap((column) => (column.type === 'money' ? [names.header(column), names.currency(column)] : [names.header(column)]))
    .map(formatText)
    .join(',')

/** Writes a table as CSV by RFC 4180, without holding more than one chunk in memory. */
export async function* writeCsv({ columns, rows }: Pick<ReportTable, 'columns' | 'rows'>, names: CsvNames): AsyncGenerator<Buffer> {
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
