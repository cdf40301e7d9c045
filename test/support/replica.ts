import pg from 'pg'
import { sql } from 'kysely'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../../src/kernel/ports.ts'

/** Waits until lists are read from the replica, which receives a new database a few seconds after the primary. */
export async function waitForReplica({ replica }: Database): Promise<void> {
  while (replica && !(await replica.hasChangesOf({ tenantId: 0, actorId: '' }))) await pause(100)
}

/** Waits until the replica shows everything that is committed now, also to callers who have not changed it themselves. */
export async function waitForReplay({ pool, replica }: Database): Promise<void> {
  if (!replica) return
  const { rows } = await pool.query<{ at: string }>('select pg_current_wal_lsn()::text as at')
  const replayed = sql<{ isReplayed: boolean }>`select pg_last_wal_replay_lsn() >= ${rows[0]!.at}::text::pg_lsn as "isReplayed"`
  while (!(await replayed.execute(replica.db)).rows[0]!.isReplayed) await pause(100)
}

/** Stops and resumes the replica, so that a test does not depend on how fast it runs. */
export async function controlReplay(replicaUrl: string) {
  const client = new pg.Client({ connectionString: replicaUrl })
  await client.connect()
  return {
    /** Waits until the replica shows at least one row. */
    async awaitRow(text: string, values: readonly unknown[]): Promise<void> {
      while ((await client.query(text, values as unknown[])).rowCount === 0) await pause(50)
    },
    async stop(): Promise<void> {
      await client.query('select pg_wal_replay_pause()')
      for (let state = ''; state !== 'paused';) {
        state = (await client.query<{ state: string }>('select pg_get_wal_replay_pause_state() as state')).rows[0]!.state
      }
    },
    resume: () => client.query('select pg_wal_replay_resume()'),
    end: () => client.end(),
  }
}
