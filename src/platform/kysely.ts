import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Tables } from '../kernel/columns.ts'
import type { Connection, Database } from '../kernel/ports.ts'
import type { Database as OpenDatabase } from './database.ts'
import { runOwningTransaction } from './pool.ts'
import { StatementDialect } from './statement-dialect.ts'

export function createDatabase({ engine, pool, reader, close }: OpenDatabase): Database {
  const transact: Database['transact'] = (run) =>
    withRetries(async () => {
      // The connection is acquired before the transaction is marked as owned, or acquiring it would be rejected.
      const connection = await pool.connect()
      try {
        return await runOwningTransaction(() => runTransaction(connection, run))
      } finally {
        connection.release()
      }
    })
  return {
    engine,
    pool,
    write: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) }),
    read: new Kysely<Tables>({ dialect: new StatementDialect((text, values) => reader.query(text, values)) }),
    close,
    transact,
  }
}

async function runTransaction<T>(connection: Connection, run: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  // Not awaited, so that it is sent together with the first statement. That statement fails if this one does.
  const begun = connection.query('begin')
  begun.catch(() => {})
  try {
    const result = await run(new Kysely<Tables>({ dialect: new StatementDialect((text, values) => connection.query(text, values)) }))
    await begun
    await connection.query('commit')
    return result
  } catch (error) {
    // If this fails too, the connection is lost or its release ends the transaction; the first error is the one to report.
    await connection.query('rollback').catch(() => {})
    throw error
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
