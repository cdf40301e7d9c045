import type { Db } from './columns.ts'
import type { Database, Pool } from './ports.ts'

/** A replica of the database for reads that may lag behind. */
export interface Replica {
  db: Db
  /** Whether the replica shows all changes that the caller has made. */
  hasChangesOf: (caller: ReplicaCaller) => Promise<boolean>
  stop: () => void
}

/** The user or API account that reads. Changes are found by the actor of their audit entries. */
export interface ReplicaCaller {
  tenantId: number
  actorId: string
}

/** A replica that lags further behind is not read. */
const MAX_LAG_MS = 10_000
const BEAT_INTERVAL_MS = 500

/**
 * Chooses the connection for a read that tolerates lag: the replica if it shows the caller's own changes, otherwise the primary. Only for
 * results that no change is decided by.
 */
export const chooseReader = async ({ read, replica }: Database, caller: ReplicaCaller): Promise<Db> =>
  replica && (await replica.hasChangesOf(caller)) ? replica.db : read

/** Seconds since the primary wrote the state that the replica shows; null before the first heartbeat. */
export async function readReplicaLag(replica: Pick<Pool, 'query'>): Promise<{ horizon: Date; lagMs: number } | null> {
  const { rows } = await replica.query<{ horizon: Date; lagMs: number }>(
    `select horizon, (extract(epoch from clock_timestamp() - at) * 1000)::float8 as "lagMs" from replica_horizon`,
  )
  return rows[0] ?? null
}

/**
 * Writes the horizon on the primary twice a second, in turns with other processes, and reads which one has arrived at the replica. All
 * changes before that horizon have arrived too.
 */
export function followReplica(primary: Pool, replica: Pool): Pick<Replica, 'hasChangesOf' | 'stop'> {
  let arrived: { horizon: Date; until: number } | null = null
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function beat(): Promise<void> {
    const began = performance.now()
    try {
      await writeHorizon(primary)
      const found = await readReplicaLag(replica)
      arrived = found && found.lagMs < MAX_LAG_MS ? { horizon: found.horizon, until: began + 4 * BEAT_INTERVAL_MS } : null
    } catch {
      // Until a heartbeat succeeds again, all reads use the primary.
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

/** A database clock before the horizon was set back, so times do not show what has arrived. */
const SELECT_BEHIND = `
select lanyard_now() < $3::timestamptz
  or exists (select from audit_entries where tenant_id = $1 and actor_id = $2 and at >= $3::timestamptz) as behind`

const UPSERT_HORIZON = `
insert into replica_horizon (horizon, at) values ($1, $2)
on conflict (id) do update set horizon = excluded.horizon, at = excluded.at
where replica_horizon.at < excluded.at - interval '${BEAT_INTERVAL_MS * 0.8} milliseconds'`

async function writeHorizon(primary: Pool): Promise<void> {
  const { rows } = await primary.query<{ horizon: string; at: string }>(
    'select lanyard_horizon()::text as horizon, clock_timestamp()::text as at',
  )
  await primary.query(UPSERT_HORIZON, [rows[0]!.horizon, rows[0]!.at])
}
