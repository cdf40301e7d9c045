import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from './columns.ts'
import type { Database, Pool } from './ports.ts'

/** A replica of the database, for reads whose data may be slightly outdated. */
export interface Replica {
  db: Db
  /** Whether the replica shows all changes that the caller has made. */
  hasChangesOf: (caller: ReplicaReader) => Promise<boolean>
  stop: () => void
}

/** The user or API account that reads. Changes are found by the actor of their audit entries. */
export interface ReplicaReader {
  tenantId: number
  actorId: string
}

/** Maximum lag of a replica that is used for reads. */
const MAX_LAG_MS = 10_000
const BEAT_INTERVAL_MS = 500

/**
 * Chooses the connection for a read that tolerates lag: the replica if it shows the caller's own changes, otherwise the primary. Only for
 * results on which no change depends.
 */
export const chooseReadConnection = async ({ read, replica }: Database, caller: ReplicaReader): Promise<Db> =>
  replica && (await replica.hasChangesOf(caller)) ? replica.db : read

/**
 * Reads the horizon (the time before which all changes are committed) that has arrived at the replica, and how long ago the primary wrote
 * it; null before the first heartbeat.
 */
async function readArrivedHorizon(replica: Pool): Promise<{ horizon: Date; at: Date; lagMs: number } | null> {
  const { rows } = await replica.query<{ horizon: Date; at: Date; lagMs: number }>(
    `select horizon, at, (extract(epoch from clock_timestamp() - at) * 1000)::float8 as "lagMs" from replica_horizon`,
  )
  return rows[0] ?? null
}

/** Measures how long a change takes to arrive at the replica. Null if it takes longer than `maxMs`. */
export async function measureReplicaLag(primary: Pool, replica: Pool, maxMs = MAX_LAG_MS): Promise<number | null> {
  const written = await writeHorizon(primary)
  for (const began = performance.now(); performance.now() - began < maxMs; await pause(50)) {
    const arrived = await readArrivedHorizon(replica)
    if (arrived && arrived.at >= written) return performance.now() - began
  }
  return null
}

/**
 * Twice a second, writes the horizon (the time before which all changes are committed) on the primary, unless another process just did,
 * and reads which horizon has arrived at the replica. All changes before that horizon have arrived too.
 */
export function trackReplicaProgress(primary: Pool, replica: Pool): Pick<Replica, 'hasChangesOf' | 'stop'> {
  let arrived: { horizon: Date; until: number } | null = null
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function beat(): Promise<void> {
    const began = performance.now()
    try {
      await writeHorizon(primary)
      const found = await readArrivedHorizon(replica)
      arrived = found && found.lagMs < MAX_LAG_MS ? { horizon: found.horizon, until: began + 4 * BEAT_INTERVAL_MS } : null
    } catch {
      // Until a heartbeat succeeds again, all reads use the primary database.
      arrived = null
    }
    if (!stopped) timer = setTimeout(() => void beat(), BEAT_INTERVAL_MS).unref()
  }
  void beat()

  return {
    async hasChangesOf({ tenantId, actorId }) {
      if (!arrived || performance.now() > arrived.until) return false
      const { rows } = await primary.query<{ behind: boolean }>(SELECT_BEHIND, [tenantId, actorId, arrived.horizon.toISOString()])
      return !rows[0]!.behind
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/**
 * Whether the replica may lack changes of the caller. If the database clock is before the horizon, it was set back, and times do not show
 * which changes have arrived.
 */
const SELECT_BEHIND = `
select lanyard_now() < $3::timestamptz
  or exists (select from audit_entries where tenant_id = $1 and actor_id = $2 and at >= $3::timestamptz) as behind`

const UPSERT_HORIZON = `
insert into replica_horizon (horizon, at) values ($1, $2)
on conflict (id) do update set horizon = excluded.horizon, at = excluded.at
where replica_horizon.at < excluded.at - interval '${BEAT_INTERVAL_MS * 0.8} milliseconds'`

/** Writes the horizon (the time before which all changes are committed), unless another process just did. Returns the database time. */
async function writeHorizon(primary: Pool): Promise<Date> {
  const { rows } = await primary.query<{ horizon: Date; at: Date }>(
    `select lanyard_horizon() as horizon, date_trunc('milliseconds', clock_timestamp()) as at`,
  )
  const { horizon, at } = rows[0]!
  await primary.query(UPSERT_HORIZON, [horizon.toISOString(), at.toISOString()])
  return at
}
