import { giveWay } from '../../kernel/turns.ts'
import { type Cell, isBlank, shownCell } from './cells.ts'
import { type DateOrder, orderHint } from './dates.ts'
import { decimalHint, type DecimalSeparator } from './numbers.ts'
import type { Sheet } from './sheets.ts'

/** What is known of a column after the whole sheet was gone through once. */
export interface ColumnProfile {
  name: string
  filled: number
  /** The first 200 values and 200 evenly spaced ones. */
  values: readonly Cell[]
  /** How often each value occurs; null with more different ones than anybody would choose from. */
  distinct: ReadonlyMap<string, number> | null
  /** `either`: some values could be read both ways and none decides. */
  decimal: DecimalSeparator | 'either' | null
  dates: DateOrder | 'either' | null
}

export interface SheetProfile {
  rows: number
  columns: readonly ColumnProfile[]
}

const FIRST = 200
const SPACED = 200
const MAX_DISTINCT = 100
const MAX_KEPT_TEXT = 300

export async function profileSheet(sheet: Sheet): Promise<SheetProfile> {
  const columns = sheet.header.map(columnProfiler)
  let rows = 0
  for await (const { cells } of sheet.rows()) {
    rows++
    columns.forEach((column, index) => column.see(cells[index] ?? null))
    if (rows % 100 === 0) await giveWay()
  }
  return { rows, columns: columns.map((column) => column.profile()) }
}

function columnProfiler(name: string) {
  const first: Cell[] = []
  const spaced = spacedSample()
  const decimals = new Set<DecimalSeparator | 'either' | null>()
  const orders = new Set<DateOrder | 'either' | null>()
  let distinct: Map<string, number> | null = new Map()
  let filled = 0
  return {
    see(cell: Cell) {
      if (isBlank(cell)) return
      filled++
      const kept = typeof cell === 'string' ? cell.slice(0, MAX_KEPT_TEXT) : cell
      if (first.length < FIRST) first.push(kept)
      spaced.see(kept)
      decimals.add(decimalHint(cell))
      orders.add(orderHint(cell))
      const shown = shownCell(kept)
      distinct?.set(shown, (distinct.get(shown) ?? 0) + 1)
      if (distinct && distinct.size > MAX_DISTINCT) distinct = null
    },
    profile: (): ColumnProfile => ({
      name,
      filled,
      values: [...first, ...spaced.values()],
      distinct,
      decimal: decided(decimals, ['.', ',']),
      dates: decided(orders, ['DMY', 'MDY']),
    }),
  }
}

/** One value that decides, decides for its column; two that disagree leave it open. */
function decided<T>(hints: ReadonlySet<T | 'either' | null>, [one, other]: readonly [T, T]): T | 'either' | null {
  if (hints.has(one) && hints.has(other)) return 'either'
  return hints.has(one) ? one : hints.has(other) ? other : hints.has('either') ? 'either' : null
}

/**
 * So many values at even distances of however many come: whenever twice as many are kept, every other one is let go and the distance
 * doubled.
 */
function spacedSample() {
  let kept: Cell[] = []
  let [seen, distance] = [0, 1]
  return {
    see(cell: Cell) {
      if (seen++ % distance !== 0) return
      kept.push(cell)
      if (kept.length < 2 * SPACED) return
      kept = kept.filter((_, index) => index % 2 === 0)
      distance *= 2
    },
    values: () =>
      Array.from(
        { length: Math.min(SPACED, kept.length) },
        (_, index) => kept[Math.floor((index * kept.length) / Math.min(SPACED, kept.length))]!,
      ),
  }
}
