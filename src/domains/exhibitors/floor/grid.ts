import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { type FloorShapes, type FloorSpatialIndex, buildFloorSpatialIndex } from './floor-index.ts'
import { findOpenBoothSides, getSideLength, type BoothSide } from './open-sides.ts'
import { TENTHS_OF_MM_PER_METRE, type Point, type Polygon } from './plan-shapes.ts'
import { computeBoundingBox, edgesOf } from './polygons.ts'

/** Side of a grid cell: half a metre. */
export const CELL_SIZE = TENTHS_OF_MM_PER_METRE / 2

/** A floor plan as a grid. Walkable cells are inside the hall and not covered by blocking obstacles or booths. */
export interface Grid {
  left: number
  bottom: number
  columns: number
  rows: number
  walkable: Uint8Array
  /** The exact shapes that the cells of the grid approximate. */
  floor: FloorSpatialIndex
}

export function* buildWalkableGrid(plan: FloorShapes): CooperativeTask<Grid> {
  const { outline, obstacles, booths } = plan
  const box = computeBoundingBox(outline.outer)
  const columns = Math.ceil((box.right - box.left) / CELL_SIZE)
  const rows = Math.ceil((box.top - box.bottom) / CELL_SIZE)
  const grid = {
    left: box.left,
    bottom: box.bottom,
    columns,
    rows,
    walkable: new Uint8Array(columns * rows),
    floor: buildFloorSpatialIndex(plan),
  }
  fillPolygon(grid, outline.outer, 1)
  for (const hole of outline.holes) fillPolygon(grid, hole, 0)
  for (const { blocksWalking, polygon } of obstacles) if (blocksWalking) fillPolygon(grid, polygon, 0)
  for (const [i, { polygon }] of booths.entries()) {
    fillPolygon(grid, polygon, 0)
    if (i % 100 === 99) yield
  }
  return grid
}

/** Marks all cells of a polygon. A cell belongs to the polygon if its centre does. */
function fillPolygon(grid: Grid, polygon: Polygon, value: 0 | 1): void {
  const { bottom, top } = computeBoundingBox(polygon)
  const [from, until] = [rowAt(grid, bottom), Math.min(grid.rows - 1, rowAt(grid, top))]
  for (let row = Math.max(0, from); row <= until; row++) {
    const y = grid.bottom + (row + 0.5) * CELL_SIZE
    const xs = crossings(polygon, y)
    for (let i = 0; i + 1 < xs.length; i += 2) {
      const first = Math.max(0, Math.ceil((xs[i]! - grid.left) / CELL_SIZE - 0.5))
      const last = Math.min(grid.columns - 1, Math.ceil((xs[i + 1]! - grid.left) / CELL_SIZE - 0.5) - 1)
      for (let column = first; column <= last; column++) grid.walkable[row * grid.columns + column] = value
    }
  }
}

function crossings(polygon: Polygon, y: number): number[] {
  const xs: number[] = []
  for (const [[ax, ay], [bx, by]] of edgesOf(polygon)) if (ay > y !== by > y) xs.push(ax + ((y - ay) / (by - ay)) * (bx - ax))
  return xs.sort((a, b) => a - b)
}

const rowAt = ({ bottom }: Pick<Grid, 'bottom'>, y: number) => Math.floor((y - bottom) / CELL_SIZE)

export const getCellCentre = ({ left, bottom, columns }: Grid, cell: number): Point => [
  left + ((cell % columns) + 0.5) * CELL_SIZE,
  bottom + (Math.floor(cell / columns) + 0.5) * CELL_SIZE,
]

/** Finds the walkable cell nearest to a point; ties go to the lowest, then leftmost cell. Null if there is none. */
export const findNearestCell = (grid: Grid, point: Point): number | null => findNearestCells(grid, point)[0] ?? null

/** Finds all walkable cells that are nearest to a point: more than one if the point is on the border between cells. */
export function findNearestCells(grid: Grid, [x, y]: Point): number[] {
  const [column, row] = [Math.floor((x - grid.left) / CELL_SIZE), rowAt(grid, y)]
  let best: { cells: number[]; distance: number } | null = null
  for (let ring = 0; ring <= Math.max(grid.columns, grid.rows); ring++) {
    // Cells further out cannot be nearer than the best cell found.
    if (best && best.distance < (ring - 1) * CELL_SIZE) break
    for (const cell of ringAround(grid, column, row, ring)) {
      if (grid.walkable[cell] !== 1) continue
      const [cx, cy] = getCellCentre(grid, cell)
      const distance = Math.hypot(cx - x, cy - y)
      if (!best || distance < best.distance - 1e-6) best = { cells: [cell], distance }
      else if (distance < best.distance + 1e-6) best.cells.push(cell)
    }
  }
  return best?.cells.toSorted((a, b) => a - b) ?? []
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

/** The sides of a booth that visitors can approach from, by the exact shapes of the plan. */
export const findOpenSides = ({ floor }: Grid, polygon: Polygon): BoothSide[] => findOpenBoothSides(floor, polygon)

/**
 * The cell where visitors of a booth stand: the walkable cell nearest to the middle of its longest open side. Of sides of equal length, the
 * one whose middle has the lower x is used, then the lower y.
 */
export function findBoothAccessCell(grid: Grid, polygon: Polygon): number | null {
  const sides = findOpenSides(grid, polygon)
  const longest = (sides.length > 0 ? sides : edgesOf(polygon)).reduce((best, side) => (isPreferred(side, best) ? side : best))
  const [[ax, ay], [bx, by]] = longest
  const length = getSideLength(longest)
  // The search starts slightly in front of the booth's side. From the side itself it could find a cell behind a neighbouring booth.
  const [outX, outY] = [((by - ay) / length) * (CELL_SIZE / 2), ((ax - bx) / length) * (CELL_SIZE / 2)]
  return findNearestCell(grid, [(ax + bx) / 2 + outX, (ay + by) / 2 + outY])
}

/** Tolerance within which lengths and coordinates are equal. */
const EQUAL = 1e-6

function isPreferred(side: BoothSide, best: BoothSide): boolean {
  const longer = getSideLength(side) - getSideLength(best)
  if (Math.abs(longer) > EQUAL) return longer > 0
  const [byX, byY] = [0, 1].map((axis) => side[0][axis]! + side[1][axis]! - best[0][axis]! - best[1][axis]!) as [number, number]
  return Math.abs(byX) > EQUAL ? byX < 0 : byY < -EQUAL
}
