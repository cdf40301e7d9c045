import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Tables } from '../kernel/columns.ts'
import type { Database } from '../kernel/ports.ts'
import type { Database as OpenDatabase } from './database.ts'
import { runOwningTransaction } from './pool.ts'
import { ReadOnlyDialect } from './read-only-dialect.ts'

export function createDatabase({ engine, pool, reader, close }: OpenDatabase): Database {
  const write = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) })
  return {
    engine,
    pool,
    write,
    read: new Kysely<Tables>({ dialect: new ReadOnlyDialect(reader) }),
    close,
    // The connection is acquired before the transaction is marked as owned, or acquiring it would be rejected.
    transact: (run) =>
      withRetries(() => write.connection().execute((connection) => runOwningTransaction(() => connection.transaction().execute(run)))),
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
