import { scanFloorPlanJob } from '../../../src/domains/exhibitors/plan-scans/scan-job.ts'
import { hallSvg } from '../../../test/support/floor-drawings.ts'
import { createUploadFixtures } from '../../../test/support/uploads.ts'
import type { DemoScenario } from '../demo-scenario.ts'
import { type Examples, SUMMIT_SCOPE } from './example.ts'

async function drawing({ world }: DemoScenario): Promise<{ floorPlanCode: string; fileId: string }> {
  const { rows } = await world.database.pool.query<{ tenant_id: number; event_id: string; client_id: string; code: string }>(
    `select p.tenant_id, p.event_id, e.client_id, p.code from floor_plans p join events e on e.tenant_id = p.tenant_id and e.id = p.event_id
     where e.code = $1 order by p.id limit 1`,
    [SUMMIT_SCOPE.eventCode],
  )
  const { tenant_id: tenantId, event_id: eventId, client_id: clientId, code } = rows[0]!
  const file = await createUploadFixtures(world, { tenantId }).file(Buffer.from(hallSvg()), { name: 'hall.svg', purpose: 'floorPlan' }, { clientId, eventId })
  return { floorPlanCode: code, fileId: file.id }
}

let scan: { scanId: string; jobId: string } | undefined

export const FLOOR_SCANS_EXAMPLES: Examples = {
  get_floor_plan_scan: async (stage) => {
    scan = await stage.call('scan_floor_plan_pois', { ...SUMMIT_SCOPE, ...(await drawing(stage)), kinds: ['pillar', 'restroom', 'entrance'] })
    await stage.run(scanFloorPlanJob, scan!.jobId)
    return { ...SUMMIT_SCOPE, scanId: scan!.scanId, minConfidence: 0.8 }
  },
  scan_floor_plan_pois: async (stage) => ({ ...SUMMIT_SCOPE, ...(await drawing(stage)) }),
}
