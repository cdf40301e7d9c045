import type { RunInDatabaseSnapshot, Pool, DatabaseSnapshotScope } from '../kernel/ports.ts'
import type { Db } from '../kernel/columns.ts'
import { sql } from 'kysely'
import { isInsideTransaction, runWithoutOtherConnections } from './pool.ts'
import { createConnectionQueryBuilder } from './statement-dialect.ts'

/**
 * The database role that may only read rows of reports. On a server where the role could not be created, reports are read without it; see
 * 0130_report_role.sql.
 */
const ROLE = 'lanyard_reports'

/** The rights of this process's database role on the database server. */
interface Rights {
  hasRole: boolean
  /** Whether the database role may set `temp_file_limit`. Superusers may, and roles to which it was granted. */
  mayLimitFiles: boolean
}

/** Creates the function that opens snapshots: consistent, read-only transactions with the database role for reports. */
export function createDatabaseSnapshotOpener(main: Pool, reports: Pool | null): RunInDatabaseSnapshot {
  let rights: Promise<Rights> | undefined
  const getRights = () => (rights ??= readRights(main))
  return async <T>(scope: DatabaseSnapshotScope, run: (db: Db) => Promise<T>): Promise<T> => {
    if (isInsideTransaction())
      return runInTransaction(scope, await readRights({ query: (text) => sql.raw(text).execute(scope.within) as never }), run)
    const found = await getRights()
    const connection = await (reports && (await isCurrent(reports)) ? reports : main).connect()
    try {
      return await runWithoutOtherConnections(async () => {
        await connection.query('begin isolation level repeatable read read only')
        try {
          const db = createConnectionQueryBuilder(connection)
          await applyScope(db, scope, found)
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

/** Runs a report query inside the transaction of a change, and then resets the role and settings. An error fails the whole change. */
async function runInTransaction<T>(scope: DatabaseSnapshotScope, rights: Rights, run: (db: Db) => Promise<T>): Promise<T> {
  const names = Object.keys(listSettings(scope, rights))
  const { rows } = await sql<{ name: string; value: string }>`
    select name, current_setting(name) as value from unnest(${names}::text[]) name`.execute(scope.within)
  await applyScope(scope.within, scope, rights)
  const result = await run(scope.within)
  await applySettings(scope.within, { role: 'none', ...Object.fromEntries(rows.map(({ name, value }) => [name, value])) })
  return result
}

/** Memory for sorting and grouping in one query. Queries over millions of rows would be slow if they had to use the disk. */
const WORK_MEMORY = '32MB'
const TEMPORARY_FILES_MB = 512
const TIMEOUT = 'statement_timeout'

/**
 * Lists the settings of report statements. They are planned for their actual values: a plan for any event would expect few rows of each
 * event, and read millions one by one. JIT is off, because the statements differ and compiling them takes longer than it saves.
 */
const listSettings = (
  { timeoutMs, temporaryFilesMb = TEMPORARY_FILES_MB }: DatabaseSnapshotScope,
  { mayLimitFiles }: Rights,
): Record<string, string> => ({
  [TIMEOUT]: String(timeoutMs),
  plan_cache_mode: 'force_custom_plan',
  jit: 'off',
  work_mem: WORK_MEMORY,
  ...(mayLimitFiles ? { temp_file_limit: `${temporaryFilesMb}MB` } : {}),
})

const applyScope = (db: Db, scope: DatabaseSnapshotScope, rights: Rights): Promise<void> =>
  applySettings(db, {
    ...listSettings(scope, rights),
    'lanyard.report_tenant': String(scope.tenantId),
    'lanyard.report_event': scope.eventId ?? '',
    // The role is set last, because the database role for reports may not change the other settings.
    role: rights.hasRole ? ROLE : 'none',
  })

/** Changes database settings, in the given order, until the end of the transaction. */
async function applySettings(db: Db, settings: Record<string, string>): Promise<void> {
  const applied = Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, true)`)
  await sql`select ${sql.join(applied)}`.execute(db)
}

async function readRights(pool: Pick<Pool, 'query'>): Promise<Rights> {
  const { rows } = await pool.query<Rights>(
    `select exists (select from pg_roles where rolname = '${ROLE}' and pg_has_role(current_user, oid, 'member')) as "hasRole",
      has_parameter_privilege(current_user, 'temp_file_limit', 'set') as "mayLimitFiles"`,
  )
  return rows[0]!
}

const MAX_LAG_SECONDS = 30
const SELECT_LAG = 'select extract(epoch from lanyard_replay_lag())::float8 as lag'

/** Whether the replica responds and lags at most `MAX_LAG_SECONDS` behind. */
const isCurrent = (replica: Pool): Promise<boolean> =>
  replica.query<{ lag: number | null }>(SELECT_LAG).then(
    ({ rows }) => rows[0]?.lag != null && rows[0].lag <= MAX_LAG_SECONDS,
    () => false,
  )
