import type { CooperativeTask } from '../../../kernel/cooperative.ts'

const FREE = -1

/**
 * Assigns rows to columns so that the sum of values is largest, by shortest augmenting paths (Jonker and Volgenant), in O(n³). `values`
 * holds the value of each row at each column; NaN forbids a pair. A row may stay without a column, for a value of 0. Returns the column of
 * each row, or -1.
 */
export function* assignRows(values: readonly Float64Array[], columns: number): CooperativeTask<Int32Array> {
  const rows = values.length
  // Each row has its own dummy column: a row that is assigned to its dummy column has no real column.
  const width = columns + rows
  const state: State = {
    values,
    columns,
    rowOf: new Int32Array(width).fill(FREE),
    columnOf: new Int32Array(rows).fill(FREE),
    rowPrice: new Float64Array(rows),
    columnPrice: new Float64Array(width),
    shortest: new Float64Array(width),
    from: new Int32Array(width),
    visited: new Uint8Array(width),
  }
  for (let row = 0; row < rows; row++) {
    augment(state, row)
    yield
  }
  return state.columnOf.map((column) => (column < columns ? column : FREE))
}

interface State {
  values: readonly Float64Array[]
  columns: number
  rowOf: Int32Array
  columnOf: Int32Array
  rowPrice: Float64Array
  columnPrice: Float64Array
  shortest: Float64Array
  /** The row from which the shortest path reaches each column. */
  from: Int32Array
  visited: Uint8Array
}

/**
 * Finds the cheapest path from a row to a free column (Hungarian algorithm), reassigns the rows along it, and adjusts the dual prices of
 * rows and columns.
 */
function augment(state: State, start: number): void {
  const { rowOf, columnOf, rowPrice, columnPrice, shortest, from, visited } = state
  shortest.fill(Infinity)
  visited.fill(0)
  const path: number[] = []
  let [row, distance] = [start, 0]
  let end = FREE
  while (end === FREE) {
    relax(state, row, distance)
    const next = nearest(state)
    distance = shortest[next]!
    visited[next] = 1
    path.push(next)
    if (rowOf[next] === FREE) end = next
    else row = rowOf[next]!
  }
  rowPrice[start]! += distance
  for (const column of path) {
    if (column === end) continue
    const change = distance - shortest[column]!
    rowPrice[rowOf[column]!]! += change
    columnPrice[column]! -= change
  }
  for (let column = end; ;) {
    const owner = from[column]!
    const previous = columnOf[owner]!
    rowOf[column] = owner
    columnOf[owner] = column
    if (owner === start) return
    column = previous
  }
}

function relax({ values, columns, rowPrice, columnPrice, shortest, from, visited }: State, row: number, distance: number): void {
  const own = values[row]!
  const base = distance - rowPrice[row]!
  for (let column = 0; column < columns; column++) {
    if (visited[column] === 1) continue
    // The value of a forbidden pair is NaN. Comparisons with NaN are false, so the pair is never chosen.
    const length = base - own[column]! - columnPrice[column]!
    if (length < shortest[column]!) {
      shortest[column] = length
      from[column] = row
    }
  }
  const none = columns + row
  if (visited[none] === 0 && base - columnPrice[none]! < shortest[none]!) {
    shortest[none] = base - columnPrice[none]!
    from[none] = row
  }
}

function nearest({ shortest, visited }: State): number {
  let best = FREE
  for (let column = 0; column < shortest.length; column++)
    if (visited[column] === 0 && (best === FREE || shortest[column]! < shortest[best]!)) best = column
  return best
}
