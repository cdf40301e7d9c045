import { settleGuarantees, watchGuarantees } from '../../src/domains/registration/overdue-rooms.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import type { RecurringRun } from '../../src/kernel/recurring.ts'
import { deliveryHandler } from '../../src/surfaces/worker/worker.ts'
import type { World } from './world.ts'

/** What the clock does every hour about rooms that are not secured, with all that comes of it. Returns how many events it looked at. */
export async function watchRooms(world: World): Promise<number> {
  const queued: Parameters<ReturnType<typeof deliveryHandler>>[0][] = []
  await watchGuarantees.run({
    transact: world.database.transact,
    queue: { send: async (_db: unknown, delivery: (typeof queued)[number]) => void queued.push(delivery) },
    actor: { kind: 'job', id: 'guarantees', name: 'Lanyard', app: { id: null, name: 'job' } },
  } as unknown as RecurringRun)
  const handle = deliveryHandler({ ...world.road, jobs: [settleGuarantees as unknown as Job], recurring: [] })
  for (const delivery of queued) await handle(delivery)
  return queued.length
}
