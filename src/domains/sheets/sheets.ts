import { type RandomAccessFile, readRange } from './random-access-file.ts'
import type { SheetRow } from './cells.ts'
import { readDelimitedRows, detectDelimitedText } from './delimited.ts'
import { MAX_HEADER_ROW, type SheetHeader, findSheetHeader } from './header.ts'
import { SHEET_LIMITS, sheetLimitExceededError } from './limits.ts'
import { type MergedRange, readMergedRanges, openWorkbook } from './workbook.ts'
import { readWorkbookRows } from './workbook-rows.ts'

/** One table of a CSV, TSV or XLSX file. */
export interface Sheet {
  name: string
  /** The unique column names of the sheet. */
  header: readonly string[]
  /** The number of the last header row; 0 if the sheet has no header. */
  headerRow: number
  /** Iterates over the rows below the header; can be called repeatedly. */
  rows: () => AsyncGenerator<SheetRow>
}

const ZIP_SIGNATURE = Buffer.from('PK')
const OLE_SIGNATURE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])

/** Opens the sheets of a CSV, TSV or XLSX file. Rows are streamed; only shared strings and styles are kept in memory. */
export async function openSheets(bytes: RandomAccessFile, name: string, mostRows: number = SHEET_LIMITS.rows): Promise<Sheet[]> {
  const start = await readRange(bytes, 0, Math.min(bytes.size, 4) - 1)
  if (!start.subarray(0, 2).equals(ZIP_SIGNATURE) && !start.equals(OLE_SIGNATURE)) {
    const text = await detectDelimitedText(bytes)
    return [await createSheet(name.replace(/\.[a-z0-9]{1,8}$/i, ''), () => readDelimitedRows(bytes, text), [], mostRows)]
  }
  const workbook = await openWorkbook(bytes)
  const sheets: Sheet[] = []
  for (const { name: called, part } of workbook.sheets) {
    sheets.push(await createSheet(called, () => readWorkbookRows(workbook, part), await readMergedRanges(workbook, part), mostRows))
  }
  return sheets
}

async function createSheet(
  name: string,
  rows: () => AsyncGenerator<SheetRow>,
  merged: readonly MergedRange[],
  mostRows: number,
): Promise<Sheet> {
  const header = findSheetHeader(await readFirstRows(rows()), merged)
  if (header.names.length > SHEET_LIMITS.columns) {
    throw sheetLimitExceededError(
      `Sheet ${JSON.stringify(name.slice(0, 40))} has ${header.names.length} columns; at most ${SHEET_LIMITS.columns} are read`,
    )
  }
  return { name, header: header.names, headerRow: header.row, rows: () => rowsBelow(rows(), header, mostRows) }
}

async function readFirstRows(rows: AsyncGenerator<SheetRow>): Promise<SheetRow[]> {
  const first: SheetRow[] = []
  for await (const row of rows) {
    if (row.number > MAX_HEADER_ROW) break
    first.push(row)
  }
  return first
}

async function* rowsBelow(rows: AsyncGenerator<SheetRow>, { row: last, names }: SheetHeader, most: number): AsyncGenerator<SheetRow> {
  let count = 0
  for await (const { number, cells } of rows) {
    if (number <= last) continue
    if (++count > most) throw sheetLimitExceededError(`The file has more than ${most.toLocaleString('en-GB')} rows; split it`)
    yield { number, cells: cells.length > names.length ? cells.slice(0, names.length) : cells }
  }
}
