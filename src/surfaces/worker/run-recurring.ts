import { findLastDueTime, findNextDueTime } from '../../kernel/cron.ts'
import type { Actor } from '../../kernel/context.ts'
import type { RecurringTask, RecurringTaskContext } from '../../kernel/recurring.ts'
import {
  claimRecurringTaskSlot,
  renewTaskSlotLease,
  releaseRecurringTaskSlot,
  type RecurringTaskSlot,
  leaseRecurringTaskSlot,
} from '../../kernel/recurring-slots.ts'
import type { AppServices } from '../services.ts'
import { runBackgroundJobStep } from './step.ts'

/** Enqueues the recurring tasks whose time has come, once across all processes. Returns the milliseconds until the next check. */
export function createRecurringTaskScheduler(
  { database, queue }: Pick<AppServices, 'database' | 'queue'>,
  recurring: readonly RecurringTask[],
) {
  /**
   * The last scheduled time (slot) of each task that this process has checked, which saves a query. The slot's row in the database decides
   * which process runs the task.
   */
  const seen = new Map<string, number>()
  return async function beginDue(): Promise<number> {
    const { rows } = await database.pool.query<{ now: Date }>('select lanyard_now() as now')
    const { now } = rows[0]!
    for (const { name, schedule } of recurring) {
      const slot = findLastDueTime(schedule, now)
      if (seen.get(name) === slot.getTime()) continue
      await database.transact(async (db) => {
        if (await claimRecurringTaskSlot(db, { name, slot }))
          await queue.send(db, { kind: 'slot', name, slot: slot.toISOString() }, { exclusiveKey: `recurring ${name}` })
      })
      seen.set(name, slot.getTime())
    }
    return Math.min(...recurring.map(({ schedule }) => findNextDueTime(schedule, now).getTime() - now.getTime()))
  }
}

const MAX_ATTEMPTS = 6
const LEASE_SECONDS = 30

/** The dependencies that a recurring task receives. */
export function createRecurringTaskContext(services: AppServices, name: string, slot: Date): RecurringTaskContext {
  const { database, queue, keys, log, files, cards } = services
  const startedBy = { id: name, name: 'Lanyard' }
  const actor: Actor = { kind: 'job', ...startedBy, app: { id: null, name: 'job' } }
  const commitEach: RecurringTaskContext['commitEach'] = async (due, change, onFailure) => {
    let failed = 0
    for (const row of due) {
      const { tenantId, eventId } = row
      try {
        await runBackgroundJobStep<'event', unknown>(services, { name, tenantId, eventId, clientId: null, startedBy }, (ctx) =>
          change(ctx, row),
        )
      } catch (error) {
        const { message, stack = '' } = error as Error
        log.error('recurring task failed for one row', { name, event: eventId, error: message, stack })
        await onFailure?.(row)
        if (++failed === due.length) throw error
      }
    }
  }
  return { slot, keys, queue, log, files, cards, actor, transact: database.transact, commitEach }
}

/** Runs a recurring task for one scheduled time. Throws if the queue must deliver it again. */
export function createRecurringTaskRunner(services: AppServices, recurring: readonly RecurringTask[]) {
  const { database, log } = services
  const byName = new Map(recurring.map((one) => [one.name, one]))
  return async function runSlot(due: RecurringTaskSlot): Promise<void> {
    const work = byName.get(due.name)
    // This worker does not know the task, because it belongs to another software version.
    if (!work) return
    const held = await leaseRecurringTaskSlot(database.write, due, LEASE_SECONDS)
    if (!held) return
    const alive = setInterval(
      () => void renewTaskSlotLease(database.write, held, LEASE_SECONDS).catch(() => {}),
      (LEASE_SECONDS * 1000) / 3,
    )
    try {
      await work.run(createRecurringTaskContext(services, due.name, due.slot))
      await releaseRecurringTaskSlot(database.write, held, { done: true })
    } catch (error) {
      log.error('recurring task failed', { name: due.name, error: (error as Error).message, stack: (error as Error).stack ?? '' })
      const done = held.attempts >= MAX_ATTEMPTS
      await releaseRecurringTaskSlot(database.write, held, { done })
      if (!done) throw error
    } finally {
      clearInterval(alive)
    }
  }
}
