import { AppError, type FieldError, invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import type { BoothRow } from '../floor/booths.ts'
import type { FloorPlanRow } from '../floor/floor-plans.ts'
import { fromTenthsOfMillimetres, toTenthsOfMillimetres, type PlanUnits } from '../floor/plan-shapes.ts'
import { computeBoundingBox } from '../floor/polygons.ts'
import { MIN_AISLE_WIDTH } from './checks.ts'
import { chooseBoothRowDirections } from './directions.ts'
import type { Hall, MaxFitLayoutOptions, RequestedBoothSize } from './hall.ts'
import { measureHallRaster } from './raster.ts'

/** Options of a layout as the organizer gives them. Lengths are in the plan's units. */
export interface LayoutRequest {
  floorPlanCode: string
  module?: { width: number; depth: number } | undefined
  sizeCode?: string | undefined
  aisle?: number | undefined
  crossAisle?: number | undefined
  perimeter: 'aisle' | 'booths'
  perimeterAisle?: number | undefined
  maxRun: number
  exitClear?: { width?: number | undefined; depth?: number | undefined } | undefined
  pillars: 'forbid' | 'allow'
  clearance: number
  angles?: readonly number[] | undefined
  grid?: number | undefined
  mix?: readonly { sizeCode: string; count: number }[] | undefined
  keep: 'none' | 'assigned' | 'held' | 'all'
  prefix?: string | undefined
}

const DEFAULTS: Record<PlanUnits, { aisle: number; grid: number; clearWidth: number; clearDepth: number }> = {
  m: { aisle: 3, grid: 0.25, clearWidth: 3, clearDepth: 6 },
  ft: { aisle: 10, grid: 1, clearWidth: 10, clearDepth: 20 },
}
const MAX_CELLS = 4_000_000
/**
 * Lengths that differ by at most a millimetre are equal, because sizes in the configuration are in metres and those of a plan may be in
 * feet.
 */
const SAME_LENGTH = 10

type Sizes = EventConfig['exhibitorConfig']['boothSizes']

export function toMaxFitOptions(
  { units, code }: Pick<FloorPlanRow, 'units' | 'code'>,
  sizes: Sizes,
  request: LayoutRequest,
): MaxFitLayoutOptions {
  const defaults = DEFAULTS[units]
  const length = (value: number) => toTenthsOfMillimetres(value, units)
  const errors: FieldError[] = []
  const size = request.sizeCode === undefined ? null : findSize(sizes, request.sizeCode, 'sizeCode', errors)
  const module = size ?? {
    width: length(request.module?.width ?? 0),
    depth: length(request.module?.depth ?? 0),
  }
  const aisle = length(request.aisle ?? defaults.aisle)
  const crossAisle = length(request.crossAisle ?? request.aisle ?? defaults.aisle)
  for (const [path, value] of [
    ['aisle', aisle],
    ['crossAisle', crossAisle],
  ] as const)
    if (value < MIN_AISLE_WIDTH)
      errors.push({ path, message: `must be at least 1.8 m (${fromTenthsOfMillimetres(MIN_AISLE_WIDTH, units)} ${units} on plan ${code})` })
  const mix = (request.mix ?? []).flatMap((one, i) => toMixedSize(sizes, one, module, `mix/${i}/sizeCode`, errors))
  if (errors.length > 0) throw invalidArguments(errors)
  return {
    module,
    sizeCode: request.sizeCode ?? null,
    aisle,
    crossAisle,
    perimeter: request.perimeter,
    perimeterAisle: request.perimeterAisle === undefined ? aisle : length(request.perimeterAisle),
    maxRun: request.maxRun,
    exitClear: {
      width: length(request.exitClear?.width ?? defaults.clearWidth),
      depth: length(request.exitClear?.depth ?? defaults.clearDepth),
    },
    pillars: request.pillars,
    clearance: length(request.clearance),
    angles: request.angles && request.angles.length > 0 ? request.angles : null,
    grid: length(request.grid ?? defaults.grid),
    mix,
    prefix: request.prefix ?? '',
  }
}

function findSize(sizes: Sizes, code: string, path: string, errors: FieldError[]): { width: number; depth: number } | null {
  const size = sizes.find((one) => one.code === code)
  if (!size) {
    errors.push({ path, message: `no booth size ${code} in exhibitorConfig.boothSizes`, allowed: sizes.map((one) => one.code) })
    return null
  }
  return { width: toTenthsOfMillimetres(size.width, 'm'), depth: toTenthsOfMillimetres(size.depth, 'm') }
}

function toMixedSize(
  sizes: Sizes,
  { sizeCode, count }: { sizeCode: string; count: number },
  module: { width: number; depth: number },
  path: string,
  errors: FieldError[],
): RequestedBoothSize[] {
  const size = findSize(sizes, sizeCode, path, errors)
  if (!size) return []
  const [columns, deep] = [Math.round(size.width / module.width), Math.round(size.depth / module.depth)]
  const fits = Math.abs(columns * module.width - size.width) <= SAME_LENGTH && Math.abs(deep * module.depth - size.depth) <= SAME_LENGTH
  if (!fits || columns < 1 || deep < 1 || deep > 2) {
    errors.push({ path, message: `${sizeCode} is not a whole number of modules wide and one or two deep` })
    return []
  }
  return [{ sizeCode, columns, deep, count }]
}

const KEPT: Record<LayoutRequest['keep'], readonly BoothRow['status'][]> = {
  none: [],
  assigned: ['assigned'],
  held: ['assigned', 'held'],
  all: ['available', 'held', 'assigned', 'blocked'],
}

export const buildHallFromFloorPlan = (plan: FloorPlanRow, booths: readonly BoothRow[], keep: LayoutRequest['keep']): Hall => ({
  units: plan.units,
  outline: plan.outline,
  obstacles: plan.obstacles,
  aisles: plan.aisles,
  zones: plan.zones,
  pois: plan.pois,
  kept: booths.filter(({ status }) => KEPT[keep].includes(status)).map(({ polygon }) => polygon),
})

/**
 * Throws if the plan has no scale or outline, if a module (smallest booth) is larger than the hall, or if the grid has too many cells for
 * the hall.
 */
export function refusePlanUnsuitableForLayout({ code, units, outline, scale }: FloorPlanRow, options: MaxFitLayoutOptions): void {
  if (outline.outer.length === 0) throw preconditionFailed(`Floor plan ${code} has no outline. Draw it with manage_floor_plans`)
  if (scale.method === 'none') throw preconditionFailed(`Floor plan ${code} has no scale. Calibrate it with manage_floor_plans`)
  const { left, right, bottom, top } = computeBoundingBox(outline.outer)
  const { width, depth } = options.module
  const [long, short] = [Math.max(right - left, top - bottom), Math.min(right - left, top - bottom)]
  if (Math.max(width, depth) > long || Math.min(width, depth) > short)
    throw preconditionFailed(
      `The module of ${fromTenthsOfMillimetres(width, units)} × ${fromTenthsOfMillimetres(depth, units)} ${units} is larger than floor plan ${code}`,
    )
  const cellsAt = (grid: number) =>
    chooseBoothRowDirections(outline.outer, options.angles).reduce((most, direction) => {
      const { columns, rows } = measureHallRaster(outline.outer, direction, grid)
      return Math.max(most, columns * rows)
    }, 0)
  const cells = cellsAt(options.grid)
  if (cells <= MAX_CELLS) return
  let grid = 2 * options.grid
  while (cellsAt(grid) > MAX_CELLS) grid *= 2
  throw new AppError(
    'limit_exceeded',
    `Floor plan ${code} has ${cells.toLocaleString('en')} grid cells, more than ${MAX_CELLS.toLocaleString('en')} — raise grid to ${fromTenthsOfMillimetres(grid, units)}`,
  )
}
