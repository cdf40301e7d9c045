import { type Cell, isBlank, shownCell, type SheetRow } from './cells.ts'
import { dateOf } from './dates.ts'
import { isNumeric } from './numbers.ts'
import type { Merged } from './workbook.ts'

export interface Header {
  names: readonly string[]
  /** The number of its last row: what comes after are rows; 0 when there is none. */
  row: number
}

/** Within so many rows a header is looked for. */
export const HEADER_WITHIN = 20
const TEXT_SHARE = 0.6

/**
 * The first row of which at least 60 % of the columns hold text. Titles above it hold one cell; rows of figures hold none. A header of
 * several rows, with cells merged over the columns that they speak of, is read as one: "Address" over "City" is "Address City".
 */
export function headerOf(rows: readonly SheetRow[], merged: readonly Merged[]): Header {
  const first = rows.filter(({ number }) => number <= HEADER_WITHIN)
  const width = Math.max(0, ...first.map(({ cells }) => filledWidth(cells)))
  const found = first.find(({ cells }) => cells.filter(isText).length >= TEXT_SHARE * width)
  if (!found || width === 0) return { names: numbered(first.length === 0 ? 0 : width), row: 0 }
  const spans = merged.filter(({ left, right }) => right - left + 1 < width)
  const [top, bottom] = blockOf(found.number - 1, spans)
  const byNumber = new Map(first.map((row) => [row.number - 1, row.cells]))
  const names = Array.from({ length: width }, (_, column) => {
    const parts: string[] = []
    for (let row = top; row <= bottom; row++) {
      const at = spans.find((one) => row >= one.top && row <= one.bottom && column >= one.left && column <= one.right)
      const part = shownCell(byNumber.get(at?.top ?? row)?.[at?.left ?? column]).replace(/\s+/g, ' ')
      if (part !== '' && part !== parts.at(-1)) parts.push(part)
    }
    return parts.join(' ')
  })
  return { names: distinct(names), row: bottom + 1 }
}

/** From the row above, when that has cells merged over columns, to the last row into which a cell of the header reaches. */
function blockOf(row: number, spans: readonly Merged[]): [top: number, bottom: number] {
  const overColumns = (at: number) => spans.some(({ top, bottom, left, right }) => at >= top && at <= bottom && right > left)
  const above = row > 0 && overColumns(row - 1)
  const reach = spans.filter(({ top, bottom }) => top <= row && bottom > row).map(({ bottom }) => bottom)
  return [above ? row - 1 : row, Math.max(row, overColumns(row) ? row + 1 : row, ...reach)]
}

const isText = (cell: Cell): boolean => typeof cell === 'string' && !isBlank(cell) && !isNumeric(cell) && dateOf(cell) === null

const filledWidth = (cells: readonly Cell[]) => cells.findLastIndex((cell) => !isBlank(cell)) + 1

const numbered = (width: number) => Array.from({ length: width }, (_, index) => `Column ${index + 1}`)

/** Columns are named by their header everywhere, so no two may have the same and none may be empty. */
function distinct(names: readonly string[]): string[] {
  const seen = new Set<string>()
  return names.map((name, index) => {
    let own = name === '' ? `Column ${index + 1}` : name
    for (let again = 2; seen.has(own.toLowerCase()); again++) own = `${name === '' ? `Column ${index + 1}` : name} (${again})`
    seen.add(own.toLowerCase())
    return own
  })
}
