import { resolve } from 'node:path'
import { readLastBackup, storeBackupRecord } from '../domains/installation/backups.ts'
import { listFileHashes } from '../domains/files/file-hashes.ts'
import { writeBackup } from '../platform/backup/write-backup.ts'
import { openFileStore } from '../platform/file-store.ts'
import { createDatabaseAccess } from '../platform/kysely.ts'
import { loadKeysFromFile, loadMasterKeys } from '../platform/master-key.ts'
import {
  type Command,
  type CommandInput,
  type CommandResult,
  KEY_FILE_OPTION,
  openCommandDatabase,
  readTextOption,
  UsageError,
  withCommandDatabase,
} from './command.ts'

/** Writes a backup, or records that one was made with other tools. */
export const backupCommand: Command = {
  usage: ['backup <file> [--key-file <file>]', 'backup --made', 'backup --elsewhere'],
  summary:
    'write everything into one encrypted file, or record that a backup was made just now, or that your provider makes them; the console and doctor warn after a week without a backup',
  options: {
    'key-file': KEY_FILE_OPTION,
    made: { value: null, help: 'records that a backup was made just now with other tools' },
    elsewhere: { value: null, help: 'records that your provider makes the backups; there are no more reminders' },
  },
  async run(given) {
    const {
      words: [file, ...more],
      flags,
    } = given
    const ways = [file, flags['made'], flags['elsewhere']].filter(Boolean)
    if (ways.length !== 1 || more.length > 0) throw new UsageError('Give a file to write, --made or --elsewhere')
    if (!file) return recordBackup(flags['made'] ? 'made' : 'elsewhere', given)
    const keyFile = readTextOption(flags, 'key-file')
    const fromFolder = (path: string) => (given.folder === undefined ? path : resolve(given.folder, path))
    return writeBackupFile(fromFolder(file), keyFile === undefined ? undefined : fromFolder(keyFile), given)
  },
}

const recordBackup = (how: 'made' | 'elsewhere', given: CommandInput): Promise<CommandResult> =>
  withCommandDatabase(given, async (database) => {
    await storeBackupRecord(database.write, how)
    const text = how === 'made' ? 'Recorded. The next backup is due within a week.' : 'Recorded. There will be no more reminders.'
    return { text, data: { noted: how } }
  })

/** Does not migrate first, so that a backup can be made before an upgrade. */
async function writeBackupFile(file: string, keyFile: string | undefined, given: CommandInput): Promise<CommandResult> {
  const { environment } = given
  const keys = await loadMasterKeys(environment)
  const backupKeys = keyFile === undefined ? keys : await loadKeysFromFile(keyFile)
  const opened = await openCommandDatabase(given, { poolSize: 2 })
  const files = await openFileStore(environment)
  try {
    const made = await writeBackup(file, { reader: opened.reader, files, keys, backupKeys, listFiles: listFileHashes })
    // Operators who record that other tools make backups get no reminders. A backup by this command does not turn reminders on again.
    const noted = made.rows['backups'] !== undefined && (await readLastBackup(opened.pool)).how !== 'elsewhere'
    if (noted) await storeBackupRecord(createDatabaseAccess(opened).write, 'made')
    return formatResult(file, made, keyFile)
  } finally {
    files.close()
    await opened.close()
  }
}

function formatResult(file: string, made: Awaited<ReturnType<typeof writeBackup>>, keyFile: string | undefined): CommandResult {
  const { madeAt, rows: perTable, files, missingFiles, changedFiles, bytes } = made
  const [tables, rows] = [Object.keys(perTable).length, Object.values(perTable).reduce((sum, count) => sum + count, 0)]
  const opensWith = keyFile ?? 'the secret key of this installation (LANYARD_SECRET_KEY, or secret.key in its data folder)'
  const lines = [
    `${file}: ${rows} rows of ${tables} tables and ${files} file(s) as of ${madeAt}, ${bytes} bytes.`,
    `It can only be opened with ${opensWith}. Keep that key in another place: without it the backup is lost.`,
    ...(keyFile ? ['Credentials inside are also encrypted with the secret key of this installation: keep that too.'] : []),
    ...(missingFiles.length > 0
      ? [`The file store is missing the content of ${missingFiles.length} file(s): ${missingFiles.join(', ')}`]
      : []),
    ...(changedFiles.length > 0
      ? [`The content of ${changedFiles.length} file(s) differs from what was uploaded: ${changedFiles.join(', ')}`]
      : []),
  ]
  const failed = missingFiles.length + changedFiles.length > 0
  return { text: lines.join('\n'), data: { file, madeAt, bytes, tables, rows, files, missingFiles, changedFiles }, failed }
}
