import { CompiledQuery, Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Tables } from '../kernel/columns.ts'
import type { CommitPipeline, PooledConnection, Database, Pool } from '../kernel/ports.ts'
import { trackReplicaProgress } from '../kernel/replica.ts'
import type { DatabasePools as OpenDatabase } from './database.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { runWithoutOtherConnections } from './pool.ts'
import { createDatabaseSnapshotOpener } from './snapshots.ts'
import { createConnectionQueryBuilder, PipelinedPostgresDialect } from './statement-dialect.ts'

/**
 * The part of the connections that transactions of one event may use. Transactions of an event that is on sale wait for the same rows, each
 * with a connection; the rest is left for other events.
 */
const EVENT_SHARE = 0.6
/** How long a transaction waits while its event uses its maximum number of connections; equal to the timeout of the pool. */
const MAX_WAIT_MS = 10_000

export function createDatabaseAccess(
  { engine, pool, reader, reports, replica, close, poolSize }: OpenDatabase,
  { eventShare = EVENT_SHARE, maxTransactionMs }: { eventShare?: number; maxTransactionMs?: number } = {},
): Database {
  // The embedded database has a single connection, so the connections per event are not limited.
  const perEvent = engine === 'embedded' ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(poolSize * eventShare))
  const limitPerEvent = createConcurrencyLimit(perEvent, MAX_WAIT_MS)
  const following = replica ? trackReplicaProgress(pool, replica) : null
  const attempt = async <T>(run: RunInTransaction<T>): Promise<T> => {
    // The connection is acquired before `runWithoutOtherConnections`, because the pool refuses connections to code that runs inside it.
    const connection = await pool.connect()
    try {
      return await runWithoutOtherConnections(() => runTransaction(connection, run))
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
    snapshot: createDatabaseSnapshotOpener(reader, reports),
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
  new Kysely<Tables>({ dialect: new PipelinedPostgresDialect((text, values) => pool.query(text, values)) })

type RunInTransaction<T> = (db: Kysely<Tables>, atCommit?: CommitPipeline) => Promise<T>

const COMMIT = CompiledQuery.raw('commit')

async function runTransaction<T>(connection: PooledConnection, run: RunInTransaction<T>): Promise<T> {
  // `begin` is not awaited, so that it is sent together with the first statement, which fails if `begin` fails.
  const begun = connection.query('begin')
  begun.catch(() => {})
  const last: CompiledQuery[] = []
  const ending: Promise<unknown>[] = []
  let isCommitting = false
  const db = createConnectionQueryBuilder(refuseAfterCommit(connection))
  // All statements pass through the same query builder, which keeps them in the order in which they were started.
  const send = (statement: CompiledQuery) => {
    const sent = db.executeQuery(statement)
    sent.catch(() => {})
    ending.push(sent)
  }
  const commit = () => {
    if (!isCommitting) send(COMMIT)
    isCommitting = true
  }
  const begin = (statement: CompiledQuery) => {
    send(statement)
    return commit
  }
  try {
    const result = await run(db, { add: (statement) => void last.push(statement), begin })
    await begun
    if (!isCommitting) for (const statement of last) send(statement)
    commit()
    // The first statement that failed is why the commit failed. Its error decides whether the transaction is retried.
    const failed = (await Promise.allSettled(ending)).find(({ status }) => status === 'rejected')
    if (failed) throw (failed as PromiseRejectedResult).reason
    return result
  } catch (error) {
    const outcomes = await Promise.allSettled(ending)
    if (isCommitting && outcomes.at(-1)?.status === 'fulfilled') {
      // The transaction is committed and must not be retried, so a serialization error is replaced by an error that causes no retry.
      throw new Error('The transaction was committed, and an error followed', { cause: error })
    }
    // An error of the rollback is ignored: releasing the connection ends the transaction, and the caller gets the first error.
    await connection.query('rollback').catch(() => {})
    throw isFollowUpError(error) ? (outcomes.map(readReason).find((reason) => reason !== null && !isFollowUpError(reason)) ?? error) : error
  }
}

const readReason = (outcome: PromiseSettledResult<unknown>): unknown => (outcome.status === 'rejected' ? outcome.reason : null)

/** PostgreSQL's error code for a statement of a transaction in which an earlier statement has failed. */
const FAILED_TRANSACTION = '25P02'

/** Whether the error only says that an earlier statement of the transaction has failed. */
const isFollowUpError = (error: unknown) => (error as { code?: string } | null)?.code === FAILED_TRANSACTION

/** A connection that refuses statements after a commit, because they would run outside the transaction. */
function refuseAfterCommit(connection: PooledConnection): PooledConnection {
  let isCommitted = false
  return {
    ...connection,
    query: (text, values) => {
      if (isCommitted) return Promise.reject(new Error('a statement after the commit of its transaction'))
      isCommitted = text === COMMIT.sql
      return connection.query(text, values)
    },
  }
}

/** PostgreSQL's error code for a statement that reached its timeout. */
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
