import { scanFloorPlanJob } from '../../src/domains/exhibitors/plan-scans/scan-job.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { createExhibitorFixtures } from './companies.ts'
import { createUploadFixtures } from './uploads.ts'
import type { EventHandle, World } from './world.ts'

let made = 0

/** Creates floor plans with a drawing at an event, and runs their scans. */
export function createDrawingFixtures(world: World, home: EventHandle) {
  const file = async (content: string | Buffer, name: string): Promise<string> => {
    const at = { clientId: home.clientId, eventId: home.eventId }
    return (await createUploadFixtures(world, home).file(Buffer.from(content), { name, purpose: 'floorPlan' }, at)).id
  }
  return {
    file,
    /** Creates a floor plan whose source file has the given content, and returns the code of the plan. */
    async plan(content: string | Buffer, name = 'hall.svg', { units = 'm' as 'm' | 'ft' } = {}): Promise<string> {
      const code = `scanned-${++made}`
      await createExhibitorFixtures(world, home).plan({ code, name: `Hall ${made}`, units }, [], { published: false })
      await world.database.pool.query(
        `update floor_plans set source_file_id = $1, outline = '{"outer": [], "holes": []}' where tenant_id = $2 and event_id = $3 and code = $4`,
        [await file(content, name), home.tenantId, home.eventId, code],
      )
      return code
    },
    run: (jobId: string) => createJobRunner(world.services)(scanFloorPlanJob as Job, { tenantId: home.tenantId, jobId }),
  }
}
