import { enforceRoomGuarantees, enqueueGuaranteeEnforcement } from '../../src/domains/checkout/room-guarantees.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import type { RecurringTaskContext } from '../../src/kernel/recurring.ts'
import { createQueueMessageHandler } from '../../src/surfaces/worker/worker.ts'
import type { World } from './world.ts'

/** Runs the hourly task for rooms without a guarantee, and the work that it enqueues. Returns the number of processed events. */
export async function runGuaranteeTask(world: World): Promise<number> {
  const queued: Parameters<ReturnType<typeof createQueueMessageHandler>>[0][] = []
  await enqueueGuaranteeEnforcement.run({
    transact: world.database.transact,
    queue: { send: async (_db: unknown, delivery: (typeof queued)[number]) => void queued.push(delivery) },
    actor: { kind: 'job', id: 'guarantees', name: 'Lanyard', app: { id: null, name: 'job' } },
  } as unknown as RecurringTaskContext)
  const handle = createQueueMessageHandler({ ...world.services, jobs: [enforceRoomGuarantees as unknown as Job], recurring: [] })
  for (const delivery of queued) await handle(delivery)
  return queued.length
}
