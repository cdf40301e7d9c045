import type { Point } from '../floor/plan-shapes.ts'
import { type BoothAndAisleSizes, createFilledRectangleCheck } from './bands.ts'
import type { PlacedBooth } from './placed-booths.ts'
import type { HallRaster } from './raster.ts'
import { TENTHS_OF_MM_PER_METRE } from '../floor/plan-shapes.ts'

/** Maximum distance between the position of an exit on the plan and the floor in front of it. */
const EXIT_DISTANCE = TENTHS_OF_MM_PER_METRE

export interface ReachableArea {
  booths: boolean[]
  exits: boolean[]
  /** Whether all cells of a rectangle are walkable and without booths. */
  isFree: (x: number, y: number, width: number, depth: number) => boolean
}

/**
 * Finds the booths that are reached from the exits on floor at least one aisle wide: a square of that width moves from the exits over
 * walkable cells without booths, and must touch the front of a booth. `exits` are points in turned coordinates.
 */
export function findReachableBooths(
  raster: HallRaster,
  sizes: BoothAndAisleSizes,
  booths: readonly PlacedBooth[],
  exits: readonly Point[],
): ReachableArea {
  const { columns, rows } = raster
  const { width, depth, aisle } = sizes
  const free = raster.walkable.slice()
  for (const { x, y } of booths) for (let row = y; row < y + depth; row++) free.fill(0, row * columns + x, row * columns + x + width)
  const isFree = createFilledRectangleCheck(columns, rows, free)
  const fits = (x: number, y: number) => isFree(x, y, aisle, aisle)
  // 1 for each cell that is the lower left corner of an aisle-wide square of floor that is connected with an exit.
  const reached = new Uint8Array(columns * rows)
  const queue: number[] = []
  const visit = (x: number, y: number): boolean => {
    if (!fits(x, y)) return false
    if (reached[y * columns + x] === 0) {
      reached[y * columns + x] = 1
      queue.push(y * columns + x)
    }
    return true
  }
  const foundExits = exits.map((exit) => squaresNear(raster, aisle, exit).filter(([x, y]) => visit(x, y)).length > 0)
  while (queue.length > 0) {
    const cell = queue.pop()!
    const x = cell % columns
    const y = (cell - x) / columns
    visit(x - 1, y)
    visit(x + 1, y)
    visit(x, y - 1)
    visit(x, y + 1)
  }
  const touches = ({ x, y, faces }: PlacedBooth) => {
    const row = faces === 'up' ? y + depth : y - aisle
    for (let column = Math.max(0, x - aisle + 1); column < Math.min(columns, x + width); column++)
      if (row >= 0 && row < rows && reached[row * columns + column] === 1) return true
    return false
  }
  return { booths: booths.map(touches), exits: foundExits, isFree }
}

/** Lists the aisle-wide squares of floor near a point, each by its lower left cell. */
function squaresNear({ left, bottom, cell, columns, rows }: HallRaster, aisle: number, [px, py]: Point): [number, number][] {
  const side = aisle * cell
  const range = (at: number, from: number, count: number) => ({
    first: Math.max(0, Math.floor((at - EXIT_DISTANCE - side - from) / cell)),
    last: Math.min(count - aisle, Math.ceil((at + EXIT_DISTANCE - from) / cell)),
  })
  const [xs, ys] = [range(px, left, columns), range(py, bottom, rows)]
  const found: [number, number][] = []
  for (let y = ys.first; y <= ys.last; y++) {
    for (let x = xs.first; x <= xs.last; x++) {
      const [x0, y0] = [left + x * cell, bottom + y * cell]
      const distance = Math.hypot(Math.max(x0 - px, 0, px - x0 - side), Math.max(y0 - py, 0, py - y0 - side))
      if (distance <= EXIT_DISTANCE) found.push([x, y])
    }
  }
  return found
}
