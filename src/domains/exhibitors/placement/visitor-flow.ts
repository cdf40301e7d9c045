import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { getCellCentre, CELL_SIZE, type Grid } from '../floor/grid.ts'
import { findShortestPaths } from '../floor/paths.ts'
import type { Point } from '../floor/plan-shapes.ts'

/**
 * A place that visitors walk to, such as a stage, as grid cells. `weight` is the number of visitors relative to other places; they are
 * divided evenly among the cells that can be reached.
 */
export interface VisitorDestination {
  cells: readonly number[]
  weight: number
}

/** The flow of visitors from one entrance to all destinations, in the unit of the destinations' weights. */
export interface VisitorFlow {
  /** Sum of the weights of all destinations that can be reached. */
  total: number
  /** Distance of each grid cell from the entrance, as a multiple of the cell's side. */
  distance: Float64Array
  /** Returns the flow of visitors that passes at least one of the given cells. */
  through: (cells: readonly number[]) => number
}

/** Path lengths that differ by less than this count as equal, because floating-point sums of 1 and √2 depend on the order of the steps. */
const SAME_LENGTH = 1e-6

/**
 * Sends visitors along shortest paths. Where several paths are equally short, the visitors split evenly, so that no direction is
 * preferred.
 */
export function* createVisitorFlow(
  grid: Grid,
  starts: readonly number[],
  destinations: readonly VisitorDestination[],
): CooperativeTask<VisitorFlow> {
  const { distance, reached } = yield* findShortestPaths(grid, ...starts)
  const flow = new Float64Array(grid.columns * grid.rows)
  let total = 0
  for (const { cells, weight } of destinations) {
    const reachable = cells.filter((cell) => distance[cell]! < Infinity)
    if (reachable.length > 0) total += weight
    for (const cell of reachable) flow[cell]! += weight / reachable.length
  }
  const { before, findBefore } = createPredecessors(grid, distance)
  for (let i = reached.length - 1; i >= 0; i--) {
    const cell = reached[i]!
    if (flow[cell]! > 0) {
      const count = findBefore(cell)
      for (let k = 0; k < count; k++) flow[before[k]!]! += flow[cell]! / count
    }
    if (i % 5000 === 0) yield
  }
  return { total, distance, through: createFlowThrough(grid, distance, flow) }
}

/** Creates a function that writes the predecessors of a cell on shortest paths to `before`, a buffer that every call overwrites. */
function createPredecessors({ columns, rows, walkable }: Grid, distance: Float64Array) {
  const before = new Int32Array(8)
  const findBefore = (cell: number): number => {
    const column = cell % columns
    const row = (cell - column) / columns
    let count = 0
    for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r++) {
      for (let c = Math.max(0, column - 1); c <= Math.min(columns - 1, column + 1); c++) {
        const other = r * columns + c
        const diagonal = r !== row && c !== column
        if (other === cell || walkable[other] !== 1) continue
        if (diagonal && (walkable[row * columns + c] !== 1 || walkable[r * columns + column] !== 1)) continue
        if (Math.abs(distance[other]! + (diagonal ? Math.SQRT2 : 1) - distance[cell]!) < SAME_LENGTH) before[count++] = other
      }
    }
    return count
  }
  return { before, findBefore }
}

/**
 * Creates a function that returns the flow through a group of cells. It follows shortest paths from the cells back to the entrance while
 * another cell of the group may come earlier on the path, so that visitors who pass several cells of the group are counted once.
 */
function createFlowThrough(grid: Grid, distance: Float64Array, flow: Float64Array): VisitorFlow['through'] {
  const { before, findBefore } = createPredecessors(grid, distance)
  const counted = new Float64Array(flow.length)
  const mark = new Int32Array(flow.length)
  let round = 0
  return (zone) => {
    const [inZone, outside] = [(round += 2), round + 1]
    const cells = zone.filter((cell) => distance[cell]! < Infinity)
    for (const cell of cells) mark[cell] = inZone
    const nearest = Math.min(...cells.map((cell) => distance[cell]!))
    for (let i = 0; i < cells.length; i++) {
      counted[cells[i]!] = 0
      const count = findBefore(cells[i]!)
      for (let k = 0; k < count; k++) {
        const other = before[k]!
        if (mark[other]! >= inZone || distance[other]! < nearest - SAME_LENGTH) continue
        mark[other] = outside
        cells.push(other)
      }
    }
    let passed = 0
    for (const cell of cells.toSorted((a, b) => distance[b]! - distance[a]!)) {
      const entered = mark[cell] === inZone
      if (entered) passed += flow[cell]! - counted[cell]!
      const gone = entered ? flow[cell]! : counted[cell]!
      const count = findBefore(cell)
      for (let k = 0; k < count; k++) if (mark[before[k]!]! >= inZone) counted[before[k]!]! += gone / count
    }
    return passed
  }
}

/** Lists the walkable cells whose centre is at most `within` away from one of the given sides of a booth. */
export function findCellsNearBoothSides(grid: Grid, sides: readonly (readonly [Point, Point])[], within: number): number[] {
  const found = new Set<number>()
  for (const [[ax, ay], [bx, by]] of sides) {
    const clamp = (value: number, max: number) => Math.max(0, Math.min(max, Math.floor(value / CELL_SIZE)))
    const [left, right] = [Math.min(ax, bx), Math.max(ax, bx)].map((x, i) =>
      clamp(x - grid.left + (i === 0 ? -within : within), grid.columns - 1),
    )
    const [low, high] = [Math.min(ay, by), Math.max(ay, by)].map((y, i) =>
      clamp(y - grid.bottom + (i === 0 ? -within : within), grid.rows - 1),
    )
    const squared = (bx - ax) ** 2 + (by - ay) ** 2
    for (let row = low!; row <= high!; row++) {
      for (let column = left!; column <= right!; column++) {
        const cell = row * grid.columns + column
        if (grid.walkable[cell] !== 1) continue
        const [x, y] = getCellCentre(grid, cell)
        const along = Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / squared))
        if (Math.hypot(ax + along * (bx - ax) - x, ay + along * (by - ay) - y) <= within) found.add(cell)
      }
    }
  }
  return [...found]
}
