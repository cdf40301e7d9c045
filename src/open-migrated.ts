import type { Database } from './kernel/ports.ts'
import { migrate, openDatabase } from './platform/database.ts'
import { type Environment, SettingError } from './platform/environment.ts'
import { createDatabaseAccess } from './platform/kysely.ts'

/** Opens the database and applies the pending migrations. The embedded database applies them itself when it opens. */
export async function openMigratedDatabase(environment: Environment): Promise<Database> {
  const opened = await openDatabase({
    url: environment.databaseUrl ?? undefined,
    replicaUrl: environment.readDatabaseUrl ?? undefined,
    reportUrl: environment.reportDatabaseUrl ?? undefined,
    dataDir: environment.dataDir,
  })
  try {
    if (opened.engine === 'postgres') await migrate(opened.pool)
    await requireUnprivilegedDatabaseRole(opened.pool, environment)
  } catch (error) {
    await opened.close()
    throw error
  }
  return createDatabaseAccess(opened)
}

export async function requireUnprivilegedDatabaseRole(pool: Database['pool'], { databaseUrl, production }: Environment): Promise<void> {
  if (!databaseUrl || !production) return
  const { rows } = await pool.query<{ super: boolean }>(`select rolsuper as super from pg_roles where rolname = current_user`)
  if (rows[0]?.super)
    throw new SettingError('DATABASE_URL signs in as a superuser: create a separate role for Lanyard that owns only its database')
}
