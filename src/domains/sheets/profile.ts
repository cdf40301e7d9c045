import { yieldToEventLoop } from '../../kernel/cooperative.ts'
import { type SheetCell, isBlankCell, formatCell } from './cells.ts'
import { type DayMonthOrder, detectDayMonthOrder } from './dates.ts'
import { detectDecimalSeparator, type DecimalSeparator } from './numbers.ts'
import type { Sheet } from './sheets.ts'

/** Statistics of a column after one pass over the sheet. */
export interface ColumnProfile {
  name: string
  filled: number
  /** A sample of the column: the first 200 values and 200 evenly spaced ones. */
  values: readonly SheetCell[]
  /** Number of occurrences of each value; null if the column has too many different values to be a choice field. */
  distinct: ReadonlyMap<string, number> | null
  /** The decimal separator of the column; `either` if all its values are ambiguous. */
  decimal: DecimalSeparator | 'either' | null
  dates: DayMonthOrder | 'either' | null
}

export interface SheetProfile {
  rows: number
  columns: readonly ColumnProfile[]
}

const FIRST_VALUES = 200
const SPACED_VALUES = 200
const MAX_DISTINCT = 100
const MAX_KEPT_TEXT = 300

export async function computeSheetProfile(sheet: Sheet): Promise<SheetProfile> {
  const columns = sheet.header.map(createColumnProfiler)
  let rows = 0
  for await (const { cells } of sheet.rows()) {
    rows++
    columns.forEach((column, index) => column.see(cells[index] ?? null))
    if (rows % 100 === 0) await yieldToEventLoop()
  }
  return { rows, columns: columns.map((column) => column.profile()) }
}

function createColumnProfiler(name: string) {
  const first: SheetCell[] = []
  const spaced = createSpacedSample()
  const decimals = new Set<DecimalSeparator | 'either' | null>()
  const orders = new Set<DayMonthOrder | 'either' | null>()
  let distinct: Map<string, number> | null = new Map()
  let filled = 0
  return {
    see(cell: SheetCell) {
      if (isBlankCell(cell)) return
      filled++
      const kept = typeof cell === 'string' ? cell.slice(0, MAX_KEPT_TEXT) : cell
      if (first.length < FIRST_VALUES) first.push(kept)
      spaced.see(kept)
      decimals.add(detectDecimalSeparator(cell))
      orders.add(detectDayMonthOrder(cell))
      const shown = formatCell(kept)
      distinct?.set(shown, (distinct.get(shown) ?? 0) + 1)
      if (distinct && distinct.size > MAX_DISTINCT) distinct = null
    },
    profile: (): ColumnProfile => ({
      name,
      filled,
      values: [...first, ...spaced.values()],
      distinct,
      decimal: combineHints(decimals, ['.', ',']),
      dates: combineHints(orders, ['DMY', 'MDY']),
    }),
  }
}

/**
 * Combines the number or date formats that the values of a column suggest: one unambiguous value decides; contradictions stay undecided.
 */
function combineHints<T>(hints: ReadonlySet<T | 'either' | null>, [one, other]: readonly [T, T]): T | 'either' | null {
  if (hints.has(one) && hints.has(other)) return 'either'
  return hints.has(one) ? one : hints.has(other) ? other : hints.has('either') ? 'either' : null
}

/**
 * Samples evenly spaced values of a stream of unknown length: when the sample is full, every second value is dropped and the distance
 * between values doubles.
 */
function createSpacedSample() {
  let kept: SheetCell[] = []
  let [seen, distance] = [0, 1]
  return {
    see(cell: SheetCell) {
      if (seen++ % distance !== 0) return
      kept.push(cell)
      if (kept.length < 2 * SPACED_VALUES) return
      kept = kept.filter((_, index) => index % 2 === 0)
      distance *= 2
    },
    values: () =>
      Array.from(
        { length: Math.min(SPACED_VALUES, kept.length) },
        (_, index) => kept[Math.floor((index * kept.length) / Math.min(SPACED_VALUES, kept.length))]!,
      ),
  }
}
