import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { CELL_SIZE, type Grid } from './grid.ts'

const DIAGONAL_COST = Math.SQRT2

/** Shortest paths on a grid: for every cell its distance from the start, in cells, and its predecessor on the path. */
export interface ShortestPaths {
  distance: Float64Array
  before: Int32Array
  /** The cells that can be reached, nearest first. */
  reached: readonly number[]
}

/**
 * Finds the shortest paths from one or more cells by Dijkstra's algorithm. Steps lead to the eight neighbours of a cell; a diagonal step is
 * possible only if both cells beside it are walkable. Deterministic.
 */
export function* findShortestPaths({ columns, rows, walkable }: Grid, ...starts: readonly number[]): CooperativeTask<ShortestPaths> {
  const distance = new Float64Array(columns * rows).fill(Infinity)
  const before = new Int32Array(columns * rows).fill(-1)
  const reached: number[] = []
  const queue = createPriorityQueue()
  for (const start of starts) {
    distance[start] = 0
    queue.push(start, 0)
  }
  for (let taken = 0; ; taken++) {
    const next = queue.pop()
    if (next === null) return { distance, before, reached }
    const { cell, cost } = next
    if (cost > distance[cell]!) continue
    reached.push(cell)
    const column = cell % columns
    const row = (cell - column) / columns
    for (let dy = -1; dy <= 1; dy++) {
      for (let dx = -1; dx <= 1; dx++) {
        const c = column + dx
        const r = row + dy
        if ((dx === 0 && dy === 0) || c < 0 || r < 0 || c >= columns || r >= rows) continue
        const other = r * columns + c
        if (walkable[other] !== 1) continue
        if (dx !== 0 && dy !== 0 && (walkable[row * columns + c] !== 1 || walkable[r * columns + column] !== 1)) continue
        const further = cost + (dx !== 0 && dy !== 0 ? DIAGONAL_COST : 1)
        if (further < distance[other]! - 1e-9) {
          distance[other] = further
          before[other] = cell
          queue.push(other, further)
        }
      }
    }
    if (taken % 5000 === 4999) yield
  }
}

/** Returns the cells of the shortest path from the start to the target. */
export function traceShortestPath({ before }: ShortestPaths, target: number): number[] {
  const cells: number[] = []
  for (let cell = target; cell !== -1; cell = before[cell]!) cells.push(cell)
  return cells.toReversed()
}

export const convertCellsToMetres = (cells: number) => (cells * CELL_SIZE) / 10_000

/** A binary heap; ties are broken by the lower cell, so that paths are deterministic. */
function createPriorityQueue() {
  const cells: number[] = []
  const costs: number[] = []
  const isBefore = (cell: number, cost: number, at: number) => cost < costs[at]! || (cost === costs[at]! && cell < cells[at]!)
  const put = (at: number, cell: number, cost: number) => {
    cells[at] = cell
    costs[at] = cost
  }
  return {
    push(cell: number, cost: number) {
      let at = cells.length
      put(at, cell, cost)
      while (at > 0) {
        const parent = (at - 1) >> 1
        if (!isBefore(cell, cost, parent)) break
        put(at, cells[parent]!, costs[parent]!)
        at = parent
      }
      put(at, cell, cost)
    },
    pop(): { cell: number; cost: number } | null {
      if (cells.length === 0) return null
      const top = { cell: cells[0]!, cost: costs[0]! }
      const cell = cells.pop()!
      const cost = costs.pop()!
      const size = cells.length
      let at = 0
      for (let child = 1; child < size; child = 2 * at + 1) {
        if (child + 1 < size && isBefore(cells[child + 1]!, costs[child + 1]!, child)) child++
        if (isBefore(cell, cost, child)) break
        put(at, cells[child]!, costs[child]!)
        at = child
      }
      if (size > 0) put(at, cell, cost)
      return top
    },
  }
}
