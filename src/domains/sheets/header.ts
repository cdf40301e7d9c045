import { type SheetCell, isBlankCell, formatCell, type SheetRow } from './cells.ts'
import { parseDate } from './dates.ts'
import { isNumericCell } from './numbers.ts'
import type { MergedRange } from './workbook.ts'

export interface SheetHeader {
  names: readonly string[]
  /** The number of the last header row; 0 if the sheet has no header. */
  row: number
}

/** The last row of a sheet that is searched for a header. */
export const MAX_HEADER_ROW = 20
const TEXT_SHARE = 0.6

/**
 * Finds the header: the first row in which at least 60 % of the columns contain text. Title rows above it have a single cell, data rows
 * contain numbers. A header of several rows with merged cells is joined: "Address" above "City" becomes "Address City".
 */
export function findSheetHeader(rows: readonly SheetRow[], merged: readonly MergedRange[]): SheetHeader {
  const first = rows.filter(({ number }) => number <= MAX_HEADER_ROW)
  const width = Math.max(0, ...first.map(({ cells }) => filledWidth(cells)))
  const found = first.find(({ cells }) => cells.filter(isText).length >= TEXT_SHARE * width)
  if (!found || width === 0) return { names: numbered(first.length === 0 ? 0 : width), row: 0 }
  const spans = merged.filter(({ left, right }) => right - left + 1 < width)
  const [top, bottom] = findHeaderRows(found.number - 1, spans)
  const byNumber = new Map(first.map((row) => [row.number - 1, row.cells]))
  const names = Array.from({ length: width }, (_, column) => {
    const parts: string[] = []
    for (let row = top; row <= bottom; row++) {
      const at = spans.find((one) => row >= one.top && row <= one.bottom && column >= one.left && column <= one.right)
      const part = formatCell(byNumber.get(at?.top ?? row)?.[at?.left ?? column]).replace(/\s+/g, ' ')
      if (part !== '' && part !== parts.at(-1)) parts.push(part)
    }
    return parts.join(' ')
  })
  return { names: distinct(names), row: bottom + 1 }
}

/**
 * Finds the first and last row of the header: it starts one row above if that row has horizontally merged cells, and ends at the last row
 * that a merged cell reaches.
 */
function findHeaderRows(row: number, spans: readonly MergedRange[]): [top: number, bottom: number] {
  const overColumns = (at: number) => spans.some(({ top, bottom, left, right }) => at >= top && at <= bottom && right > left)
  const above = row > 0 && overColumns(row - 1)
  const reach = spans.filter(({ top, bottom }) => top <= row && bottom > row).map(({ bottom }) => bottom)
  return [above ? row - 1 : row, Math.max(row, overColumns(row) ? row + 1 : row, ...reach)]
}

const isText = (cell: SheetCell): boolean =>
  typeof cell === 'string' && !isBlankCell(cell) && !isNumericCell(cell) && parseDate(cell) === null

const filledWidth = (cells: readonly SheetCell[]) => cells.findLastIndex((cell) => !isBlankCell(cell)) + 1

const numbered = (width: number) => Array.from({ length: width }, (_, index) => `Column ${index + 1}`)

/** Makes column names unique and non-empty, because columns are identified by name. */
function distinct(names: readonly string[]): string[] {
  const seen = new Set<string>()
  return names.map((name, index) => {
    let own = name === '' ? `Column ${index + 1}` : name
    for (let again = 2; seen.has(own.toLowerCase()); again++) own = `${name === '' ? `Column ${index + 1}` : name} (${again})`
    seen.add(own.toLowerCase())
    return own
  })
}
