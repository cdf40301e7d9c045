import { createExhibitorFixtures, buildRectangle } from '../../support/companies.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

let made = 0

/** A small hall with a fire exit. */
async function hall({ world, home }: Stage): Promise<string> {
  const code = `fit-${++made}`
  await createExhibitorFixtures(world, home).plan({
    code,
    name: `Hall to fill ${made}`,
    units: 'm',
    outline: { outer: buildRectangle(0, 0, 18, 12) },
    pois: [
      { id: 'in', kind: 'entrance', name: 'Entrance', point: [9, 12] },
      { id: 'out', kind: 'fireExit', name: 'Exit', point: [9, 0], doorWidth: 2 },
    ],
  })
  return code
}

export const LAYOUTS_EXAMPLES: Examples = {
  generate_max_fit: [
    async (stage) => ({ ...event(stage), floorPlanCode: await hall(stage), module: { width: 3, depth: 3 }, exitClear: { depth: 3 } }),
    async (stage) => ({
      ...event(stage),
      floorPlanCode: await hall(stage),
      module: { width: 3, depth: 2 },
      aisle: 2,
      perimeter: 'booths',
      angles: [0],
      grid: 0.5,
      prefix: 'X',
    }),
  ],
}
