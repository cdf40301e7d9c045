import { CompiledQuery } from 'kysely'
import { PgBoss } from 'pg-boss'
import type { Db } from '../kernel/columns.ts'
import type { JobQueue, Log, Pool } from '../kernel/ports.ts'

interface Payload {
  tenantId: number
  jobId: string
}

export interface WorkQueue extends JobQueue {
  /** Hands jobs of that name to the function, one at a time, again after a failure. */
  work: (name: string, run: (payload: Payload, lastTry: boolean) => Promise<void>) => Promise<void>
  stop: () => Promise<void>
}

const RETRIES = 5

/** pg-boss on our own pool. Its queue table is in our database, so a job is enqueued by the very transaction that asks for it. */
export async function openJobQueue(pool: Pool, names: readonly string[], log: Log): Promise<WorkQueue> {
  const executeSql = (text: string, values?: unknown[]) => pool.query(text, values) as Promise<{ rows: unknown[] }>
  const boss = new PgBoss({ db: { executeSql }, schedule: false, monitorIntervalSeconds: 10 })
  boss.on('error', (error) => log.error('job queue', { error: error.message }))
  await boss.start()
  for (const name of names) {
    await boss.createQueue(name, { retryLimit: RETRIES, retryDelay: 1, retryBackoff: true, expireInSeconds: 3600, heartbeatSeconds: 10 })
    // The first send of a queue reads its row on a connection of its own, which inside a transaction would wait for itself.
    await boss.findJobs(name, { id: '00000000-0000-0000-0000-000000000000' })
  }
  return {
    async send(db, name, payload, { afterSeconds = 0 } = {}) {
      await boss.send(name, payload, {
        db: { executeSql: (text, values) => within(db, text, values) },
        ...(afterSeconds > 0 ? { startAfter: afterSeconds } : {}),
      })
    },
    async work(name, run) {
      await boss.work<Payload>(name, { pollingIntervalSeconds: 0.5, includeMetadata: true }, async ([job]) => {
        if (job) await run(job.data, job.retryCount >= RETRIES)
      })
    },
    // Before the pool ends, or its timers would find it closed.
    stop: () => boss.stop({ graceful: true, timeout: 20_000, close: false }),
  }
}

const within = async (db: Db, text: string, values: unknown[] = []) => {
  const { rows } = await db.executeQuery(CompiledQuery.raw(text, values))
  return { rows }
}
