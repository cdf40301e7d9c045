import type { InParts } from '../../../kernel/turns.ts'
import { METRE, type Obstacle, type Outline, type Point, type Polygon } from './plan-shapes.ts'
import { boxOf, edgesOf } from './polygons.ts'

/** The side of a cell: half a metre. */
export const CELL = METRE / 2

/** Where people can walk, in cells of half a metre: inside the hall, on no obstacle that stops them and on no booth. */
export interface Grid {
  left: number
  bottom: number
  columns: number
  rows: number
  walkable: Uint8Array
}

interface Floor {
  outline: Outline
  obstacles: readonly Obstacle[]
  booths: readonly { polygon: Polygon }[]
}

export function* walkableGrid({ outline, obstacles, booths }: Floor): InParts<Grid> {
  const box = boxOf(outline.outer)
  const columns = Math.ceil((box.right - box.left) / CELL)
  const rows = Math.ceil((box.top - box.bottom) / CELL)
  const grid = { left: box.left, bottom: box.bottom, columns, rows, walkable: new Uint8Array(columns * rows) }
  fill(grid, outline.outer, 1)
  for (const hole of outline.holes) fill(grid, hole, 0)
  for (const { blocksWalking, polygon } of obstacles) if (blocksWalking) fill(grid, polygon, 0)
  for (const [i, { polygon }] of booths.entries()) {
    fill(grid, polygon, 0)
    if (i % 100 === 99) yield
  }
  return grid
}

/** A cell is in a polygon when its middle is. */
function fill(grid: Grid, polygon: Polygon, value: 0 | 1): void {
  const { bottom, top } = boxOf(polygon)
  const [from, until] = [rowAt(grid, bottom), Math.min(grid.rows - 1, rowAt(grid, top))]
  for (let row = Math.max(0, from); row <= until; row++) {
    const y = grid.bottom + (row + 0.5) * CELL
    const xs = crossings(polygon, y)
    for (let i = 0; i + 1 < xs.length; i += 2) {
      const first = Math.max(0, Math.ceil((xs[i]! - grid.left) / CELL - 0.5))
      const last = Math.min(grid.columns - 1, Math.ceil((xs[i + 1]! - grid.left) / CELL - 0.5) - 1)
      for (let column = first; column <= last; column++) grid.walkable[row * grid.columns + column] = value
    }
  }
}

function crossings(polygon: Polygon, y: number): number[] {
  const xs: number[] = []
  for (const [[ax, ay], [bx, by]] of edgesOf(polygon)) if (ay > y !== by > y) xs.push(ax + ((y - ay) / (by - ay)) * (bx - ax))
  return xs.sort((a, b) => a - b)
}

const rowAt = ({ bottom }: Pick<Grid, 'bottom'>, y: number) => Math.floor((y - bottom) / CELL)

export const middleOf = ({ left, bottom, columns }: Grid, cell: number): Point => [
  left + ((cell % columns) + 0.5) * CELL,
  bottom + (Math.floor(cell / columns) + 0.5) * CELL,
]

export const isWalkable = (grid: Grid, [x, y]: Point): boolean => {
  const [column, row] = [Math.floor((x - grid.left) / CELL), rowAt(grid, y)]
  return column >= 0 && row >= 0 && column < grid.columns && row < grid.rows && grid.walkable[row * grid.columns + column] === 1
}

/** The walkable cell nearest to a point; of several the lowest, then the leftmost. Null where nobody can walk at all. */
export function nearestCell(grid: Grid, [x, y]: Point): number | null {
  const [column, row] = [Math.floor((x - grid.left) / CELL), rowAt(grid, y)]
  let best: { cell: number; distance: number } | null = null
  for (let ring = 0; ring <= Math.max(grid.columns, grid.rows); ring++) {
    // Nothing further out can be nearer than the ring's own distance.
    if (best && best.distance <= (ring - 1) * CELL) break
    for (const cell of ringAround(grid, column, row, ring)) {
      if (grid.walkable[cell] !== 1) continue
      const [cx, cy] = middleOf(grid, cell)
      const distance = Math.hypot(cx - x, cy - y)
      if (!best || distance < best.distance - 1e-6 || (distance < best.distance + 1e-6 && cell < best.cell)) best = { cell, distance }
    }
  }
  return best?.cell ?? null
}

function* ringAround({ columns, rows }: Grid, column: number, row: number, ring: number): Generator<number> {
  for (let r = Math.max(0, row - ring); r <= Math.min(rows - 1, row + ring); r++) {
    const edge = Math.abs(r - row) === ring
    for (let c = Math.max(0, column - ring); c <= Math.min(columns - 1, column + ring); c++) {
      if (edge || Math.abs(c - column) === ring) yield r * columns + c
      else c = Math.max(c, column + ring - 1)
    }
  }
}

const OPEN_LENGTH = METRE

const OPEN_SHARE = 0.8

/** The sides people can come from: at least a metre long, and for four fifths of that with a metre and a half of floor in front. */
export function openSides(grid: Grid, polygon: Polygon): [Point, Point][] {
  return edgesOf(polygon).filter(([a, b]) => {
    const length = Math.hypot(b[0] - a[0], b[1] - a[1])
    if (length < OPEN_LENGTH) return false
    const [ux, uy] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length]
    const steps = Math.ceil(length / (CELL / 2))
    let open = 0
    for (let i = 0; i < steps; i++) {
      const along = ((i + 0.5) / steps) * length
      // Outside is to the right of a polygon that turns left.
      const free = [0.25, 0.75, 1.25].every((metres) => {
        const out = metres * METRE
        return isWalkable(grid, [a[0] + ux * along + uy * out, a[1] + uy * along - ux * out])
      })
      if (free) open++
    }
    return open / steps >= OPEN_SHARE
  })
}

/** Where somebody stands who visits a booth: the walkable cell nearest to the middle of its longest open side. */
export function accessCell(grid: Grid, polygon: Polygon): number | null {
  const sides = openSides(grid, polygon)
  const lengthOf = ([a, b]: [Point, Point]) => Math.hypot(b[0] - a[0], b[1] - a[1])
  const longest = (sides.length > 0 ? sides : edgesOf(polygon)).reduce((best, side) =>
    lengthOf(side) > lengthOf(best) + 1e-6 ? side : best,
  )
  const [[ax, ay], [bx, by]] = longest
  const length = lengthOf(longest)
  // A little in front, so that a cell on the near side of another booth is not taken for this one's.
  const [outX, outY] = [((by - ay) / length) * (CELL / 2), ((ax - bx) / length) * (CELL / 2)]
  return nearestCell(grid, [(ax + bx) / 2 + outX, (ay + by) / 2 + outY])
}
