import { CompiledQuery } from 'kysely'
import { PgBoss } from 'pg-boss'
import type { Db } from '../kernel/columns.ts'
import type { PooledConnection, QueueMessage, JobQueue, Log, Pool } from '../kernel/ports.ts'

/**
 * A share of the worker's capacity. Deliveries of one lane never take the slots of another, so that long jobs do not delay the settlement
 * of payments.
 */
export interface WorkerConcurrencyLimit {
  kinds: readonly QueueMessage['kind'][]
  /** Maximum number of messages of these kinds that one process handles concurrently. */
  slots: number
}

export interface WorkerJobQueue extends JobQueue {
  /** Handles messages concurrently, up to the limit of their kind. A message is delivered again if `handle` throws or its process dies. */
  work: (handle: (delivery: QueueMessage) => Promise<void>, lanes?: readonly WorkerConcurrencyLimit[]) => void
  /** Replaces the content of the queue with the given work, in the connection's transaction. */
  restoreWork: (connection: PooledConnection, waiting: readonly QueuedJobBackup[]) => Promise<void>
  stop: () => Promise<void>
}

/** Queued work in a form that is independent of pg-boss's own tables, which change between versions. */
export interface QueuedJobBackup {
  delivery: QueueMessage
  startAfter: string
  turn: string | null
}

/** All kinds of work share one queue, so that an idle worker polls a single queue. */
const QUEUE = 'work'
/**
 * The priority of each kind within the queue. A lane fetches a range of priorities. Deliveries that an earlier version enqueued have
 * priority 0; its external calls are enqueued again by the reconciler.
 */
const PRIORITIES: Readonly<Record<QueueMessage['kind'], number>> = { job: 0, slot: 1, outsideCall: 2, signingCall: 3 }
/**
 * The lanes of the worker. External calls mostly wait for a response and then settle in a short transaction. Jobs and recurring tasks may
 * run for long.
 */
export const WORKER_CONCURRENCY_LIMITS: readonly WorkerConcurrencyLimit[] = [
  { kinds: ['job'], slots: 4 },
  { kinds: ['slot'], slots: 3 },
  { kinds: ['outsideCall'], slots: 8 },
  { kinds: ['signingCall'], slots: 4 },
]
const POLL_MS = 500
const HEARTBEAT_SECONDS = 10
/** How long running work may take to finish when the process stops. Unfinished work is run again by another process. */
const MAX_STOP_MS = 20_000

const QUEUE_OPTIONS = {
  // Jobs and external calls count attempts in their own database rows, so the queue itself never gives up.
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
    // The queue looks for work of dead processes every few seconds instead of every minute.
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
    flowIntervalSeconds: FLOW_INTERVAL_SECONDS,
  })
}

/** Creates or migrates the queue's tables in advance, so that a later start only has to find them. */
export async function prepareJobQueue(pool: Pool): Promise<void> {
  const boss = createBoss(pool)
  // Errors of pg-boss are ignored here, because `start` throws them too.
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue(QUEUE, QUEUE_OPTIONS)
  await boss.stop({ graceful: false, close: false })
}

/** Lists the queued work for a backup. Work in progress is included, because its database row records how far it got. */
export async function listQueuedJobsForBackup(connection: PooledConnection): Promise<QueuedJobBackup[]> {
  const { rows: found } = await connection.query<{ there: boolean }>(`select to_regclass('pgboss.job') is not null as there`)
  if (!found[0]!.there) return []
  const { rows } = await connection.query<QueuedJobBackup>(
    `select data as delivery, to_json(start_after) #>> '{}' as "startAfter", group_id as turn from pgboss.job
     where name = '${QUEUE}' and state < 'completed' order by created_on, id`,
  )
  return rows
}

