import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Tables } from '../kernel/columns.ts'
import type { Database } from '../kernel/ports.ts'
import type { Database as OpenDatabase } from './database.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { runOwningTransaction } from './pool.ts'
import { ReadOnlyDialect } from './read-only-dialect.ts'

/**
 * The part of the connections that transactions of one event may use. Transactions of an event that is on sale wait for the same rows, each
 * with a connection; the rest is left for other events.
 */
const EVENT_SHARE = 0.6
/** As long as a caller waits for a connection. */
const MAX_WAIT_MS = 10_000

export function createDatabase(
  { engine, pool, reader, close, poolSize }: OpenDatabase,
  { eventShare = EVENT_SHARE }: { eventShare?: number } = {},
): Database {
  // The embedded database has a single connection, so there is nothing to share out.
  const perEvent = engine === 'embedded' ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(poolSize * eventShare))
  const limitPerEvent = createConcurrencyLimit(perEvent, MAX_WAIT_MS)
  const write = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) })
  return {
    engine,
    pool,
    write,
    read: new Kysely<Tables>({ dialect: new ReadOnlyDialect(reader) }),
    close,
    // The connection is acquired before the transaction is marked as owned, or acquiring it would be rejected.
    transact: (run, { eventId } = {}) =>
      limitPerEvent(eventId, () =>
        withRetries(() => write.connection().execute((connection) => runOwningTransaction(() => connection.transaction().execute(run)))),
      ),
  }
}

const MAX_ATTEMPTS = 3

/** Retries a transaction that hit a serialization conflict, or a plan made stale by a migration. */
async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries === MAX_ATTEMPTS || !isSerializationFailure(error)) throw error
    }
  }
}

/** Serialization failures and deadlocks. */
const isSerializationFailure = (error: unknown) => ['40001', '40P01'].includes((error as { code?: string } | null)?.code ?? '')
