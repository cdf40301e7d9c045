import { tidyParticipantSessions } from '../../domains/access/participant-sessions.ts'
import { forgetOldWindows } from '../../domains/access/rate-windows.ts'
import { tidyDirectories } from '../../domains/directories/tidy.ts'
import { tidyMessages } from '../../domains/messages/tidy.ts'
import { tidyOauth } from '../../domains/oauth/tidy.ts'
import { tidySignIn } from '../../domains/sign-in/tidy.ts'
import type { Db } from '../../kernel/columns.ts'
import type { JobQueue } from '../../kernel/ports.ts'
import type { Recurring, RecurringRun } from '../../kernel/recurring.ts'
import type { Keys } from '../../kernel/secrets.ts'
import { tidySlots } from '../../kernel/slots.ts'
import { requeueLost, tidyRoad } from '../../kernel/tidy.ts'

export interface Tidier {
  name: string
  tidy: (db: Db, given: { keys: Keys; queue: JobQueue }) => Promise<void>
}

/** Removes what has expired, each in a transaction of its own. */
const TIDIERS: readonly Tidier[] = [
  { name: 'oauth', tidy: (db) => tidyOauth(db) },
  { name: 'rate windows', tidy: forgetOldWindows },
  { name: 'sign-in', tidy: tidySignIn },
  { name: 'participant sessions', tidy: tidyParticipantSessions },
  { name: 'road', tidy: tidyRoad },
  { name: 'messages', tidy: tidyMessages },
  { name: 'directories', tidy: (db, { keys }) => tidyDirectories(db, keys) },
  { name: 'slots', tidy: tidySlots },
  { name: 'lost work', tidy: (db, { queue }) => requeueLost(db, queue) },
]

/** One that fails is logged and keeps none of the others from their work. */
export async function tidyAll(given: Pick<RecurringRun, 'transact' | 'keys' | 'queue' | 'log'>, tidiers = TIDIERS): Promise<void> {
  for (const { name, tidy } of tidiers) {
    await given
      .transact((db) => tidy(db, given))
      .catch((error: Error) => given.log.error('tidy', { name, error: error.message, stack: error.stack ?? '' }))
  }
}

export const tidyHourly: Recurring = { name: 'tidy', schedule: { everySeconds: 3600 }, run: (given) => tidyAll(given) }
