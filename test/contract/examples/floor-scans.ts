import { hallSvg } from '../../support/floor-drawings.ts'
import { createDrawingFixtures } from '../../support/stored-drawings.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

const planWithDrawing = ({ world, home, text }: Stage) => createDrawingFixtures(world, home).plan(hallSvg({ label: `WC ${text()}` }))

async function finishedScan(stage: Stage): Promise<string> {
  const { scanId, jobId } = await stage.admin.call('scan_floor_plan_pois', { ...event(stage), floorPlanCode: await planWithDrawing(stage) })
  await createDrawingFixtures(stage.world, stage.home).run(jobId)
  return scanId
}

export const FLOOR_SCANS_EXAMPLES: Examples = {
  scan_floor_plan_pois: [
    async (stage) => ({ ...event(stage), floorPlanCode: await planWithDrawing(stage), languages: ['en', 'de'] }),
    async (stage) => ({
      ...event(stage),
      floorPlanCode: await planWithDrawing(stage),
      fileId: await createDrawingFixtures(stage.world, stage.home).file(hallSvg(), 'other.svg'),
      page: 1,
      kinds: ['pillar', 'restroom'],
      layers: ['COLUMNS'],
      useModel: false,
    }),
  ],
  get_floor_plan_scan: [
    async (stage) => ({ ...event(stage), scanId: await finishedScan(stage) }),
    async (stage) => ({ ...event(stage), scanId: await finishedScan(stage), kind: 'pillar', minConfidence: 0.9 }),
  ],
}