/** Opens the job queue: pg-boss on our own pool. Its queue table is in our database, so work is enqueued in the caller's transaction. */
export async function openJobQueue(pool: Pool, log: Log): Promise<WorkerJobQueue> {
  const boss = createBoss(pool)
  boss.on('error', (error) => log.error('job queue', { error: error.message }))
  await boss.start()
  if (await boss.getQueue(QUEUE)) await boss.updateQueue(QUEUE, QUEUE_OPTIONS)
  else await boss.createQueue(QUEUE, QUEUE_OPTIONS)
  // Loads the queue's settings, which the first `send` would otherwise read on a second connection: a deadlock on the embedded database.
  await boss.findJobs(QUEUE, { id: '00000000-0000-0000-0000-000000000000' })
  let working: { stop: () => Promise<void> } | null = null
  return {
    async send(db, delivery, { afterSeconds = 0, exclusiveKey } = {}) {
      await boss.send(QUEUE, delivery, {
        priority: PRIORITIES[delivery.kind],
        db: { executeSql: (text, values) => within(db, text, values) },
        ...(afterSeconds > 0 ? { startAfter: afterSeconds } : {}),
        ...(exclusiveKey ? { group: { id: exclusiveKey } } : {}),
      })
    },
    async restoreWork(connection, waiting) {
      const db = { executeSql: (text: string, values?: unknown[]) => connection.query(text, values) as Promise<{ rows: unknown[] }> }
      await connection.query('delete from pgboss.job')
      for (const { delivery, startAfter, turn } of waiting)
        await boss.send(QUEUE, delivery, {
          priority: PRIORITIES[delivery.kind],
          db,
          startAfter: new Date(startAfter),
          ...(turn ? { group: { id: turn } } : {}),
        })
    },
    work: (handle, lanes = WORKER_CONCURRENCY_LIMITS) => void (working = startPolling(boss, { handle, lanes, log })),
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

interface PriorityRange {
  minPriority: number
  maxPriority: number
  batchSize: number
}

/**
 * The ranges of priorities to fetch: lanes with free slots, in which adjacent lanes share one fetch. An idle worker has free slots in
 * every lane and therefore runs one statement per poll.
 */
function listFetchRanges(
  lanes: readonly WorkerConcurrencyLimit[],
  countRunning: (lane: WorkerConcurrencyLimit) => number,
): PriorityRange[] {
  const free = lanes
    .map((lane) => {
      const priorities = lane.kinds.map((kind) => PRIORITIES[kind])
      return { minPriority: Math.min(...priorities), maxPriority: Math.max(...priorities), batchSize: lane.slots - countRunning(lane) }
    })
    .filter(({ batchSize }) => batchSize > 0)
    .toSorted((a, b) => a.minPriority - b.minPriority)
  const ranges: PriorityRange[] = []
  for (const lane of free) {
    const before = ranges.at(-1)
    if (before?.maxPriority !== lane.minPriority - 1) ranges.push(lane)
    // One fetch for several lanes (kinds of work) may return messages of one lane only, so the fewest free slots of a lane limit it.
    else ranges.splice(-1, 1, { ...before, maxPriority: lane.maxPriority, batchSize: Math.min(before.batchSize, lane.batchSize) })
  }
  return ranges
}

interface Polling {
  handle: (delivery: QueueMessage) => Promise<void>
  lanes: readonly WorkerConcurrencyLimit[]
  log: Log
}

/** Runs one polling loop that fetches as much work as there is capacity for. Long-running work does not block other work. */
function startPolling(boss: PgBoss, { handle, lanes, log }: Polling): { stop: () => Promise<void> } {
  const running = new Map<string, { taken: TakenJob; priority: number; ended: Promise<void> }>()
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

  async function processDelivery(taken: TakenJob, delivery: QueueMessage): Promise<void> {
    try {
      await handle(delivery)
      await boss.complete(QUEUE, taken)
    } catch (error) {
      await boss.fail(QUEUE, taken, { message: (error as Error).message }).catch(logError)
    }
    running.delete(taken.id)
    wake()
  }

  const countRunning = ({ kinds }: WorkerConcurrencyLimit) =>
    [...running.values()].filter(({ priority }) => kinds.some((kind) => PRIORITIES[kind] === priority)).length

  /** Fetches due messages of these priorities, starts to handle them, and returns whether there were any. */
  async function startDue(range: PriorityRange): Promise<boolean> {
    const jobs = await boss.fetch<QueueMessage>(QUEUE, { ...range, groupConcurrency: 1, includeMetadata: true }).catch((error: Error) => {
      logError(error)
      return []
    })
    for (const { id, retryCount, priority, data } of jobs)
      running.set(id, { taken: { id, retryCount }, priority, ended: processDelivery({ id, retryCount }, data) })
    return jobs.length > 0
  }

  async function poll(): Promise<void> {
    while (!stopping) {
      let found = false
      for (const range of listFetchRanges(lanes, countRunning)) found = (await startDue(range)) || found
      if (!stopping && !found) await pause()
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
