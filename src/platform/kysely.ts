import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Tables } from '../kernel/columns.ts'
import type { Database, Pool } from '../kernel/ports.ts'
import { followReplica } from '../kernel/replica.ts'
import type { Database as OpenDatabase } from './database.ts'
import { runOwningTransaction } from './pool.ts'
import { ReadOnlyDialect } from './read-only-dialect.ts'

export function createDatabase({ engine, pool, reader, replica, close }: OpenDatabase): Database {
  const write = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) })
  const following = replica ? followReplica(pool, replica) : null
  return {
    engine,
    pool,
    write,
    read: new Kysely<Tables>({ dialect: new ReadOnlyDialect(reader) }),
    replica: following && {
      db: new Kysely<Tables>({ dialect: new ReadOnlyDialect(repeatOnPrimary(replica!, reader)) }),
      ...following,
    },
    close() {
      following?.stop()
      return close()
    },
    // The connection is acquired before the transaction is marked as owned, or acquiring it would be rejected.
    transact: (run) =>
      withRetries(() => write.connection().execute((connection) => runOwningTransaction(() => connection.transaction().execute(run)))),
  }
}

/** PostgreSQL's code for a statement that reached its timeout. */
const QUERY_CANCELED = '57014'

/**
 * Repeats a read that failed on the replica: the replica may be down, may cancel a read that conflicts with a change, or may not have the
 * newest columns yet.
 */
const repeatOnPrimary = (replica: Pool, primary: Pool): Pool => ({
  ...replica,
  query: <R>(text: string, values?: readonly unknown[]) =>
    replica.query<R>(text, values).catch((error: { code?: string }) => {
      if (error.code === QUERY_CANCELED) throw error
      return primary.query<R>(text, values)
    }),
})

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
