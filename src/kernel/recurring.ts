import type { Db } from './columns.ts'
import type { Schedule } from './cron.ts'
import type { CardProcessors } from './cards.ts'
import type { Actor, EventContext } from './context.ts'
import type { FileStore, JobQueue, Log } from './ports.ts'
import type { Keys } from './secrets.ts'

export interface RecurringRun {
  /** When it fell due, which may be a while ago. */
  slot: Date
  keys: Keys
  queue: JobQueue
  log: Log
  files: FileStore
  cards: CardProcessors
  /** As whom it starts jobs in the tenants. */
  actor: Actor
  transact: <T>(run: (db: Db) => Promise<T>) => Promise<T>
  /** For whatever is a change to people: kept as a call at that event would keep it, so that whoever listens is told. */
  changeAt: <T>(at: { tenantId: number; eventId: string }, run: (ctx: EventContext) => Promise<T>) => Promise<T>
}

/**
 * Work that comes again by the clock, for all tenants at once; what takes long or belongs to somebody is enqueued from here as a job.
 * Of several processes one runs each slot. After an outage the last slot that was missed is made up for, and no other.
 */
export interface Recurring {
  name: string
  schedule: Schedule
  /** Called again after a crash, a few times: what it did before must be found and left alone. */
  run: (given: RecurringRun) => Promise<unknown>
}
