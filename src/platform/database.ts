import type { Pool } from '../kernel/ports.ts'
import { openEmbedded } from './embedded-database.ts'
import { postgresPool, type PostgresPoolConfig } from './pool.ts'

export { migrate, pendingMigrations } from './migrations.ts'

export interface Database {
  engine: 'postgres' | 'embedded'
  pool: Pool
  /** Refuses to write on PostgreSQL; the embedded database has only one session, so there it is the pool itself. */
  reader: Pool
  /** May be called again. */
  close: () => Promise<void>
}

export interface DatabaseOptions {
  /** A PostgreSQL to use; without it the database is embedded in `dataDir`. */
  url?: string | undefined
  dataDir: string
  /** Connections of each of the two pools. */
  poolSize?: number | undefined
  /** How many times as long as usual PostgreSQL is waited for, where it shares its machine with other work. */
  patience?: number | undefined
  /** Told of connections that were lost while idle; the pool has replaced them by then. */
  onConnectionLost?: ((error: Error) => void) | undefined
}

/** The embedded database is migrated as it is opened. PostgreSQL may be shared by several processes, so there the caller decides when. */
export async function openDatabase({ url, dataDir, poolSize = 10, patience, onConnectionLost }: DatabaseOptions): Promise<Database> {
  const database = url
    ? await openPostgres({ connectionString: url, max: poolSize, patience, onConnectionLost })
    : await openEmbeddedDatabase(dataDir)
  let closing: Promise<void> | undefined
  return { ...database, close: () => (closing ??= database.close()) }
}

async function openEmbeddedDatabase(dataDir: string): Promise<Database> {
  const { pool, close } = await openEmbedded(dataDir)
  return { engine: 'embedded', pool, reader: pool, close }
}

async function openPostgres(config: PostgresPoolConfig): Promise<Database> {
  const pool = postgresPool(config)
  // By this name the database knows who will never write: see lanyard_horizon().
  const reader = postgresPool({ ...config, readOnly: true, application_name: 'lanyard reading' })
  const close = async () => {
    await Promise.all([pool.end(), reader.end()])
  }
  try {
    await refuseOldServer(pool)
  } catch (error) {
    await close()
    throw error
  }
  return { engine: 'postgres', pool, reader, close }
}

const OLDEST = 15

export async function refuseOldServer(pool: Pick<Pool, 'query'>): Promise<void> {
  const { rows } = await pool
    .query<{ version: string; number: number }>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int as number`,
    )
    .catch((error: NodeJS.ErrnoException) => {
      // A name with several addresses fails with an error that has a code and no words.
      throw new Error(`PostgreSQL cannot be used with this DATABASE_URL: ${error.message || error.code}`, { cause: error })
    })
  const [server] = rows
  if (server && server.number < OLDEST * 10_000) {
    throw new Error(`Lanyard needs PostgreSQL ${OLDEST} or newer; this server is PostgreSQL ${server.version}.`)
  }
}
