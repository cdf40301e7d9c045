import type { RecurringTask } from '../../src/kernel/recurring.ts'
import { createRecurringTaskContext } from '../../src/surfaces/worker/run-recurring.ts'
import type { World } from './world.ts'

/** Runs a recurring task as the worker does, at the time of the world's clock. */
export const runRecurringTask = async (world: World, task: RecurringTask): Promise<void> =>
  void (await task.run(createRecurringTaskContext(world.services, task.name, await world.clock.now())))
