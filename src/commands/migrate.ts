import { migrate, pendingMigrations } from '../platform/database.ts'
import { type Command, openCommandDatabase } from './command.ts'

export const migrateCommand: Command = {
  usage: ['migrate [--check]'],
  summary: 'migrate the database to this version; --check only lists pending migrations',
  options: { check: { value: null, help: 'lists pending migrations and applies none; the exit code is 1 if there are any' } },
  async run({ environment, running, flags }) {
    const database = await openCommandDatabase({ environment, running })
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
