import { runTaskSynchronously } from '../../../kernel/cooperative.ts'
import { buildWalkableGrid, findBoothAccessCell, findNearestCell } from '../floor/grid.ts'
import { convertCellsToMetres, findShortestPaths } from '../floor/paths.ts'
import {
  fromTenthsOfMillimetres,
  TENTHS_OF_MM_PER_METRE,
  type PointOfInterest,
  type Polygon,
  toTenthsOfMillimetres,
} from '../floor/plan-shapes.ts'
import { type SingleOrDoubleBoothRow, type BoothAndAisleSizes, getBoothRowDepth } from './bands.ts'
import type { Hall, MaxFitLayoutOptions } from './hall.ts'
import type { PlacedBooth } from './placed-booths.ts'
import type { ReachableArea } from './reach.ts'

/** The result of one check of a layout. Lengths are in the plan's units. */
export interface LayoutCheckResult {
  code: 'aisle_width' | 'exits_reachable' | 'walk_to_exit' | 'dead_ends' | 'run_length'
  ok: boolean
  value: number
  limit: number
}

/** Maximum walking distance to an exit that fire rules usually allow. */
const MAX_WALK = { m: 60, ft: 200 }

interface CheckedLayout {
  hall: Hall
  options: MaxFitLayoutOptions
  sizes: BoothAndAisleSizes
  bands: readonly SingleOrDoubleBoothRow[]
  booths: readonly PlacedBooth[]
  polygons: readonly Polygon[]
  exits: readonly PointOfInterest[]
  reach: ReachableArea
  cell: number
}

/** Checks a finished layout independently of the search that found it. */
export function checkLayout(layout: CheckedLayout): LayoutCheckResult[] {
  const { hall, options, exits, reach } = layout
  const limit = fromTenthsOfMillimetres(options.aisle, hall.units)
  const narrowest = narrowestAisle(layout)
  const deadEnds = countDeadEnds(layout)
  const longest = layout.bands.flatMap(({ runs }) => runs).reduce((most, { columns }) => Math.max(most, columns), 0)
  const reached = reach.exits.filter(Boolean).length
  const walk = exits.length === 0 ? null : longestWalk(layout)
  return [
    { code: 'aisle_width', ok: narrowest === null || narrowest >= limit, value: narrowest ?? limit, limit },
    { code: 'exits_reachable', ok: reached === exits.length, value: reached, limit: exits.length },
    ...(walk === null
      ? []
      : [{ code: 'walk_to_exit' as const, ok: walk <= MAX_WALK[hall.units], value: walk, limit: MAX_WALK[hall.units] }]),
    { code: 'dead_ends', ok: deadEnds === 0, value: deadEnds, limit: 0 },
    { code: 'run_length', ok: longest <= options.maxRun, value: longest, limit: options.maxRun },
  ]
}

/** Returns the smallest depth of free floor in front of any booth, at most twice the aisle width; null without booths. */
function narrowestAisle({ hall, sizes, booths, reach, cell }: CheckedLayout): number | null {
  const { width, depth, aisle } = sizes
  let least = 2 * aisle
  for (const { x, y, faces } of booths) {
    let free = 0
    while (free < least && reach.isFree(x, faces === 'up' ? y + depth : y - free - 1, width, free + 1)) free++
    least = Math.min(least, free)
  }
  return booths.length === 0 ? null : fromTenthsOfMillimetres(least * cell, hall.units)
}

/** Counts the ends of booth rows that visitors cannot walk around. */
function countDeadEnds({ sizes, bands, reach }: CheckedLayout): number {
  const { width, depth, aisle, crossAisle } = sizes
  let count = 0
  for (const { kind, y, runs } of bands) {
    const low = kind === 'up' ? y : y - aisle
    const high = y + getBoothRowDepth(kind, depth) + (kind === 'down' ? 0 : aisle)
    for (const { x, columns } of runs)
      for (const start of [x - crossAisle, x + columns * width]) if (!reach.isFree(start, low, crossAisle, high - low)) count++
  }
  return count
}

/** The longest of all shortest ways from a booth to an exit, in the plan's units; null if no booth reaches one. */
function longestWalk({ hall, polygons, exits }: CheckedLayout): number | null {
  const booths = [...polygons, ...hall.kept].map((polygon) => ({ polygon }))
  const grid = runTaskSynchronously(buildWalkableGrid({ outline: hall.outline, obstacles: hall.obstacles, booths }))
  const starts = exits.map(({ point }) => findNearestCell(grid, point)).filter((cell) => cell !== null)
  const { distance } = runTaskSynchronously(findShortestPaths(grid, ...starts))
  const ways = polygons.map((polygon) => distance[findBoothAccessCell(grid, polygon) ?? -1] ?? Infinity).filter((way) => way < Infinity)
  if (ways.length === 0) return null
  const tenths = convertCellsToMetres(ways.reduce((most, way) => Math.max(most, way), 0)) * TENTHS_OF_MM_PER_METRE
  return Math.round(fromTenthsOfMillimetres(Math.round(tenths), hall.units) * 10) / 10
}

/** Minimum aisle width that fire rules allow: 1.8 metres. */
export const MIN_AISLE_WIDTH = toTenthsOfMillimetres(1.8, 'm')
