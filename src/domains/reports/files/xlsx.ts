import { once } from 'node:events'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import type { stream as excelStream, Worksheet } from 'exceljs'
import type { ReportColumn, ReportRow, ReportTable, ReportValue } from '../../figures/report-table.ts'
import { type ReportFileHeader, listFileHeaderFields, getReportFileTranslator } from './facts.ts'
import { FIRST_VALID_SPREADSHEET_DAY, hasTotals, isMoneyValue, toPlainText, toSpreadsheetDay, toSpreadsheetTime } from './values.ts'

/** The maximum number of rows of a sheet without its header. Excel allows 1,048,576 rows with the header. */
const MAX_ROWS_PER_SHEET = 1_048_575
/** The maximum number of characters that Excel allows in a cell. */
const MAX_CELL_CHARACTERS = 32_767
const MAX_SHEET_NAME_CHARACTERS = 31
/** The number of rows after which writing waits for the output stream, because the spreadsheet library applies no backpressure. */
const ROWS_BETWEEN_WAITS = 200

const DAY_FORMAT = 'yyyy-mm-dd'
const TIME_FORMAT = 'yyyy-mm-dd hh:mm:ss'

type Book = excelStream.xlsx.WorkbookWriter

/** Writes a workbook with one sheet per table. The last sheet has the header of the report file. Cells never contain formulas. */
export async function writeWorkbook(
  facts: ReportFileHeader,
  tables: readonly ReportTable[],
  { maxRowsPerSheet = MAX_ROWS_PER_SHEET, pictures = [] }: { maxRowsPerSheet?: number; pictures?: readonly string[] } = {},
): Promise<Readable> {
  const { default: excel } = await import('exceljs')
  const output = new PassThrough()
  const book = new excel.stream.xlsx.WorkbookWriter({ stream: output, useStyles: true, useSharedStrings: false })
  book.creator = 'Lanyard'
  book.created = facts.asOf
  book.modified = facts.asOf
  const names = createSheetNames()
  const write = async () => {
    for (const table of tables) await writeTable(book, facts, table, { names, output, maxRowsPerSheet })
    writeFacts(book, facts, { names, pictures })
    await book.commit()
  }
  write().catch((error: Error) => output.destroy(error))
  return output
}

interface Target {
  names: (title: string) => string
  output: PassThrough
  maxRowsPerSheet: number
}

async function writeTable(
  book: Book,
  facts: ReportFileHeader,
  table: ReportTable,
  { names, output, maxRowsPerSheet }: Target,
): Promise<void> {
  let sheet = openSheet(book, facts, table, names(table.title))
  let rows = 0
  const openNextIfFull = () => {
    if (rows === 0 || rows % maxRowsPerSheet !== 0) return
    sheet.commit()
    sheet = openSheet(book, facts, table, names(table.title))
  }
  for await (const row of table.rows) {
    openNextIfFull()
    sheet.addRow(toCells(table.columns, row, facts)).commit()
    rows++
    if (rows % ROWS_BETWEEN_WAITS === 0) await waitForReader(sheet, output)
  }
  const totals = table.totals()
  if (hasTotals(totals)) {
    // A sheet that is already full has no space for the row of totals either.
    openNextIfFull()
    const last = sheet.addRow(toCells(table.columns, totals, facts))
    last.font = { bold: true }
    last.commit()
  }
  sheet.commit()
}

function openSheet(book: Book, facts: ReportFileHeader, table: ReportTable, name: string): Worksheet {
  const sheet = book.addWorksheet(name, { views: [{ state: 'frozen', ySplit: 1 }] })
  const { say } = getReportFileTranslator(facts)
  sheet.columns = table.columns.flatMap((column) => [
    { width: widthOf(column), style: styleOf(column) },
    ...(column.type === 'money' ? [{ width: 10 }] : []),
  ])
  const header = sheet.addRow(
    table.columns.flatMap((column) =>
      column.type === 'money' ? [column.label, say('reportFile.currency', { column: column.label })] : [column.label],
    ),
  )
  header.font = { bold: true }
  header.commit()
  return sheet
}

