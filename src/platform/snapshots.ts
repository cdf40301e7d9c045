import type { OpenSnapshot, Pool, SnapshotScope } from '../kernel/ports.ts'
import type { Db } from '../kernel/columns.ts'
import { sql } from 'kysely'
import { ownsTransaction, runOwningTransaction } from './pool.ts'
import { createConnectionDb } from './statement-dialect.ts'

/** The role that may only read what reports show. A server on which it could not be created is read without it; see 0130_report_role.sql. */
const ROLE = 'lanyard_reports'

/** Opens snapshots on the connections of a pool: read-only transactions that see one moment, under the role of reports. */
export function createSnapshots(main: Pool, reports: Pool | null): OpenSnapshot {
  let role: Promise<boolean> | undefined
  const mayUseRole = () => (role ??= findRole(main))
  return async <T>(scope: SnapshotScope, run: (db: Db) => Promise<T>): Promise<T> => {
    if (ownsTransaction())
      return runInTransaction(scope, await findRole({ query: (text) => sql.raw(text).execute(scope.within) as never }), run)
    const hasRole = await mayUseRole()
    const connection = await (reports && (await isCurrent(reports)) ? reports : main).connect()
    try {
      return await runOwningTransaction(async () => {
        await connection.query('begin isolation level repeatable read read only')
        try {
          const db = createConnectionDb(connection)
          await applyScope(db, scope, hasRole)
          const result = await run(db)
          await connection.query('commit')
          return result
        } catch (error) {
          await connection.query('rollback').catch(() => {})
          throw error
        }
      })
    } finally {
      connection.release()
    }
  }
}

/** Inside the transaction of a change, the role and the time limit end with the snapshot; an error ends the whole change. */
async function runInTransaction<T>(scope: SnapshotScope, hasRole: boolean, run: (db: Db) => Promise<T>): Promise<T> {
  const { rows } = await sql<{ timeout: string; planning: string }>`
    select current_setting('statement_timeout') as timeout, current_setting('plan_cache_mode') as planning`.execute(scope.within)
  const { timeout, planning } = rows[0]!
  await applyScope(scope.within, scope, hasRole)
  const result = await run(scope.within)
  await sql`select set_config('role', 'none', true), set_config('statement_timeout', ${timeout}, true),
    set_config('plan_cache_mode', ${planning}, true)`.execute(scope.within)
  return result
}

/** Statements of reports are planned for their values: a plan for any event would expect few rows of each, and read millions one by one. */
async function applyScope(db: Db, { tenantId, eventId, timeoutMs }: SnapshotScope, hasRole: boolean): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true), set_config('lanyard.report_tenant', ${String(tenantId)}, true),
    set_config('lanyard.report_event', ${eventId ?? ''}, true), set_config('plan_cache_mode', 'force_custom_plan', true), set_config('role', ${hasRole ? ROLE : 'none'}, true)`.execute(
    db,
  )
}

async function findRole(pool: Pick<Pool, 'query'>): Promise<boolean> {
  const { rows } = await pool.query(`select from pg_roles where rolname = '${ROLE}' and pg_has_role(current_user, oid, 'member')`)
  return rows.length > 0
}

const MAX_LAG_SECONDS = 30

/** Whether a replica can be reached and is not far behind. A replica that has replayed everything it received has no lag. */
const isCurrent = (replica: Pool): Promise<boolean> =>
  replica
    .query<{ lag: number | null }>(
      `select case when not pg_is_in_recovery() or pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
        else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) end::float8 as lag`,
    )
    .then(
      ({ rows }) => rows[0]?.lag != null && rows[0].lag <= MAX_LAG_SECONDS,
      () => false,
    )
