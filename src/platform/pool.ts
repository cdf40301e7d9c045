import { AsyncLocalStorage } from 'node:async_hooks'
import type { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { PooledConnection, Pool } from '../kernel/ports.ts'
import { yieldToEventLoop } from '../kernel/cooperative.ts'
import { columnTypeParsers } from './column-types.ts'
import { wrapPooledConnection, withFailedCommitCheck } from './connection.ts'
import { EmbeddedDatabaseStream } from './embedded-stream.ts'
import { isPoolerTrackingStatements, type RunQuery, withPreparedStatements, withUnnamedStatements } from './prepared-statements.ts'

const ownTransaction = new AsyncLocalStorage<{ open: boolean }>()

function refuseInsideTransaction(): void {
  if (isInsideTransaction()) throw new Error('a query outside its own transaction: use ctx.db')
}

/** Whether the calling code runs inside `runWithoutOtherConnections`, where other connections are refused. */
export const isInsideTransaction = (): boolean => ownTransaction.getStore()?.open ?? false

/**
 * Runs code that owns a transaction on an already acquired connection. Acquiring another connection inside would deadlock on the embedded
 * database and see other rows on PostgreSQL, so both pools reject it.
 */
export async function runWithoutOtherConnections<T>(run: () => Promise<T>): Promise<T> {
  refuseInsideTransaction()
  const mark = { open: true }
  try {
    return await ownTransaction.run(mark, run)
  } finally {
    mark.open = false
  }
}

function toPool(acquire: () => Promise<PooledConnection>, rest: Pick<Pool, 'usage' | 'end'>): Pool {
  const connect = async () => {
    refuseInsideTransaction()
    return acquire()
  }
  return {
    ...rest,
    connect,
    async query<R>(text: string, values?: readonly unknown[]) {
      refuseInsideTransaction()
      const connection = await acquire()
      try {
        return await connection.query<R>(text, values)
      } finally {
        connection.release()
      }
    },
  }
}

/**
 * Whether the client has a server process to itself. Behind a pooler in transaction mode, the next transaction may run in another process,
 * so no state of the session may be relied on.
 */
async function isDirect(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]!.pid === (client as unknown as { processID: number }).processID
}

/**
 * Sends time zone and date style when connecting. PgBouncer tracks these two for each client, so that a client never gets those of the
 * server or of another client. DateStyle is spelled as the server reports it, or PgBouncer would set it for every transaction.
 */
class ClientInUtc extends pg.Client {
  getStartupConf(): Record<string, unknown> {
    const { getStartupConf } = pg.Client.prototype as unknown as { getStartupConf: () => Record<string, unknown> }
    return { ...getStartupConf.call(this), TimeZone: 'UTC', DateStyle: 'ISO, MDY' }
  }
}

export interface PostgresPoolConfig extends pg.PoolConfig {
  /** Whether all transactions of the pool are read-only. Not enforced behind a pooler, which shares database sessions with writers. */
  readOnly?: boolean
  /** Factor for the timeout of waiting for a connection. Statement timeouts are set on the database role, see `role-defaults.ts`. */
  timeoutScale?: number | undefined
  onConnectionLost?: ((error: Error) => void) | undefined
}

export function createPostgresPool({ readOnly = false, timeoutScale = 1, onConnectionLost, ...config }: PostgresPoolConfig): Pool {
  const pool = new pg.Pool({
    Client: ClientInUtc,
    application_name: 'lanyard',
    connectionTimeoutMillis: 10_000 * timeoutScale,
    idleTimeoutMillis: 0,
    keepAlive: true,
    // With pipelining, statements that are started together are sent together, which saves round trips.
    pipeline: true,
    ...config,
    types: columnTypeParsers,
    async onConnect(client) {
      const direct = await isDirect(client)
      if (direct && readOnly) await client.query('set default_transaction_read_only = on')
      const names = direct || (tracksNames ??= await isPoolerTrackingStatements(client))
      queries.set(
        client,
        withFailedCommitCheck(names ? withPreparedStatements(client, { ownSession: direct }) : withUnnamedStatements(client)),
      )
    },
  })
  const queries = new WeakMap<pg.ClientBase, RunQuery>()
  let tracksNames: boolean | undefined
  pool.on('error', (error) => {
    if (!pool.ending) onConnectionLost?.(error)
  })
  pool.on('connect', (client) => {
    // Without this listener, an `error` event would end the process. The next statement on the lost connection reports the loss.
    client.on('error', () => {})
  })
  return toPool(
    async () => {
      const client = await pool.connect()
      return wrapPooledConnection(client, queries.get(client)!, (lost) => client.release(lost))
    },
    {
      usage: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
      end: () => pool.end(),
    },
  )
}

/**
 * Runs one statement after the other and lets the event loop run between them. PGlite does no asynchronous I/O, so consecutive statements
 * would block timers and sockets.
 */
function runInTurn(query: RunQuery): RunQuery {
  let last: Promise<unknown> = Promise.resolve()
  return (text, values) => {
    const run = async () => {
      await yieldToEventLoop()
      return query(text, values)
    }
    const result = last.then(run, run)
    last = result
    return result
  }
}

/**
 * Creates a pool of one client on PGlite behind a queue: PGlite has a single session, and its own pool adapter gets out of sync after an
 * error.
 */
export async function createEmbeddedPool(lite: PGlite): Promise<Pool> {
  const client = new pg.Client({ stream: () => new EmbeddedDatabaseStream(lite) as never, ssl: false, types: columnTypeParsers })
  client.on('error', () => {})
  await client.connect()
  // JIT is off: compiling a complex statement takes longer than running it.
  await client.query(`set timezone = 'UTC'; set datestyle = 'ISO'; set jit = off`)
  const query = runInTurn(withFailedCommitCheck(withPreparedStatements(client, { ownSession: true })))
  let lastTurn = Promise.resolve()
  let waiting = 0
  let held = false
  let ended = false
  return toPool(
    async () => {
      if (ended) throw new Error('the database is closed')
      const turn = Promise.withResolvers<void>()
      const turnBefore = lastTurn
      lastTurn = turn.promise
      waiting++
      await turnBefore
      waiting--
      held = true
      return wrapPooledConnection(client, query, () => {
        held = false
        turn.resolve()
      })
    },
    {
      usage: () => ({ open: 1, idle: held ? 0 : 1, waiting }),
      async end() {
        ended = true
        await lastTurn
        await client.end()
        await lite.close()
      },
    },
  )
}
