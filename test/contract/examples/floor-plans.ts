import { createExhibitorFixtures, buildRectangle } from '../../support/companies.ts'
import { hallSvg } from '../../support/floor-drawings.ts'
import { createDrawingFixtures } from '../../support/stored-drawings.ts'
import { createFloorPlanFixtures } from '../../support/floor-plans.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

let made = 0

/** Creates a draft plan with an entrance, an exit and a booth. Returns its code. */
async function draw({ world, home }: Stage): Promise<string> {
  const code = `plan-${++made}`
  await createExhibitorFixtures(world, home).plan(
    { code, name: `Plan ${made}` },
    [{ number: `P${made}`, polygon: buildRectangle(3, 3, 3, 3) }],
    {
      published: false,
    },
  )
  return code
}

/** Creates a plan that was read from a file, with a finished scan. */
async function read(stage: Stage): Promise<{ code: string; scanId: string }> {
  const code = await draw(stage)
  await stage.world.database.pool.query(`update floor_plans set source = 'svg', source_file_id = repeat('a', 24) where code = $1`, [code])
  const pillar = {
    id: 'f1',
    kind: 'pillar' as const,
    label: '',
    point: [20, 10] as const,
    polygon: buildRectangle(20, 10, 1, 1),
    confidence: 0.95,
  }
  const scale = { method: 'units' as const, unitsPerSourceUnit: 1, sourceToPlan: [10_000, 0, 0, 10_000, 0, 0] as const }
  return { code, scanId: await createFloorPlanFixtures(stage.world, stage.home).scan(code, [pillar], scale) }
}

const polygon = (x: number) => buildRectangle(x, 10, 3, 3).map(([px, py]): [number, number] => [px * 10_000, py * 10_000])

export const FLOOR_PLANS_EXAMPLES: Examples = {
  list_floor_plans: async (stage) => {
    for (let i = 0; i < 3; i++) await draw(stage)
    return { ...event(stage), status: 'draft' }
  },
  manage_floor_plans: [
    async (stage) => ({ ...event(stage), action: 'get', floorPlanCode: await draw(stage), include: ['outline', 'pois'] }),
    (stage) => ({ ...event(stage), action: 'create', code: `hall-${++made}`, name: 'Hall 7', units: 'm', width: 40, height: 30 }),
    async (stage) => ({
      ...event(stage),
      action: 'update',
      floorPlanCode: await draw(stage),
      obstacles: [{ kind: 'noBuild', polygon: buildRectangle(20, 10, 4, 4) }],
      merge: true,
    }),
    async (stage) => {
      const { code } = await read(stage)
      return { ...event(stage), action: 'calibrate', floorPlanCode: code, a: [0, 0], b: [10, 0], distance: 10.02, units: 'm' }
    },
    async (stage) => ({ ...event(stage), action: 'apply_scan', scanId: (await read(stage)).scanId, minConfidence: 0.8 }),
    async (stage) => {
      const layoutId = await createFloorPlanFixtures(stage.world, stage.home).layout(await draw(stage), [
        { number: `L${made}`, polygon: polygon(20) },
      ])
      return { ...event(stage), action: 'apply_layout', layoutId, replace: 'available' }
    },
    async (stage) => ({ ...event(stage), action: 'publish', floorPlanCode: await draw(stage) }),
    async (stage) => ({ ...event(stage), action: 'archive', floorPlanCode: await draw(stage) }),
    async (stage) => ({
      ...event(stage),
      action: 'create',
      code: `read-${++made}`,
      name: 'Hall 8',
      units: 'm',
      fileId: await createDrawingFixtures(stage.world, stage.home).file(hallSvg(), 'hall.svg'),
    }),
    async (stage) => ({ ...event(stage), action: 'copy', floorPlanCode: await draw(stage), code: `copy-${made}` }),
  ],
}
