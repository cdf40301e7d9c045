import { runCooperatively } from '../../../kernel/cooperative.ts'
import type { BoothRow } from '../floor/booths.ts'
import type { FloorPlanRow } from '../floor/floor-plans.ts'
import { buildWalkableGrid, findOpenSides } from '../floor/grid.ts'

export const BOOTH_TYPES = ['inline', 'corner', 'peninsula', 'island', 'perimeter'] as const
export type BoothType = (typeof BOOTH_TYPES)[number]

export interface BoothFigures {
  openSides: number
  type: BoothType
}

const TYPES_BY_OPEN_SIDES = ['inline', 'inline', 'corner', 'peninsula'] as const

/** The open sides and the type of booths, by booth id. `all` are the booths of the plan, which cover floor. */
export async function readBoothTypes(
  plan: Pick<FloorPlanRow, 'outline' | 'obstacles'>,
  all: readonly BoothRow[],
  wanted: readonly BoothRow[] = all,
): Promise<Map<string, BoothFigures>> {
  const grid = await runCooperatively(buildWalkableGrid({ ...plan, booths: all }))
  return new Map(
    wanted.map(({ id, polygon }) => {
      const openSides = findOpenSides(grid, polygon).length
      return [id, { openSides, type: TYPES_BY_OPEN_SIDES[openSides] ?? 'island' }]
    }),
  )
}
