import type { Point, Polygon } from '../floor/plan-shapes.ts'
import { computeBoundingBox, edgesOf } from '../floor/polygons.ts'
import { type RowDirection, type Hall, type MaxFitLayoutOptions, rotatePointToRowAxes } from './hall.ts'
import { listFireExitClearAreas } from './exit-areas.ts'

/** The hall as a grid, rotated so that booth rows run along the x axis. A cell is walkable or buildable (1) only if its whole area is. */
export interface HallRaster {
  columns: number
  rows: number
  /** The lower left corner of the raster, in coordinates of the rotated hall. */
  left: number
  bottom: number
  cell: number
  walkable: Uint8Array
  buildable: Uint8Array
}

/**
 * Tolerance of half a millimetre within which a shape may reach into a cell without covering it, because the coordinates of rotated
 * shapes are rounded.
 */
const TOLERANCE = 5

/** Returns the size of the rotated hall in cells. */
export function measureHallRaster(outer: Polygon, direction: RowDirection, cell: number) {
  const { left, bottom, right, top } = computeBoundingBox(outer.map(rotatePointToRowAxes(direction)))
  return {
    left,
    bottom,
    columns: Math.ceil((right - left - TOLERANCE) / cell),
    rows: Math.ceil((top - bottom - TOLERANCE) / cell),
  }
}

export function rasterizeHall(hall: Hall, direction: RowDirection, options: MaxFitLayoutOptions): HallRaster {
  const { outline, obstacles, aisles, zones, kept } = hall
  const turned = (polygon: Polygon) => polygon.map(rotatePointToRowAxes(direction))
  const size = measureHallRaster(outline.outer, direction, options.grid)
  const walkable = new Uint8Array(size.columns * size.rows)
  const cells: Cells = { ...size, cell: options.grid, values: walkable }
  const borders = [outline.outer, ...outline.holes].map(turned)
  fill(cells, borders[0]!, 1)
  for (const hole of borders.slice(1)) fill(cells, hole, 0)
  for (const border of borders) clearNear(cells, border, 0)
  const buildable = walkable.slice()
  const both = [cells, { ...cells, values: buildable }] as const
  for (const { kind, blocksWalking, polygon } of obstacles) {
    if (!blocksWalking && kind !== 'noBuild') continue
    if (blocksWalking) cover(both[0], turned(polygon), options.clearance)
    if (kind !== 'pillar' || options.pillars === 'forbid') cover(both[1], turned(polygon), blocksWalking ? options.clearance : 0)
  }
  const unbuildable = [
    ...listFireExitClearAreas(hall, options.exitClear),
    ...aisles.filter(({ kind }) => kind === 'main').map(({ polygon }) => polygon),
    ...zones.filter(({ kind }) => kind === 'reserved').map(({ polygon }) => polygon),
  ]
  for (const polygon of unbuildable) cover(both[1], turned(polygon), 0)
  for (const polygon of kept) {
    cover(both[0], turned(polygon), 0)
    cover(both[1], turned(polygon), options.aisle)
  }
  if (options.perimeter === 'aisle') for (const border of borders) clearNear(both[1], border, options.perimeterAisle)
  return { ...size, cell: options.grid, walkable, buildable }
}

interface Cells {
  columns: number
  rows: number
  left: number
  bottom: number
  cell: number
  values: Uint8Array
}

/** Clears the cells that a polygon touches, or that are nearer to it than `reach`. */
function cover(cells: Cells, polygon: Polygon, reach: number): void {
  fill(cells, polygon, 0)
  clearNear(cells, polygon, reach)
}

