import { type CompiledQuery, Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Tables } from '../kernel/columns.ts'
import type { Connection, Database, Pool, RunAtCommit } from '../kernel/ports.ts'
import { followReplica } from '../kernel/replica.ts'
import type { Database as OpenDatabase } from './database.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { runOwningTransaction } from './pool.ts'
import { createSnapshots } from './snapshots.ts'
import { createConnectionDb, StatementDialect } from './statement-dialect.ts'

/**
 * The part of the connections that transactions of one event may use. Transactions of an event that is on sale wait for the same rows, each
 * with a connection; the rest is left for other events.
 */
const EVENT_SHARE = 0.6
/** How long a transaction waits for a connection from its event's share: as long as any caller waits for a connection. */
const MAX_WAIT_MS = 10_000

export function createDatabase(
  { engine, pool, reader, reports, replica, close, poolSize }: OpenDatabase,
  { eventShare = EVENT_SHARE, maxTransactionMs }: { eventShare?: number; maxTransactionMs?: number } = {},
): Database {
  // The embedded database has a single connection, so there is nothing to share out.
  const perEvent = engine === 'embedded' ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(poolSize * eventShare))
  const limitPerEvent = createConcurrencyLimit(perEvent, MAX_WAIT_MS)
  const following = replica ? followReplica(pool, replica) : null
  const attempt = async <T>(run: RunInTransaction<T>): Promise<T> => {
    // The connection is acquired outside `runOwningTransaction`, inside of which the pool refuses connections.
    const connection = await pool.connect()
    try {
      return await runOwningTransaction(() => runTransaction(connection, run))
    } finally {
      connection.release()
    }
  }
  return {
    engine,
    maxTransactionMs,
    pool,
    write: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) }),
    read: createReader(reader),
    replica: following && { db: createReader(repeatOnPrimary(replica!, reader)), ...following },
    snapshot: createSnapshots(reader, reports),
    close() {
      following?.stop()
      return close()
    },
    transact: (run, { eventId } = {}) => limitPerEvent(eventId, () => withRetries(() => attempt(run))),
    runStatement: <R>(text: string, values: readonly unknown[], { eventId }: { eventId?: string | null | undefined } = {}) =>
      limitPerEvent(eventId, () => withRetries(async () => (await pool.query<R>(text, values)).rows)),
  }
}

const createReader = (pool: Pick<Pool, 'query'>) =>
  new Kysely<Tables>({ dialect: new StatementDialect((text, values) => pool.query(text, values)) })

type RunInTransaction<T> = (db: Kysely<Tables>, atCommit?: RunAtCommit) => Promise<T>

async function runTransaction<T>(connection: Connection, run: RunInTransaction<T>): Promise<T> {
  // `begin` is not awaited, so that it is sent together with the first statement, which fails if `begin` fails.
  const begun = connection.query('begin')
  begun.catch(() => {})
  try {
    const last: CompiledQuery[] = []
    const result = await run(createConnectionDb(connection), (statement) => void last.push(statement))
    await begun
    const sent = [...last.map(({ sql, parameters }) => connection.query(sql, parameters)), connection.query('commit')]
    // The first failure is the reason why the commit failed, and decides whether the transaction is retried.
    const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected')
    if (failed) throw (failed as PromiseRejectedResult).reason
    return result
  } catch (error) {
    // If the rollback fails too, the connection is lost or its release ends the transaction. The caller gets the first error.
    await connection.query('rollback').catch(() => {})
    throw error
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

/** Maximum number of attempts of a transaction: the first and three retries. */
const MAX_ATTEMPTS = 4

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

/** Whether the error is a serialization failure or a deadlock. */
const isSerializationFailure = (error: unknown) => ['40001', '40P01'].includes((error as { code?: string } | null)?.code ?? '')
