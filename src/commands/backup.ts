import { noteBackup } from '../domains/installation/backups.ts'
import { openMigrated } from '../start.ts'
import { type Command, UsageError, withDatabase } from './command.ts'

/** Backups are made by the tools of the database and of the machine; this is how those who run it learn that they are. */
export const backupCommand: Command = {
  usage: 'backup --made | --elsewhere',
  summary: 'note that a backup was made just now, or that your provider makes them; console and doctor tell when a week goes by without',
  options: { made: 'boolean', elsewhere: 'boolean' },
  run({ environment, flags }) {
    if (Boolean(flags['made']) === Boolean(flags['elsewhere'])) throw new UsageError('Either --made or --elsewhere is needed')
    const how = flags['made'] ? 'made' : 'elsewhere'
    return withDatabase(
      () => openMigrated(environment),
      async (database) => {
        await noteBackup(database.write, how)
        const text = how === 'made' ? 'Noted. The next is due within a week.' : 'Noted. Nobody is reminded any more.'
        return { text, data: { noted: how } }
      },
    )
  },
}
