/** The position and size of a widget on the grid, in columns and rows. */
export interface WidgetPosition {
  x: number
  y: number
  w: number
  h: number
}

export const GRID_COLUMNS = 12
export const MAX_GRID_ROWS = 1000

/** Sorts widgets in reading order, from top to bottom and then from left to right, for pages, files and screen readers. */
export const sortWidgetsInReadingOrder = <T extends WidgetPosition>(cells: readonly T[]): T[] =>
  cells.toSorted((a, b) => a.y - b.y || a.x - b.x)

const overlap = (a: WidgetPosition, b: WidgetPosition) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

/** Finds the first two widgets that overlap, in reading order. */
export function findOverlappingWidgets<T extends WidgetPosition>(cells: readonly T[]): [T, T] | null {
  const ordered = sortWidgetsInReadingOrder(cells)
  for (const [at, cell] of ordered.entries())
    for (const later of ordered.slice(at + 1)) {
      if (later.y >= cell.y + cell.h) break
      if (overlap(cell, later)) return [cell, later]
    }
  return null
}

/** Finds the first grid row from which `h` consecutive rows contain no widget. */
export function findFirstFreeRow(cells: readonly WidgetPosition[], h: number): number {
  let free = 0
  for (const cell of sortWidgetsInReadingOrder(cells)) {
    if (cell.y >= free + h) break
    free = Math.max(free, cell.y + cell.h)
  }
  return free
}

/** Moves all widgets at or below a grid row down, just far enough that `h` rows from there are free. */
export function moveWidgetsDown<T extends WidgetPosition>(cells: readonly T[], row: number, h: number): T[] {
  const below = cells.filter((cell) => cell.y >= row)
  const shift = Math.max(0, row + h - Math.min(...below.map(({ y }) => y)))
  return cells.map((cell) => (cell.y >= row ? { ...cell, y: cell.y + shift } : cell))
}
