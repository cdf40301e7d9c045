import type { Database } from './kernel/ports.ts'
import { migrate, openDatabase } from './platform/database.ts'
import { type Environment, SettingError } from './platform/environment.ts'
import { databaseOn } from './platform/kysely.ts'

/** Opens the database, which embedded is migrated by itself and otherwise here. */
export async function openMigrated(environment: Environment): Promise<Database> {
  const opened = await openDatabase({ url: environment.databaseUrl ?? undefined, dataDir: environment.dataDir })
  try {
    if (opened.engine === 'postgres') await migrate(opened.pool)
    await refuseSuperuser(opened.pool, environment)
  } catch (error) {
    await opened.close()
    throw error
  }
  return databaseOn(opened)
}

export async function refuseSuperuser(pool: Database['pool'], { databaseUrl, production }: Environment): Promise<void> {
  if (!databaseUrl || !production) return
  const { rows } = await pool.query<{ super: boolean }>(`select rolsuper as super from pg_roles where rolname = current_user`)
  if (rows[0]?.super)
    throw new SettingError('DATABASE_URL signs in as a superuser: give Lanyard a role of its own that owns its database and nothing else')
}
