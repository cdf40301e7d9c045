import type { HallRaster } from './raster.ts'

/** Sizes of the rows of booths and the aisles between them, in grid cells. */
export interface BoothAndAisleSizes {
  width: number
  depth: number
  aisle: number
  crossAisle: number
  maxRun: number
}

/** A double band has two rows back to back; a single band has one row that faces up or down. */
export type BoothRowFacing = 'double' | 'up' | 'down'

/** A row of adjacent booths between two end aisles. `x` is the leftmost cell of the row. */
export interface AdjacentBoothRow {
  x: number
  columns: number
}

export interface SingleOrDoubleBoothRow {
  kind: BoothRowFacing
  /** The lowest row of grid cells that the band covers. */
  y: number
  runs: AdjacentBoothRow[]
}

/** For every grid cell, whether a booth can stand with its lower left corner at the cell, facing up or facing down. */
export interface AllowedBoothPositions {
  columns: number
  rows: number
  facesUp: Uint8Array
  facesDown: Uint8Array
  /** Returns whether all grid cells of a rectangle are walkable. False for a rectangle that is partly outside of the hall. */
  isWalkable: (x: number, y: number, width: number, depth: number) => boolean
}

export interface BoothRowsLayout {
  booths: number
  /** Number of booths at the ends of rows, which visitors can approach from more than one side. */
  corners: number
  bands: SingleOrDoubleBoothRow[]
}

const KINDS: readonly BoothRowFacing[] = ['double', 'up', 'down']

/** Weight of one booth in the score of a layout, so high that no number of corner booths outweighs it. */
const BOOTH = 2 ** 24

export const getBoothRowDepth = (kind: BoothRowFacing, depth: number) => (kind === 'double' ? 2 * depth : depth)

export function findAllowedBoothPositions(
  { columns, rows, walkable, buildable }: Omit<HallRaster, 'left' | 'bottom' | 'cell'>,
  sizes: BoothAndAisleSizes,
): AllowedBoothPositions {
  const isWalkable = createFilledRectangleCheck(columns, rows, walkable)
  const isBuildable = createFilledRectangleCheck(columns, rows, buildable)
  const { width, depth, aisle } = sizes
  const facesUp = new Uint8Array(columns * rows)
  const facesDown = new Uint8Array(columns * rows)
  for (let y = 0; y + depth <= rows; y++) {
    for (let x = 0; x + width <= columns; x++) {
      if (!isBuildable(x, y, width, depth)) continue
      if (isWalkable(x, y + depth, width, aisle)) facesUp[y * columns + x] = 1
      if (isWalkable(x, y - aisle, width, aisle)) facesDown[y * columns + x] = 1
    }
  }
  return { columns, rows, facesUp, facesDown, isWalkable }
}

/** Returns whether all cells of a rectangle are set, in constant time by a summed-area table. */
export function createFilledRectangleCheck(columns: number, rows: number, cells: Uint8Array) {
  const stride = columns + 1
  const sums = new Int32Array(stride * (rows + 1))
  for (let y = 0; y < rows; y++) {
    let row = 0
    for (let x = 0; x < columns; x++) {
      row += cells[y * columns + x]!
      sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1]! + row
    }
  }
  return (x: number, y: number, width: number, depth: number): boolean => {
    if (x < 0 || y < 0 || x + width > columns || y + depth > rows) return false
    const [low, high] = [y * stride + x, (y + depth) * stride + x]
    return sums[high + width]! - sums[high]! - sums[low + width]! + sums[low]! === width * depth
  }
}

/**
 * Finds the layout with the most booths, then the most corner booths, of all layouts of bands, by dynamic programming over the y positions
 * of bands and, within each band, over the x positions of booths. Of equally good layouts, the one with the lowest bands and the leftmost
 * rows of booths is used.
 */
