import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Command, CommandOptionValues } from '../../src/commands/command.ts'
import type { Pool } from '../../src/kernel/ports.ts'
import { openDatabase } from '../../src/platform/database.ts'
import { type Environment, readEnvironment } from '../../src/platform/environment.ts'
import { createFreshDatabase } from './database.ts'
import { createTestFolder } from './folder.ts'

/** An installation of Lanyard as its operator sees it: settings and the command line. */
export interface Installation {
  dataDir: string
  environment: Environment
  /** Runs a command and returns its JSON output. */
  run: (command: Command, words: string[], flags?: CommandOptionValues) => Promise<any>
  /** Opens the database while `use` runs. An embedded database has no other client at that time. */
  useDatabase: <T>(use: (pool: Pool) => Promise<T>) => Promise<T>
  remove: () => Promise<void>
}

export async function install(
  engine: 'embedded' | 'postgres',
  { secretKey = randomBytes(32).toString('base64'), ...more }: { secretKey?: string } & Record<string, string> = {},
): Promise<Installation> {
  const dataDir = createTestFolder()
  const fresh = engine === 'postgres' ? await createFreshDatabase() : null
  // The setup connection is closed, because another open connection pool would compete for the table locks.
  await fresh?.close()
  const settings = { LANYARD_DATA_DIR: dataDir, LANYARD_SECRET_KEY: secretKey, ...(fresh ? { DATABASE_URL: fresh.url! } : {}), ...more }
  const environment = readEnvironment(settings, false)
  return {
    dataDir,
    environment,
    run: async (command, words, flags = {}) => (await command.run({ environment, words, flags })).data,
    async useDatabase(use) {
      const database = await openDatabase({ url: fresh?.url, dataDir })
      try {
        return await use(database.pool)
      } finally {
        await database.close()
      }
    },
    async remove() {
      await fresh?.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** One digest per table over all rows, including generated columns, independent of row order. */
export async function readTableDigests(
  pool: Pool,
  { without = [] }: { without?: readonly string[] } = {},
): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select relname::text as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' order by relname`,
  )
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    if (name === 'lanyard_migrations' || without.includes(name)) continue
    const { rows } = await pool.query<{ digest: string }>(
      `select concat(count(*), ' rows ', md5(string_agg(t::text, E'\\n' order by t::text collate "C"))) as digest from "${name}" t`,
    )
    found[name] = rows[0]!.digest
  }
  return found
}
