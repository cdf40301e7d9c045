import type { Point, Polygon } from '../floor/plan-shapes.ts'
import { type BoothRowsLayout, type BoothAndAisleSizes, findLayoutWithMostBooths, findAllowedBoothPositions } from './bands.ts'
import { checkLayout, type LayoutCheckResult } from './checks.ts'
import { chooseBoothRowDirections } from './directions.ts'
import { type RowDirection, type Hall, type MaxFitLayoutOptions, rotatePointToRowAxes, rotatePointFromRowAxes } from './hall.ts'
import { type ModularBooth, joinModulesIntoBooths } from './mix.ts'
import { listPlacedBooths, assignBoothNumbers } from './placed-booths.ts'
import { type HallRaster, rasterizeHall } from './raster.ts'
import { findReachableBooths } from './reach.ts'

export interface FittedBooth {
  number: string
  polygon: Polygon
  sizeCode: string | null
}

export interface MaxFitLayout {
  booths: FittedBooth[]
  corners: number
  angle: number
  /** Number of bands: single rows of booths, or two rows that stand back to back. */
  rows: number
  /** Number of booths for each direction of the rows, before booths that cannot be reached are removed. */
  candidates: { angle: number; booths: number }[]
  /** Numbers of booths that the layout loses to pillars, fire exits, zones and unreachable floor. */
  lost: { pillars: number; exits: number; zones: number; unreachable: number }
  checks: LayoutCheckResult[]
  mixUnmet: { sizeCode: string; count: number }[]
  warnings: ('no_exits' | 'module_off_grid')[]
}

interface Candidate extends BoothRowsLayout {
  direction: RowDirection
}

/**
 * Number of grid cells that a length needs. A length that exceeds a multiple of the grid only by a rounding error needs no additional cell.
 */
const toCells = (length: number, grid: number) => Math.ceil(length / grid - 1e-6)

export const toSizesInGridCells = ({ module, aisle, crossAisle, maxRun, grid }: MaxFitLayoutOptions): BoothAndAisleSizes => ({
  width: toCells(module.width, grid),
  depth: toCells(module.depth, grid),
  aisle: toCells(aisle, grid),
  crossAisle: toCells(crossAisle, grid),
  maxRun,
})

/** Fills a hall with as many booths as possible (section 4.1 of the specification). Pure: the same input gives the same layout. */
export function findMaxFitLayout(hall: Hall, options: MaxFitLayoutOptions): MaxFitLayout {
  const directions = chooseBoothRowDirections(hall.outline.outer, options.angles)
  const sizes = toSizesInGridCells(options)
  const candidates = directions.map((direction) => solve(hall, direction, options))
  const best = candidates.reduce((one, other) => (isBetter(other, one) ? other : one))
  const raster = rasterizeHall(hall, best.direction, options)
  const placed = listPlacedBooths(findAllowedBoothPositions(raster, sizes), sizes, best.bands)
  const exits = hall.pois.filter(({ kind }) => kind === 'exit' || kind === 'fireExit')
  const reach = findReachableBooths(
    raster,
    sizes,
    placed,
    exits.map(({ point }) => rotatePointToRowAxes(best.direction)(point)),
  )
  const kept = exits.length === 0 ? placed : placed.filter((_, i) => reach.booths[i])
  const numbers = assignBoothNumbers(kept, sizes.width)
  const mixed = joinModulesIntoBooths(
    kept.map((booth, i) => ({ ...booth, number: numbers[i]! })),
    options.mix,
    options.sizeCode,
  )
  const toPolygon = createPolygonMaker(raster, best.direction, options, sizes)
  const booths = mixed.booths.map((booth) => ({
    number: `${options.prefix}${booth.number}`,
    polygon: toPolygon(booth),
    sizeCode: booth.sizeCode,
  }))
  const edges = kept.filter(({ band, run, column }) => {
    const { columns } = best.bands[band]!.runs[run]!
    return column === 0 || column === columns - 1
  })
  return {
    booths,
    corners: edges.length,
    angle: best.direction.angle,
    rows: new Set(kept.map(({ band }) => band)).size,
    candidates: candidates.map(({ direction, booths: count }) => ({ angle: direction.angle, booths: count })),
    lost: { ...findLost(hall, directions, options, best.booths), unreachable: placed.length - kept.length },
    checks: checkLayout({
      hall,
      options,
      sizes,
      bands: best.bands,
      booths: kept,
      polygons: booths.map(({ polygon }) => polygon),
      exits,
      reach,
      cell: raster.cell,
    }),
    mixUnmet: mixed.unmet,
    warnings: [...(exits.length === 0 ? ['no_exits' as const] : []), ...(isOffGrid(options, sizes) ? ['module_off_grid' as const] : [])],
  }
}

