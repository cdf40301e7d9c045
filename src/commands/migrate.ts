import { migrate, openDatabase, pendingMigrations } from '../platform/database.ts'
import type { Command } from './command.ts'

export const migrateCommand: Command = {
  usage: 'migrate [--check]',
  summary: 'migrate the database to this version; --check only lists pending migrations',
  options: { check: 'boolean' },
  async run({ environment, flags }) {
    const database = await openDatabase({ url: environment.databaseUrl ?? undefined, dataDir: environment.dataDir })
    try {
      if (flags.check) {
        const pending = await pendingMigrations(database.pool)
        const text = pending.length === 0 ? 'The database is up to date.' : `Missing: ${pending.join(', ')}`
        return { text, data: { pending }, failed: pending.length > 0 }
      }
      const applied = await migrate(database.pool)
      return { text: applied.length === 0 ? 'The database was up to date.' : `Applied: ${applied.join(', ')}`, data: { applied } }
    } finally {
      await database.close()
    }
  },
}
