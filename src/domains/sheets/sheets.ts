import { type Bytes, readPart } from './bytes.ts'
import type { SheetRow } from './cells.ts'
import { delimitedRows, delimitedTextOf } from './delimited.ts'
import { HEADER_WITHIN, type Header, headerOf } from './header.ts'
import { SHEET_LIMITS, tooMuch } from './limits.ts'
import { type Merged, mergedCellsOf, openWorkbook } from './workbook.ts'
import { workbookRows } from './workbook-rows.ts'

/** One table of a file, whatever the file is. */
export interface Sheet {
  name: string
  /** The names of the columns, no two the same. */
  header: readonly string[]
  /** The number of the last row of the header; 0 when there is none. */
  headerRow: number
  /** The rows below the header, from the first, each time it is called. */
  rows: () => AsyncGenerator<SheetRow>
}

const ZIP = Buffer.from('PK')
const OLD_OFFICE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])

/** The sheets of a CSV, TSV or XLSX file. Nothing of them is kept in memory but what cells share. */
export async function openSheets(bytes: Bytes, name: string, mostRows: number = SHEET_LIMITS.rows): Promise<Sheet[]> {
  const start = await readPart(bytes, 0, Math.min(bytes.size, 4) - 1)
  if (!start.subarray(0, 2).equals(ZIP) && !start.equals(OLD_OFFICE)) {
    const text = await delimitedTextOf(bytes)
    return [await sheetOf(name.replace(/\.[a-z0-9]{1,8}$/i, ''), () => delimitedRows(bytes, text), [], mostRows)]
  }
  const workbook = await openWorkbook(bytes)
  const sheets: Sheet[] = []
  for (const { name: called, part } of workbook.sheets) {
    sheets.push(await sheetOf(called, () => workbookRows(workbook, part), await mergedCellsOf(workbook, part), mostRows))
  }
  return sheets
}

async function sheetOf(name: string, rows: () => AsyncGenerator<SheetRow>, merged: readonly Merged[], mostRows: number): Promise<Sheet> {
  const header = headerOf(await beginningOf(rows()), merged)
  if (header.names.length > SHEET_LIMITS.columns) {
    throw tooMuch(`Sheet ${JSON.stringify(name.slice(0, 40))} has ${header.names.length} columns; at most ${SHEET_LIMITS.columns} are read`)
  }
  return { name, header: header.names, headerRow: header.row, rows: () => rowsBelow(rows(), header, mostRows) }
}

async function beginningOf(rows: AsyncGenerator<SheetRow>): Promise<SheetRow[]> {
  const first: SheetRow[] = []
  for await (const row of rows) {
    if (row.number > HEADER_WITHIN) break
    first.push(row)
  }
  return first
}

async function* rowsBelow(rows: AsyncGenerator<SheetRow>, { row: last, names }: Header, most: number): AsyncGenerator<SheetRow> {
  let count = 0
  for await (const { number, cells } of rows) {
    if (number <= last) continue
    if (++count > most) throw tooMuch(`The file has more than ${most.toLocaleString('en-GB')} rows; split it`)
    yield { number, cells: cells.length > names.length ? cells.slice(0, names.length) : cells }
  }
}
