import type { Pool } from '../kernel/ports.ts'
import { SettingError } from './environment.ts'
import { openEmbeddedPostgres } from './embedded-database.ts'
import { createPostgresPool, type PostgresPoolConfig } from './pool.ts'
import { ensureDatabaseRoleDefaults } from './role-defaults.ts'

export { migrate, listPendingMigrations as pendingMigrations } from './migrations.ts'

export interface DatabasePools {
  engine: 'postgres' | 'embedded'
  pool: Pool
  /** The connection pool for reads; read-only on PostgreSQL. The embedded database has only one connection, so there it is `pool`. */
  reader: Pool
  /** Connections to a replica, which may lag behind; null if none is configured. */
  replica: Pool | null
  /** Connections to the database of reports, which may lag behind; null if reports read the main database. */
  reports: Pool | null
  /** The number of connections of `pool`. */
  poolSize: number
  /** Closes all connections. May be called more than once. */
  close: () => Promise<void>
}

export interface DatabaseOptions {
  /** A PostgreSQL connection URL. Without it, the database is embedded in `dataDir`. */
  url?: string | undefined
  /** The connection URL of a streaming replica of `url`. */
  replicaUrl?: string | undefined
  /** The connection URL of a replica for reports. */
  reportUrl?: string | undefined
  dataDir: string
  /** The number of connections of each of the two pools. */
  poolSize?: number | undefined
  /** Multiplies all PostgreSQL timeouts, for machines shared with other work. */
  timeoutFactor?: number | undefined
  /** Called when an idle connection is lost. The pool has replaced it by then. */
  onConnectionLost?: ((error: Error) => void) | undefined
}

/**
 * Opens the database. The embedded database is migrated when it is opened. PostgreSQL may be shared by several processes, so there the
 * caller decides when to migrate.
 */
export async function openDatabase(options: DatabaseOptions): Promise<DatabasePools> {
  const { url, replicaUrl, reportUrl, dataDir, poolSize = 10, timeoutFactor, onConnectionLost } = options
  const database = url
    ? await openPostgres({ connectionString: url, max: poolSize, timeoutScale: timeoutFactor, onConnectionLost }, { replicaUrl, reportUrl })
    : await openEmbeddedDatabase(dataDir)
  let closing: Promise<void> | undefined
  return { ...database, close: () => (closing ??= database.close()) }
}

async function openEmbeddedDatabase(dataDir: string): Promise<DatabasePools> {
  const { pool, close } = await openEmbeddedPostgres(dataDir)
  return { engine: 'embedded', pool, reader: pool, replica: null, reports: null, poolSize: 1, close }
}

async function openPostgres(
  config: PostgresPoolConfig & { max: number },
  { replicaUrl, reportUrl }: { replicaUrl: string | undefined; reportUrl: string | undefined },
): Promise<DatabasePools> {
  const pool = createPostgresPool(config)
  const reader = createPostgresPool({ ...config, readOnly: true, application_name: 'lanyard reading' })
  const replica = replicaUrl ? createPostgresPool({ ...config, connectionString: replicaUrl, application_name: 'lanyard replica' }) : null
  const reports = reportUrl ? createPostgresPool({ ...config, connectionString: reportUrl, application_name: 'lanyard reports' }) : null
  const close = async () => {
    await Promise.all([pool.end(), reader.end(), replica?.end(), reports?.end()])
  }
  try {
    await requireSupportedPostgresVersion(pool)
    await ensureDatabaseRoleDefaults(pool, config.timeoutScale)
  } catch (error) {
    await close()
    throw error
  }
  return { engine: 'postgres', pool, reader, replica, reports, poolSize: config.max, close }
}

const MIN_POSTGRES_VERSION = 15

export async function requireSupportedPostgresVersion(pool: Pick<Pool, 'query'>): Promise<void> {
  const { rows } = await pool
    .query<{ version: string; number: number }>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int as number`,
    )
    .catch((error: NodeJS.ErrnoException) => {
      // If all addresses of a host name refuse the connection, the error has a code but no message.
      throw new SettingError(`Cannot use PostgreSQL with this DATABASE_URL: ${error.message || error.code}`, { cause: error })
    })
  const [server] = rows
  if (server && server.number < MIN_POSTGRES_VERSION * 10_000) {
    throw new SettingError(`Lanyard needs PostgreSQL ${MIN_POSTGRES_VERSION} or newer; this server is PostgreSQL ${server.version}.`)
  }
}