export function findLayoutWithMostBooths(places: AllowedBoothPositions, sizes: BoothAndAisleSizes): BoothRowsLayout {
  const { rows } = places
  const solver = createBandSolver(places, sizes)
  // For each row of grid cells, the best total score of the booths below it.
  const best = new Float64Array(rows + 1)
  const below = (y: number) => best[Math.max(0, y - sizes.aisle)]!
  const chosen = new Int8Array(rows + 1).fill(-1)
  for (let top = 1; top <= rows; top++) {
    best[top] = best[top - 1]!
    for (const [i, kind] of KINDS.entries()) {
      const y = top - getBoothRowDepth(kind, sizes.depth)
      if (y < 0) continue
      const value = below(y) + solver.valueOf(kind, y)
      if (value > best[top]!) {
        best[top] = value
        chosen[top] = i
      }
    }
  }
  const bands: SingleOrDoubleBoothRow[] = []
  for (let top = rows; top > 0;) {
    const kind = KINDS[chosen[top]!]
    if (kind === undefined) {
      top--
      continue
    }
    const y = top - getBoothRowDepth(kind, sizes.depth)
    bands.push({ kind, y, runs: solver.runsOf(kind, y) })
    top = Math.max(0, y - sizes.aisle)
  }
  const total = best[rows]!
  return { booths: Math.floor(total / BOOTH), corners: total % BOOTH, bands: bands.toReversed() }
}

function createBandSolver({ columns, facesUp, facesDown, isWalkable }: AllowedBoothPositions, sizes: BoothAndAisleSizes) {
  const { width, depth, aisle, crossAisle, maxRun } = sizes
  /** Number of booths that begin at each x position, and running totals of these numbers in steps of one booth width. */
  const inColumn = new Uint8Array(columns)
  const upTo = new Int32Array(columns)
  /** The best score of the booths to the left of each x position, if an end aisle is directly to its left; -1 if no row of booths fits. */
  const best = new Float64Array(columns + 1)

  function countColumns(kind: BoothRowFacing, y: number): boolean {
    const up = kind === 'down' ? null : (kind === 'double' ? y + depth : y) * columns
    const down = kind === 'up' ? null : y * columns
    let any = false
    for (let x = 0; x < columns; x++) {
      const count = (up === null ? 0 : facesUp[up + x]!) + (down === null ? 0 : facesDown[down + x]!)
      inColumn[x] = count
      upTo[x] = count + (x >= width ? upTo[x - width]! : 0)
      if (count > 0) any = true
    }
    return any
  }

  const valueOfRun = (x: number, run: number) => {
    const last = x + (run - 1) * width
    const booths = upTo[last]! - (x >= width ? upTo[x - width]! : 0)
    return booths * BOOTH + inColumn[x]! + (run > 1 ? inColumn[last]! : 0)
  }

  function solve(kind: BoothRowFacing, y: number): number {
    if (!countColumns(kind, y)) return 0
    const low = kind === 'up' ? y : y - aisle
    const high = y + getBoothRowDepth(kind, depth) + (kind === 'down' ? 0 : aisle)
    let sofar = 0
    best.fill(-1)
    for (let x = crossAisle; x <= columns; x++) {
      if (!isWalkable(x - crossAisle, low, crossAisle, high - low)) continue
      let value = sofar
      for (let run = 1; run <= maxRun; run++) {
        const start = x - crossAisle - run * width
        if (start < 0) break
        if (best[start]! < 0 || inColumn[start] === 0 || inColumn[start + (run - 1) * width] === 0) continue
        value = Math.max(value, best[start]! + valueOfRun(start, run))
      }
      best[x] = value
      sofar = value
    }
    return sofar
  }

  function runsOf(kind: BoothRowFacing, y: number): AdjacentBoothRow[] {
    const runs: AdjacentBoothRow[] = []
    for (let value = solve(kind, y); value > 0;) {
      const x = best.indexOf(value)
      let run = maxRun
      const startOf = () => x - crossAisle - run * width
      const fits = () =>
        startOf() >= 0 &&
        best[startOf()]! >= 0 &&
        inColumn[startOf()]! > 0 &&
        inColumn[startOf() + (run - 1) * width]! > 0 &&
        best[startOf()]! + valueOfRun(startOf(), run) === value
      while (!fits()) run--
      runs.push({ x: startOf(), columns: run })
      value = best[startOf()]!
    }
    return runs.toReversed()
  }

  return { valueOf: solve, runsOf }
}
