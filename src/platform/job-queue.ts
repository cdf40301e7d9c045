import { CompiledQuery } from 'kysely'
import { PgBoss } from 'pg-boss'
import type { Db } from '../kernel/columns.ts'
import type { Connection, Delivery, JobQueue, Log, Pool } from '../kernel/ports.ts'

export interface WorkQueue extends JobQueue {
  /** Processes deliveries, a few concurrently. A delivery is repeated if the function throws or its process dies. */
  work: (handle: (delivery: Delivery) => Promise<void>) => void
  /** Replaces the content of the queue with the given work, in the connection's transaction. */
  restoreWork: (connection: Connection, waiting: readonly QueuedWork[]) => Promise<void>
  stop: () => Promise<void>
}

/** Queued work in a form that is independent of pg-boss's own tables, which change between versions. */
export interface QueuedWork {
  delivery: Delivery
  startAfter: string
  turn: string | null
}

/** One queue for all kinds of work, so that an idle worker polls only once. */
const QUEUE = 'work'
const MAX_CONCURRENT_DELIVERIES = 4
const POLL_MS = 500
const HEARTBEAT_SECONDS = 10
/** How long running work may take to finish when the process stops. What does not finish is run again elsewhere. */
const MAX_STOP_MS = 20_000

const QUEUE_OPTIONS = {
  // Attempts are counted in the work's own row, so the queue itself never gives up.
  retryLimit: 100_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 300,
  retentionSeconds: 365 * 24 * 3600,
  // A worker counts as alive by its heartbeat, not by how long the work takes.
  expireInSeconds: 24 * 3600,
  heartbeatSeconds: HEARTBEAT_SECONDS,
}

/** pg-boss checks for dependent jobs every five seconds. They are not used here, so once a week is enough. */
const FLOW_INTERVAL_SECONDS = 7 * 24 * 3600

function createBoss(pool: Pool): PgBoss {
  const executeSql = (text: string, values?: unknown[]) => pool.query(text, values) as Promise<{ rows: unknown[] }>
  return new PgBoss({
    db: { executeSql },
    schedule: false,
    // Work of a dead process is found within seconds instead of a minute.
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
    flowIntervalSeconds: FLOW_INTERVAL_SECONDS,
  })
}

/** Creates or migrates the queue's tables in advance, so that a later start only has to find them. */
export async function prepareJobQueue(pool: Pool): Promise<void> {
  const boss = createBoss(pool)
  // Errors are also thrown by `start`.
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue(QUEUE, QUEUE_OPTIONS)
  await boss.stop({ graceful: false, close: false })
}

/** Lists the queued work for a backup, including work in progress: its own row records how far it got. */
export async function listWaitingWork(connection: Connection): Promise<QueuedWork[]> {
  const { rows: found } = await connection.query<{ there: boolean }>(`select to_regclass('pgboss.job') is not null as there`)
  if (!found[0]!.there) return []
  const { rows } = await connection.query<QueuedWork>(
    `select data as delivery, to_json(start_after) #>> '{}' as "startAfter", group_id as turn from pgboss.job
     where name = '${QUEUE}' and state < 'completed' order by created_on, id`,
  )
  return rows
}

/** pg-boss on our own pool. Its queue table is in our database, so work is enqueued in the caller's transaction. */
export async function openJobQueue(pool: Pool, log: Log): Promise<WorkQueue> {
  const boss = createBoss(pool)
  boss.on('error', (error) => log.error('job queue', { error: error.message }))
  await boss.start()
  if (await boss.getQueue(QUEUE)) await boss.updateQueue(QUEUE, QUEUE_OPTIONS)
  else await boss.createQueue(QUEUE, QUEUE_OPTIONS)
  // The first send reads the queue's row on another connection, which would deadlock inside a transaction on the embedded database.
  await boss.findJobs(QUEUE, { id: '00000000-0000-0000-0000-000000000000' })
  let working: { stop: () => Promise<void> } | null = null
  return {
    async send(db, delivery, { afterSeconds = 0, exclusiveKey } = {}) {
      await boss.send(QUEUE, delivery, {
        db: { executeSql: (text, values) => within(db, text, values) },
        ...(afterSeconds > 0 ? { startAfter: afterSeconds } : {}),
        ...(exclusiveKey ? { group: { id: exclusiveKey } } : {}),
      })
    },
    async restoreWork(connection, waiting) {
      const db = { executeSql: (text: string, values?: unknown[]) => connection.query(text, values) as Promise<{ rows: unknown[] }> }
      await connection.query('delete from pgboss.job')
      for (const { delivery, startAfter, turn } of waiting)
        await boss.send(QUEUE, delivery, { db, startAfter: new Date(startAfter), ...(turn ? { group: { id: turn } } : {}) })
    },
    work: (handle) => void (working = startPolling(boss, handle, log)),
    async stop() {
      await working?.stop()
      // The queue stops before the connection pool ends, because pg-boss's timers use the pool.
      await boss.stop({ graceful: false, close: false })
    },
  }
}

interface TakenJob {
  id: string
  retryCount: number
}

/** One polling loop that fetches as much work as there is capacity for. Long-running work does not block other work. */
function startPolling(boss: PgBoss, handle: (delivery: Delivery) => Promise<void>, log: Log): { stop: () => Promise<void> } {
  const running = new Map<string, { taken: TakenJob; ended: Promise<void> }>()
  let stopping = false
  let wake = () => {}
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_MS)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const logError = (error: Error) => log.error('job queue', { error: error.message })

  async function processDelivery(taken: TakenJob, delivery: Delivery): Promise<void> {
    try {
      await handle(delivery)
      await boss.complete(QUEUE, taken)
    } catch (error) {
      await boss.fail(QUEUE, taken, { message: (error as Error).message }).catch(logError)
    }
    running.delete(taken.id)
    wake()
  }

  async function poll(): Promise<void> {
    while (!stopping) {
      const room = MAX_CONCURRENT_DELIVERIES - running.size
      const jobs =
        room === 0
          ? []
          : await boss.fetch<Delivery>(QUEUE, { batchSize: room, groupConcurrency: 1 }).catch((error: Error) => {
              logError(error)
              return []
            })
      for (const { id, retryCount, data } of jobs)
        running.set(id, { taken: { id, retryCount }, ended: processDelivery({ id, retryCount }, data) })
      if (!stopping && jobs.length === 0) await pause()
    }
  }

  const polling = poll()
  const heartbeat = setInterval(
    () => {
      const all = [...running.values()].map(({ taken }) => taken)
      if (all.length > 0) void boss.touch(QUEUE, all).catch(logError)
    },
    (HEARTBEAT_SECONDS * 1000) / 3,
  )
  return {
    async stop() {
      stopping = true
      wake()
      await polling
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, MAX_STOP_MS)
      await Promise.race([Promise.all([...running.values()].map(({ ended }) => ended)), late])
      clearTimeout(timer)
      clearInterval(heartbeat)
    },
  }
}

const within = async (db: Db, text: string, values: unknown[] = []) => {
  const { rows } = await db.executeQuery(CompiledQuery.raw(text, values))
  return { rows }
}