/** Sets the raster cells whose centre is inside a polygon to `value`. */
function fill({ columns, rows, left, bottom, cell, values }: Cells, polygon: Polygon, value: 0 | 1): void {
  const box = computeBoundingBox(polygon)
  const from = Math.max(0, Math.floor((box.bottom - bottom) / cell))
  const until = Math.min(rows - 1, Math.floor((box.top - bottom) / cell))
  for (let row = from; row <= until; row++) {
    const y = bottom + (row + 0.5) * cell
    const xs: number[] = []
    for (const [[ax, ay], [bx, by]] of edgesOf(polygon)) if (ay > y !== by > y) xs.push(ax + ((y - ay) / (by - ay)) * (bx - ax))
    xs.sort((a, b) => a - b)
    for (let i = 0; i + 1 < xs.length; i += 2) {
      const first = Math.max(0, Math.ceil((xs[i]! - left) / cell - 0.5))
      const last = Math.min(columns - 1, Math.ceil((xs[i + 1]! - left) / cell - 0.5) - 1)
      if (last >= first) values.fill(value, row * columns + first, row * columns + last + 1)
    }
  }
}

/** Clears the cells that an edge of the polygon crosses, or that are nearer to an edge than `reach`, by exact Euclidean distance. */
function clearNear(cells: Cells, polygon: Polygon, reach: number): void {
  const { columns, rows, left, bottom, cell, values } = cells
  for (const [a, b] of edgesOf(polygon)) {
    const [low, high] = a[1] <= b[1] ? [a, b] : [b, a]
    const from = Math.max(0, Math.floor((low[1] - reach - bottom) / cell) - 1)
    const until = Math.min(rows - 1, Math.floor((high[1] + reach - bottom) / cell) + 1)
    for (let row = from; row <= until; row++) {
      const y = bottom + row * cell
      const span = clipToRows(low, high, y + TOLERANCE - reach, y + cell - TOLERANCE + reach)
      if (!span) continue
      const first = Math.max(0, Math.floor((span[0] - reach + TOLERANCE - left) / cell))
      const last = Math.min(columns - 1, Math.ceil((span[1] + reach - TOLERANCE - left) / cell) - 1)
      for (let column = first; column <= last; column++) {
        const x = left + column * cell
        if (reach === 0 || distanceToCell(a, b, x, y, cell) < reach - TOLERANCE) values[row * columns + column] = 0
      }
    }
  }
}

/** The x range of the part of an edge between two y coordinates; null if no part of the edge is between them. */
function clipToRows([lowX, lowY]: Point, [highX, highY]: Point, from: number, until: number): [number, number] | null {
  if (highY < from || lowY > until) return null
  if (highY === lowY) return [Math.min(lowX, highX), Math.max(lowX, highX)]
  const at = (y: number) => lowX + ((Math.max(lowY, Math.min(highY, y)) - lowY) / (highY - lowY)) * (highX - lowX)
  const [x1, x2] = [at(from), at(until)]
  return x1 <= x2 ? [x1, x2] : [x2, x1]
}

/** The distance between an edge and a square cell with its lower left corner at (x, y). */
function distanceToCell(a: Point, b: Point, x: number, y: number, cell: number): number {
  if (crossesCell(a, b, x, y, cell)) return 0
  const toCell = ([px, py]: Point) => Math.hypot(Math.max(x - px, 0, px - x - cell), Math.max(y - py, 0, py - y - cell))
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]]
  const squared = dx * dx + dy * dy
  const toEdge = (px: number, py: number) => {
    const along = squared === 0 ? 0 : Math.max(0, Math.min(1, ((px - a[0]) * dx + (py - a[1]) * dy) / squared))
    return Math.hypot(a[0] + along * dx - px, a[1] + along * dy - py)
  }
  return Math.min(toCell(a), toCell(b), toEdge(x, y), toEdge(x + cell, y), toEdge(x, y + cell), toEdge(x + cell, y + cell))
}

/** Clips the polygon's edge to the grid cell, by the Liang–Barsky algorithm. */
function crossesCell([ax, ay]: Point, [bx, by]: Point, x: number, y: number, cell: number): boolean {
  let [from, until] = [0, 1]
  for (const [start, step, low] of [
    [ax, bx - ax, x],
    [ay, by - ay, y],
  ] as const) {
    if (step === 0) {
      if (start < low || start > low + cell) return false
      continue
    }
    const [t1, t2] = [(low - start) / step, (low + cell - start) / step]
    from = Math.max(from, Math.min(t1, t2))
    until = Math.min(until, Math.max(t1, t2))
  }
  return from <= until
}
