import type { Db } from './columns.ts'
import type { Schedule } from './cron.ts'
import type { CardProcessors } from './cards.ts'
import type { Actor, EventContext } from './context.ts'
import type { FileStore, JobQueue, Log } from './ports.ts'
import type { DerivedKeys } from './secrets.ts'

export interface RecurringTaskContext {
  /** The time that the run was scheduled for, which may be long past. */
  slot: Date
  keys: DerivedKeys
  queue: JobQueue
  log: Log
  files: FileStore
  cards: CardProcessors
  /** The actor of the jobs that the task enqueues for tenants. */
  actor: Actor
  transact: <T>(run: (db: Db) => Promise<T>) => Promise<T>
  /**
   * Commits one change for each row that is due, like a tool call, with audit and webhook announcements. A row whose change fails is
   * logged and stays due, and the rows after it run all the same. Throws if every change failed.
   */
  commitEach: <Row extends EventPlace>(
    due: readonly Row[],
    change: (ctx: EventContext, row: Row) => Promise<unknown>,
    onFailure?: (row: Row) => Promise<unknown>,
  ) => Promise<void>
}

interface EventPlace {
  tenantId: number
  eventId: string
}

/**
 * A scheduled task for all tenants. Long-running or tenant-specific work is enqueued as jobs. One process runs each slot. After an outage
 * only the latest missed slot is run.
 */
export interface RecurringTask {
  name: string
  schedule: Schedule
  /** Runs the task. Called again a few times after a crash, so the function must detect the work it already did. */
  run: (given: RecurringTaskContext) => Promise<unknown>
}
