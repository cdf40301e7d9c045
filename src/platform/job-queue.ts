import { CompiledQuery } from 'kysely'
import { PgBoss } from 'pg-boss'
import type { Db } from '../kernel/columns.ts'
import type { Connection, Delivery, JobQueue, Log, Pool } from '../kernel/ports.ts'

export interface WorkQueue extends JobQueue {
  /** Hands over what is on the queue, a few at a time, and again when the function throws or its process dies. */
  work: (handle: (delivery: Delivery) => Promise<void>) => void
  /** Puts on the queue, in the connection's transaction, what waited on another one; nothing else is left on it. */
  putBack: (connection: Connection, waiting: readonly WaitingWork[]) => Promise<void>
  stop: () => Promise<void>
}

/** What is still to be done, told without the queue's own tables, whose form changes with its versions. */
export interface WaitingWork {
  delivery: Delivery
  startAfter: string
  turn: string | null
}

/** One for all kinds of work, so that a worker with nothing to do asks once and not for every kind. */
const QUEUE = 'work'
const SIDE_BY_SIDE = 4
const POLL_MS = 500
const HEARTBEAT_SECONDS = 10
/** What is in hand when the process is told to stop may end in this time; what does not is run again elsewhere. */
const STOP_MS = 20_000

const QUEUE_OPTIONS = {
  // How often work is tried is counted in its own row; the queue alone never gives up.
  retryLimit: 100_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 300,
  retentionSeconds: 365 * 24 * 3600,
  // By its heartbeat a worker is known to be alive, not by how long it takes.
  expireInSeconds: 24 * 3600,
  heartbeatSeconds: HEARTBEAT_SECONDS,
}

/** Work that waits for other work is not used: what the queue would look for every five seconds, it looks for once a week. */
const FLOW_SECONDS = 7 * 24 * 3600

function bossOn(pool: Pool): PgBoss {
  const executeSql = (text: string, values?: unknown[]) => pool.query(text, values) as Promise<{ rows: unknown[] }>
  return new PgBoss({
    db: { executeSql },
    schedule: false,
    // Work of a process that died is found by whoever looks: as often as that may be looked for, not once a minute.
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
    flowIntervalSeconds: FLOW_SECONDS,
  })
}

/** Makes or migrates the queue's tables, which takes longer than to find them there. */
export async function prepareJobQueue(pool: Pool): Promise<void> {
  const boss = bossOn(pool)
  // Whatever goes wrong is thrown by the start as well.
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue(QUEUE, QUEUE_OPTIONS)
  await boss.stop({ graceful: false, close: false })
}

/** What a worker has in hand is still to be done: its own row knows how far it came. */
export async function listWaitingWork(connection: Connection): Promise<WaitingWork[]> {
  const { rows: found } = await connection.query<{ there: boolean }>(`select to_regclass('pgboss.job') is not null as there`)
  if (!found[0]!.there) return []
  const { rows } = await connection.query<WaitingWork>(
    `select data as delivery, to_json(start_after) #>> '{}' as "startAfter", group_id as turn from pgboss.job
     where name = '${QUEUE}' and state < 'completed' order by created_on, id`,
  )
  return rows
}

/** pg-boss on our own pool. Its queue table is in our database, so work is enqueued by the very transaction that asks for it. */
export async function openJobQueue(pool: Pool, log: Log): Promise<WorkQueue> {
  const boss = bossOn(pool)
  boss.on('error', (error) => log.error('job queue', { error: error.message }))
  await boss.start()
  if (await boss.getQueue(QUEUE)) await boss.updateQueue(QUEUE, QUEUE_OPTIONS)
  else await boss.createQueue(QUEUE, QUEUE_OPTIONS)
  // The first send reads the queue's row on a connection of its own, which inside a transaction would wait for itself.
  await boss.findJobs(QUEUE, { id: '00000000-0000-0000-0000-000000000000' })
  let working: { stop: () => Promise<void> } | null = null
  return {
    async send(db, delivery, { afterSeconds = 0, turn } = {}) {
      await boss.send(QUEUE, delivery, {
        db: { executeSql: (text, values) => within(db, text, values) },
        ...(afterSeconds > 0 ? { startAfter: afterSeconds } : {}),
        ...(turn ? { group: { id: turn } } : {}),
      })
    },
    async putBack(connection, waiting) {
      const db = { executeSql: (text: string, values?: unknown[]) => connection.query(text, values) as Promise<{ rows: unknown[] }> }
      await connection.query('delete from pgboss.job')
      for (const { delivery, startAfter, turn } of waiting)
        await boss.send(QUEUE, delivery, { db, startAfter: new Date(startAfter), ...(turn ? { group: { id: turn } } : {}) })
    },
    work: (handle) => void (working = workOn(boss, handle, log)),
    async stop() {
      await working?.stop()
      // Before the pool ends, or its timers would find it closed.
      await boss.stop({ graceful: false, close: false })
    },
  }
}

interface Taken {
  id: string
  retryCount: number
}

/** One loop that asks for as much as there is room for. A long piece of work holds up none of the others. */
function workOn(boss: PgBoss, handle: (delivery: Delivery) => Promise<void>, log: Log): { stop: () => Promise<void> } {
  const inHand = new Map<string, { taken: Taken; ended: Promise<void> }>()
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
  const complain = (error: Error) => log.error('job queue', { error: error.message })

  async function see(taken: Taken, delivery: Delivery): Promise<void> {
    try {
      await handle(delivery)
      await boss.complete(QUEUE, taken)
    } catch (error) {
      await boss.fail(QUEUE, taken, { message: (error as Error).message }).catch(complain)
    }
    inHand.delete(taken.id)
    wake()
  }

  async function ask(): Promise<void> {
    while (!stopping) {
      const room = SIDE_BY_SIDE - inHand.size
      const jobs =
        room === 0
          ? []
          : await boss.fetch<Delivery>(QUEUE, { batchSize: room, groupConcurrency: 1 }).catch((error: Error) => {
              complain(error)
              return []
            })
      for (const { id, retryCount, data } of jobs) inHand.set(id, { taken: { id, retryCount }, ended: see({ id, retryCount }, data) })
      if (!stopping && jobs.length === 0) await pause()
    }
  }

  const asking = ask()
  const heartbeat = setInterval(
    () => {
      const all = [...inHand.values()].map(({ taken }) => taken)
      if (all.length > 0) void boss.touch(QUEUE, all).catch(complain)
    },
    (HEARTBEAT_SECONDS * 1000) / 3,
  )
  return {
    async stop() {
      stopping = true
      wake()
      await asking
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, STOP_MS)
      await Promise.race([Promise.all([...inHand.values()].map(({ ended }) => ended)), late])
      clearTimeout(timer)
      clearInterval(heartbeat)
    },
  }
}

const within = async (db: Db, text: string, values: unknown[] = []) => {
  const { rows } = await db.executeQuery(CompiledQuery.raw(text, values))
  return { rows }
}
