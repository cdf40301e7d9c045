import { forgetOldWindows } from '../../domains/access/rate-windows.ts'
import { tidyDirectories } from '../../domains/directories/tidy.ts'
import { tidyMessages } from '../../domains/messages/tidy.ts'
import { tidyOauth } from '../../domains/oauth/tidy.ts'
import { tidySignIn } from '../../domains/sign-in/tidy.ts'
import type { Database, Log } from '../../kernel/ports.ts'
import type { Keys } from '../../kernel/secrets.ts'
import { tidyRoad } from '../../kernel/tidy.ts'

const HOUR_MS = 3_600_000

/** Removes what has expired, at start and once an hour. Several workers may do so at once: what is gone is gone. */
export function tidyHourly({ database, keys, log }: { database: Database; keys: Keys; log: Log }): { stop: () => Promise<void> } {
  const tidy = () =>
    tidyOauth(database.write)
      .then(() => forgetOldWindows(database.pool))
      .then(() => tidySignIn(database.write))
      .then(() => tidyRoad(database.write))
      .then(() => tidyMessages(database.write))
      .then(() => tidyDirectories(database.write, keys))
      .catch((error: Error) => log.error('tidy', { error: error.message }))
  let running = tidy()
  const timer = setInterval(() => void (running = tidy()), HOUR_MS)
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
