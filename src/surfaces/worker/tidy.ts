import { tidyParticipantSessions } from '../../domains/access/participant-sessions.ts'
import { forgetOldWindows } from '../../domains/access/rate-windows.ts'
import { tidyCodes } from '../../domains/codes/tidy.ts'
import { tidyDirectories } from '../../domains/directories/tidy.ts'
import { tidyDeletions } from '../../domains/entities/deletions.ts'
import { tidyFiles } from '../../domains/files/tidy.ts'
import { tidyMessages } from '../../domains/messages/tidy.ts'
import { tidyOauth } from '../../domains/oauth/tidy.ts'
import { tidySignIn } from '../../domains/sign-in/tidy.ts'
import { tidyWebhooks } from '../../domains/webhooks/tidy.ts'
import type { Db } from '../../kernel/columns.ts'
import type { Recurring, RecurringRun } from '../../kernel/recurring.ts'
import { tidySlots } from '../../kernel/slots.ts'
import { requeueLost, tidyRoad } from '../../kernel/tidy.ts'

type Given = Pick<RecurringRun, 'transact' | 'keys' | 'queue' | 'files'>

export interface Tidier {
  name: string
  tidy: (given: Given) => Promise<void>
}

/** Most need nothing but the database, and one transaction. */
const within =
  (tidy: (db: Db, given: Given) => Promise<void>): Tidier['tidy'] =>
  (given) =>
    given.transact((db) => tidy(db, given))

/** Removes what has expired. */
const TIDIERS: readonly Tidier[] = [
  { name: 'oauth', tidy: within((db) => tidyOauth(db)) },
  { name: 'rate windows', tidy: within(forgetOldWindows) },
  { name: 'sign-in', tidy: within(tidySignIn) },
  { name: 'participant sessions', tidy: within(tidyParticipantSessions) },
  { name: 'codes', tidy: within(tidyCodes) },
  { name: 'road', tidy: within(tidyRoad) },
  { name: 'messages', tidy: within(tidyMessages) },
  { name: 'directories', tidy: within((db, { keys }) => tidyDirectories(db, keys)) },
  { name: 'deletions', tidy: within(tidyDeletions) },
  { name: 'webhooks', tidy: within(tidyWebhooks) },
  { name: 'slots', tidy: within(tidySlots) },
  { name: 'lost work', tidy: within((db, { queue }) => requeueLost(db, queue)) },
  { name: 'files', tidy: tidyFiles },
]

/** One that fails is logged and keeps none of the others from their work. */
export async function tidyAll(given: Given & Pick<RecurringRun, 'log'>, tidiers = TIDIERS): Promise<void> {
  for (const { name, tidy } of tidiers) {
    await tidy(given).catch((error: Error) => given.log.error('tidy', { name, error: error.message, stack: error.stack ?? '' }))
  }
}

export const tidyHourly: Recurring = { name: 'tidy', schedule: { everySeconds: 3600 }, run: (given) => tidyAll(given) }
