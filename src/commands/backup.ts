import { lastBackup, noteBackup } from '../domains/installation/backups.ts'
import { listKeptBytes } from '../domains/files/kept-bytes.ts'
import { writeBackup } from '../platform/backup/write-backup.ts'
import { openDatabase } from '../platform/database.ts'
import type { Environment } from '../platform/environment.ts'
import { openFileStore } from '../platform/file-store.ts'
import { databaseOn } from '../platform/kysely.ts'
import { keysInFile, masterKeys } from '../platform/master-key.ts'
import { openMigrated } from '../open-migrated.ts'
import { type Answer, type Command, optional, UsageError, withDatabase } from './command.ts'

/** Makes a backup, or notes one that the tools of the database and of the machine make. */
export const backupCommand: Command = {
  usage: 'backup <file> [--key-file <file>] | --made | --elsewhere',
  summary:
    'write everything into one sealed file, or note that a backup was made just now, or that your provider makes them; console and doctor tell when a week goes by without',
  options: { 'key-file': 'string', made: 'boolean', elsewhere: 'boolean' },
  async run({ environment, words: [file, ...more], flags }) {
    const ways = [file, flags['made'], flags['elsewhere']].filter(Boolean)
    if (ways.length !== 1 || more.length > 0) throw new UsageError('Either a file to write, --made or --elsewhere is needed')
    if (file) return write(file, optional(flags, 'key-file'), environment)
    return note(flags['made'] ? 'made' : 'elsewhere', environment)
  },
}

const note = (how: 'made' | 'elsewhere', environment: Environment): Promise<Answer> =>
  withDatabase(
    () => openMigrated(environment),
    async (database) => {
      await noteBackup(database.write, how)
      const text = how === 'made' ? 'Noted. The next is due within a week.' : 'Noted. Nobody is reminded any more.'
      return { text, data: { noted: how } }
    },
  )

/** Of the database as it is: whoever is about to upgrade makes one before the migrations run. */
async function write(file: string, keyFile: string | undefined, environment: Environment): Promise<Answer> {
  const keys = await masterKeys(environment)
  const backupKeys = keyFile === undefined ? keys : await keysInFile(keyFile)
  const opened = await openDatabase({ url: environment.databaseUrl ?? undefined, dataDir: environment.dataDir, poolSize: 2 })
  const files = await openFileStore(environment)
  try {
    const made = await writeBackup(file, { reader: opened.reader, files, keys, backupKeys, listFiles: listKeptBytes })
    // Whoever said that somebody else makes them is not reminded because of one that they made themselves.
    const noted = made.rows['backups'] !== undefined && (await lastBackup(opened.pool)).how !== 'elsewhere'
    if (noted) await noteBackup(databaseOn(opened).write, 'made')
    return told(file, made, keyFile)
  } finally {
    files.close()
    await opened.close()
  }
}

function told(file: string, made: Awaited<ReturnType<typeof writeBackup>>, keyFile: string | undefined): Answer {
  const { madeAt, rows: perTable, files, missingFiles, changedFiles, bytes } = made
  const [tables, rows] = [Object.keys(perTable).length, Object.values(perTable).reduce((sum, count) => sum + count, 0)]
  const opensWith = keyFile ?? 'the secret key of this installation (LANYARD_SECRET_KEY, or secret.key in its data folder)'
  const lines = [
    `${file}: ${rows} rows of ${tables} tables and ${files} file(s) as they were at ${madeAt}, ${bytes} bytes.`,
    `It opens with ${opensWith} and nothing else, and is lost without it: keep that in another place.`,
    ...(keyFile ? ['Credentials inside are sealed once more, with the secret key of this installation: keep that too.'] : []),
    ...(missingFiles.length > 0 ? [`The file store has no bytes of ${missingFiles.length} file(s): ${missingFiles.join(', ')}`] : []),
    ...(changedFiles.length > 0 ? [`The bytes of ${changedFiles.length} file(s) are not those uploaded: ${changedFiles.join(', ')}`] : []),
  ]
  const failed = missingFiles.length + changedFiles.length > 0
  return { text: lines.join('\n'), data: { file, madeAt, bytes, tables, rows, files, missingFiles, changedFiles }, failed }
}
