import type { InParts } from '../../../kernel/turns.ts'
import { CELL, type Grid } from './grid.ts'

const DIAGONAL = Math.SQRT2

/** Of every cell how far it is from the first one, in cells, and from where one comes there. */
export interface Ways {
  distance: Float64Array
  before: Int32Array
}

/** Dijkstra over eight neighbours; nobody squeezes between two corners. The same floor gives the same ways. */
export function* waysFrom({ columns, rows, walkable }: Grid, start: number): InParts<Ways> {
  const distance = new Float64Array(columns * rows).fill(Infinity)
  const before = new Int32Array(columns * rows).fill(-1)
  const queue = newQueue()
  distance[start] = 0
  queue.push(start, 0)
  for (let taken = 0; ; taken++) {
    const next = queue.pop()
    if (next === null) return { distance, before }
    const { cell, cost } = next
    if (cost > distance[cell]!) continue
    const [column, row] = [cell % columns, Math.floor(cell / columns)]
    for (let dy = -1; dy <= 1; dy++) {
      for (let dx = -1; dx <= 1; dx++) {
        const [c, r] = [column + dx, row + dy]
        if ((dx === 0 && dy === 0) || c < 0 || r < 0 || c >= columns || r >= rows) continue
        const other = r * columns + c
        if (walkable[other] !== 1) continue
        if (dx !== 0 && dy !== 0 && (walkable[row * columns + c] !== 1 || walkable[r * columns + column] !== 1)) continue
        const further = cost + (dx !== 0 && dy !== 0 ? DIAGONAL : 1)
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

/** The cells of a way, from its start. */
export function wayTo({ before }: Ways, target: number): number[] {
  const cells: number[] = []
  for (let cell = target; cell !== -1; cell = before[cell]!) cells.push(cell)
  return cells.toReversed()
}

export const inMetres = (cells: number) => (cells * CELL) / 10_000

/** A binary heap: what is nearest leaves first, of equally near ones the lower cell. */
function newQueue() {
  const cells: number[] = []
  const costs: number[] = []
  const isBefore = (a: number, b: number) => costs[a]! < costs[b]! || (costs[a]! === costs[b]! && cells[a]! < cells[b]!)
  const swap = (a: number, b: number) => {
    ;[cells[a], cells[b]] = [cells[b]!, cells[a]!]
    ;[costs[a], costs[b]] = [costs[b]!, costs[a]!]
  }
  return {
    push(cell: number, cost: number) {
      let i = cells.push(cell) - 1
      costs.push(cost)
      while (i > 0) {
        const parent = (i - 1) >> 1
        if (!isBefore(i, parent)) break
        swap(i, parent)
        i = parent
      }
    },
    pop(): { cell: number; cost: number } | null {
      if (cells.length === 0) return null
      const top = { cell: cells[0]!, cost: costs[0]! }
      const [cell, cost] = [cells.pop()!, costs.pop()!]
      if (cells.length > 0) {
        ;[cells[0], costs[0]] = [cell, cost]
        for (let i = 0; ;) {
          const [left, right] = [2 * i + 1, 2 * i + 2]
          let least = i
          if (left < cells.length && isBefore(left, least)) least = left
          if (right < cells.length && isBefore(right, least)) least = right
          if (least === i) break
          swap(i, least)
          i = least
        }
      }
      return top
    },
  }
}
