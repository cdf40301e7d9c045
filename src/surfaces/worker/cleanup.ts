import { cleanUpParticipantSessions } from '../../domains/access/participant-sessions.ts'
import { deleteExpiredRateLimitCounters } from '../../domains/access/rate-windows.ts'
import { cleanUpCodes } from '../../domains/codes/cleanup.ts'
import { cleanUpDirectories } from '../../domains/directories/cleanup.ts'
import { cleanUpDeletionRecords } from '../../domains/entities/deletions.ts'
import { deleteExpiredLayoutsAndProposals } from '../../domains/exhibitors/cleanup.ts'
import { cleanUpFiles } from '../../domains/files/cleanup.ts'
import { deleteOldProviderResponses } from '../../domains/hotel-catalog/provider-cache.ts'
import { cleanUpMessages } from '../../domains/messages/cleanup.ts'
import { cleanUpOauth } from '../../domains/oauth/cleanup.ts'
import { cleanUpSignInData } from '../../domains/sign-in/cleanup.ts'
import { unlinkCompletedResponses } from '../../domains/surveys/respond.ts'
import { cleanUpWebhooks } from '../../domains/webhooks/cleanup.ts'
import type { Db } from '../../kernel/columns.ts'
import type { RecurringTask, RecurringTaskContext } from '../../kernel/recurring.ts'
import { deleteOldTaskSlots } from '../../kernel/recurring-slots.ts'
import { requeueOverdueJobsAndCalls, deleteExpiredIdempotencyData } from '../../kernel/cleanup.ts'

type CleanupRun = Pick<RecurringTaskContext, 'transact' | 'keys' | 'queue' | 'files'>

export interface CleanupTask {
  name: string
  run: (given: CleanupRun) => Promise<void>
}

/** Wraps a cleanup task that needs only the database and one transaction, as most tasks do. */
const inTransaction =
  (run: (db: Db, given: CleanupRun) => Promise<void>): CleanupTask['run'] =>
  (given) =>
    given.transact((db) => run(db, given))

/** The tasks that delete expired data. */
const CLEANUP_TASKS: readonly CleanupTask[] = [
  { name: 'oauth', run: inTransaction((db) => cleanUpOauth(db)) },
  { name: 'rate windows', run: inTransaction(deleteExpiredRateLimitCounters) },
  { name: 'sign-in', run: inTransaction(cleanUpSignInData) },
  { name: 'participant sessions', run: inTransaction(cleanUpParticipantSessions) },
  { name: 'codes', run: inTransaction(cleanUpCodes) },
  { name: 'call records', run: inTransaction(deleteExpiredIdempotencyData) },
  { name: 'messages', run: inTransaction(cleanUpMessages) },
  { name: 'directories', run: inTransaction((db, { keys }) => cleanUpDirectories(db, keys)) },
  { name: 'deletions', run: inTransaction(cleanUpDeletionRecords) },
  { name: 'webhooks', run: inTransaction(cleanUpWebhooks) },
  { name: 'hotel catalog', run: inTransaction(deleteOldProviderResponses) },
  { name: 'floor drafts', run: inTransaction(deleteExpiredLayoutsAndProposals) },
  { name: 'survey links', run: inTransaction(unlinkCompletedResponses) },
  { name: 'slots', run: inTransaction(deleteOldTaskSlots) },
  { name: 'lost work', run: inTransaction((db, { queue }) => requeueOverdueJobsAndCalls(db, queue)) },
  { name: 'files', run: cleanUpFiles },
]

/** Runs all cleanup tasks. A failing task is logged and does not prevent the others. */
export async function runCleanupTasks(given: CleanupRun & Pick<RecurringTaskContext, 'log'>, tasks = CLEANUP_TASKS): Promise<void> {
  for (const { name, run } of tasks) {
    await run(given).catch((error: Error) => given.log.error('cleanup', { name, error: error.message, stack: error.stack ?? '' }))
  }
}

export const hourlyCleanupTask: RecurringTask = { name: 'tidy', schedule: { everySeconds: 3600 }, run: (given) => runCleanupTasks(given) }
