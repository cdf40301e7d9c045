import { cleanUpParticipantSessions } from '../../domains/access/participant-sessions.ts'
import { cleanUpRateWindows } from '../../domains/access/rate-windows.ts'
import { cleanUpCodes } from '../../domains/codes/cleanup.ts'
import { cleanUpDirectories } from '../../domains/directories/cleanup.ts'
import { cleanUpDeletions } from '../../domains/entities/deletions.ts'
import { cleanUpFiles } from '../../domains/files/cleanup.ts'
import { cleanUpMessages } from '../../domains/messages/cleanup.ts'
import { cleanUpOauth } from '../../domains/oauth/cleanup.ts'
import { cleanUpSignIn } from '../../domains/sign-in/cleanup.ts'
import { tidyWebhooks } from '../../domains/webhooks/tidy.ts'
import type { Db } from '../../kernel/columns.ts'
import type { RecurringTask, RecurringTaskRun } from '../../kernel/recurring.ts'
import { deleteOldSlots } from '../../kernel/recurring-slots.ts'
import { requeueStuckWork, deleteExpiredCallRecords } from '../../kernel/cleanup.ts'

type CleanupRun = Pick<RecurringTaskRun, 'transact' | 'keys' | 'queue' | 'files'>

export interface CleanupTask {
  name: string
  tidy: (given: CleanupRun) => Promise<void>
}

/** Most cleanup tasks need only the database and one transaction. */
const inTransaction =
  (tidy: (db: Db, given: CleanupRun) => Promise<void>): CleanupTask['tidy'] =>
  (given) =>
    given.transact((db) => tidy(db, given))

/** Deletes expired data. */
const CLEANUP_TASKS: readonly CleanupTask[] = [
  { name: 'oauth', tidy: inTransaction((db) => cleanUpOauth(db)) },
  { name: 'rate windows', tidy: inTransaction(cleanUpRateWindows) },
  { name: 'sign-in', tidy: inTransaction(cleanUpSignIn) },
  { name: 'participant sessions', tidy: inTransaction(cleanUpParticipantSessions) },
  { name: 'codes', tidy: inTransaction(cleanUpCodes) },
  { name: 'road', tidy: inTransaction(deleteExpiredCallRecords) },
  { name: 'messages', tidy: inTransaction(cleanUpMessages) },
  { name: 'directories', tidy: inTransaction((db, { keys }) => cleanUpDirectories(db, keys)) },
  { name: 'deletions', tidy: inTransaction(cleanUpDeletions) },
  { name: 'webhooks', tidy: inTransaction(tidyWebhooks) },
  { name: 'slots', tidy: inTransaction(deleteOldSlots) },
  { name: 'lost work', tidy: inTransaction((db, { queue }) => requeueStuckWork(db, queue)) },
  { name: 'files', tidy: cleanUpFiles },
]

/** A failing task is logged and does not prevent the others. */
export async function runCleanupTasks(given: CleanupRun & Pick<RecurringTaskRun, 'log'>, tidiers = CLEANUP_TASKS): Promise<void> {
  for (const { name, tidy } of tidiers) {
    await tidy(given).catch((error: Error) => given.log.error('tidy', { name, error: error.message, stack: error.stack ?? '' }))
  }
}

export const hourlyCleanup: RecurringTask = { name: 'tidy', schedule: { everySeconds: 3600 }, run: (given) => runCleanupTasks(given) }
