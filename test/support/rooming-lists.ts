import { storeRoomingListFiles } from '../../src/domains/housing/rooming/files.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import type { World } from './world.ts'

/** Stores the files of all rooming lists that wait for them, as the worker does. Returns the number of lists. */
export async function storeRoomingLists(world: World): Promise<number> {
  const { rows } = await world.database.pool.query<{ id: string; tenantId: number }>(
    `select id, tenant_id as "tenantId" from jobs where name = $1 and status = 'queued' order by id`,
    [storeRoomingListFiles.name],
  )
  for (const { id, tenantId } of rows)
    await createJobRunner(world.services)(storeRoomingListFiles as unknown as Job, { tenantId, jobId: id })
  return rows.length
}