/**
 * Compares two candidate layouts: more booths are better, then more corner booths. Candidates are sorted by angle, so the smaller angle is
 * kept if both are equal.
 */
const isBetter = (one: Candidate, other: Candidate) =>
  one.booths > other.booths || (one.booths === other.booths && one.corners > other.corners)

function solve(hall: Hall, direction: RowDirection, options: MaxFitLayoutOptions): Candidate {
  const sizes = toSizesInGridCells(options)
  return { direction, ...findLayoutWithMostBooths(findAllowedBoothPositions(rasterizeHall(hall, direction, options), sizes), sizes) }
}

/**
 * Counts the booths lost to pillars, to clear areas before exits and to reserved zones: the maximum without each restriction, less the
 * maximum with all of them.
 */
function findLost(hall: Hall, directions: readonly RowDirection[], options: MaxFitLayoutOptions, found: number) {
  const without = (concerned: boolean, changed: Partial<Hall>) =>
    concerned ? Math.max(...directions.map((direction) => solve({ ...hall, ...changed }, direction, options).booths)) - found : 0
  const { obstacles, pois, zones } = hall
  return {
    pillars: without(
      obstacles.some(({ kind, blocksWalking }) => kind === 'pillar' && blocksWalking),
      { obstacles: obstacles.filter(({ kind }) => kind !== 'pillar') },
    ),
    exits: without(
      pois.some(({ kind }) => kind === 'fireExit'),
      { pois: pois.filter(({ kind }) => kind !== 'fireExit') },
    ),
    zones: without(
      zones.some(({ kind }) => kind === 'reserved'),
      { zones: zones.filter(({ kind }) => kind !== 'reserved') },
    ),
  }
}

const isOffGrid = ({ module, grid }: MaxFitLayoutOptions, { width, depth }: BoothAndAisleSizes) =>
  Math.abs(width * grid - module.width) > 1 || Math.abs(depth * grid - module.depth) > 1

/**
 * Converts a booth from grid cells of the rotated hall to plan coordinates. Booths have the size of their modules; if a module is not a
 * multiple of the cell size, the unused part of its cells is behind and right of the booth.
 */
function createPolygonMaker(
  { left, bottom, cell }: HallRaster,
  direction: RowDirection,
  { module }: MaxFitLayoutOptions,
  { depth }: BoothAndAisleSizes,
) {
  const back = rotatePointFromRowAxes(direction)
  return ({ modules }: ModularBooth): Polygon => {
    const x0 = Math.min(...modules.map(({ x }) => x)) * cell
    const x1 = Math.max(...modules.map(({ x }) => x)) * cell + module.width
    const y0 = Math.min(...modules.map(({ y, faces }) => (faces === 'down' ? y * cell : (y + depth) * cell - module.depth)))
    const y1 = Math.max(...modules.map(({ y, faces }) => (faces === 'down' ? y * cell + module.depth : (y + depth) * cell)))
    const corners: Point[] = [
      [x0, y0],
      [x1, y0],
      [x1, y1],
      [x0, y1],
    ]
    return corners.map(([x, y]) => back([left + x, bottom + y]))
  }
}
