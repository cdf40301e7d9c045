import { settleRoomGuarantees, enqueueRoomGuarantees } from '../../src/domains/checkout/room-guarantees.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import type { RecurringTaskRun } from '../../src/kernel/recurring.ts'
import { createDeliveryHandler } from '../../src/surfaces/worker/worker.ts'
import type { World } from './world.ts'

/** Runs the hourly task for rooms without a guarantee, and the work that it enqueues. Returns the number of processed events. */
export async function runGuaranteeTask(world: World): Promise<number> {
  const queued: Parameters<ReturnType<typeof createDeliveryHandler>>[0][] = []
  await enqueueRoomGuarantees.run({
    transact: world.database.transact,
    queue: { send: async (_db: unknown, delivery: (typeof queued)[number]) => void queued.push(delivery) },
    actor: { kind: 'job', id: 'guarantees', name: 'Lanyard', app: { id: null, name: 'job' } },
  } as unknown as RecurringTaskRun)
  const handle = createDeliveryHandler({ ...world.services, jobs: [settleRoomGuarantees as unknown as Job], recurring: [] })
  for (const delivery of queued) await handle(delivery)
  return queued.length
}
