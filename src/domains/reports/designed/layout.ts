import { type WidgetPosition, sortWidgetsInReadingOrder } from './grid.ts'

/** The position of a widget in its band (a group of widgets beside each other). Rows count from the top of the band. */
export interface WidgetBandPosition<T> {
  item: T
  column: number
  width: number
  row: number
  height: number
}

/**
 * Divides widgets into bands, one below the other, so that no widget extends into the next band. A band is as high as its content, so the
 * rows of the grid are reduced to those at which a widget begins or ends.
 */
export function groupWidgetsIntoBands<T extends { widget: WidgetPosition }>(items: readonly T[]): WidgetBandPosition<T>[][] {
  const bands: T[][] = []
  let end = 0
  const byCell = new Map(items.map((item) => [item.widget, item]))
  for (const cell of sortWidgetsInReadingOrder([...byCell.keys()])) {
    if (bands.length === 0 || cell.y >= end) bands.push([])
    bands.at(-1)!.push(byCell.get(cell)!)
    end = Math.max(end, cell.y + cell.h)
  }
  return bands.map((band) => {
    const edges = [...new Set(band.flatMap(({ widget: { y, h } }) => [y, y + h]))].toSorted((a, b) => a - b)
    return band.map((item) => {
      const { x, y, w, h } = item.widget
      const row = edges.indexOf(y)
      return { item, column: x, width: w, row, height: edges.indexOf(y + h) - row }
    })
  })
}