const widthOf = ({ type, label, width }: ReportColumn) => width ?? Math.max(type === 'text' ? 24 : 14, Math.min(40, label.length + 2))

function styleOf({ type }: ReportColumn): { numFmt?: string } {
  if (type === 'day') return { numFmt: DAY_FORMAT }
  if (type === 'instant') return { numFmt: TIME_FORMAT }
  if (type === 'money') return { numFmt: '#,##0.00##' }
  return {}
}

const toCells = (columns: readonly ReportColumn[], row: ReportRow, facts: ReportFileHeader) =>
  columns.flatMap((column) => {
    const value = row[column.name]
    if (column.type === 'money') return isMoneyValue(value) ? [Number(value.amount), value.currency] : [null, null]
    return [toCell(column, value, facts)]
  })

function toCell({ type }: ReportColumn, value: ReportValue | undefined, facts: ReportFileHeader): string | number | boolean | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const text = toPlainText(value)
  if (type === 'day' && /^\d{4}-\d\d-\d\d$/.test(text) && text >= FIRST_VALID_SPREADSHEET_DAY) return toSpreadsheetDay(text)
  if (type === 'instant' && !Number.isNaN(Date.parse(text))) return toSpreadsheetTime(new Date(text), facts.event.timezone)
  // Cutting the text may leave half of a surrogate pair at its end, which is removed.
  return text.slice(0, MAX_CELL_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')
}

/** Writes a sheet with the header of the report file and the alternative texts of pictures, because workbooks contain no pictures. */
function writeFacts(
  book: Book,
  facts: ReportFileHeader,
  { names, pictures }: { names: Target['names']; pictures: readonly string[] },
): void {
  const { say } = getReportFileTranslator(facts)
  const sheet = book.addWorksheet(names(say('reportFile.about')))
  sheet.columns = [{ width: 24 }, { width: 60 }]
  const shown = [
    [say('reportFile.report'), facts.report.name],
    ...listFileHeaderFields(facts),
    ...pictures.map((text) => [say('reportFile.picture'), text]),
  ]
  for (const [label, value] of shown) sheet.addRow([label, value]).commit()
  sheet.commit()
}

/** Returns a function that creates valid sheet names: unique regardless of case, at most 31 characters, and without reserved characters. */
function createSheetNames(): (title: string) => string {
  // Excel reserves the sheet name "History".
  const used = new Set(['history'])
  return (title) => {
    const clean =
      title
        .replaceAll(/[*?:\\/[\]\p{Cc}]/gu, ' ')
        .replaceAll(/^'+|'+$/g, '')
        .trim() || 'Sheet'
    for (let number = 1; ; number++) {
      const suffix = number === 1 ? '' : ` (${number})`
      const name = `${[...clean]
        .slice(0, MAX_SHEET_NAME_CHARACTERS - suffix.length)
        .join('')
        .trim()}${suffix}`
      if (used.has(name.toLowerCase())) continue
      used.add(name.toLowerCase())
      return name
    }
  }
}

/** Waits until the zip archive has read the written bytes of the sheet, so that a slow download does not fill the memory. */
async function waitForReader(sheet: Worksheet, output: PassThrough): Promise<void> {
  if (output.destroyed) throw new Error('The file was closed before its last row')
  const { stream } = sheet as unknown as { stream: { pipes: Writable[] } }
  for (const pipe of stream.pipes) {
    if (!pipe.writableNeedDrain) continue
    const waiting = new AbortController()
    try {
      await Promise.race(['drain', 'close'].map((name) => once(name === 'drain' ? pipe : output, name, { signal: waiting.signal })))
    } finally {
      // Removes the listener of the event that did not occur.
      waiting.abort()
    }
  }
}
