import { access } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { AppError } from '../../kernel/errors.ts'
import type { PooledConnection, FileStore, Pool } from '../../kernel/ports.ts'
import type { DerivedKeys } from '../../kernel/secrets.ts'
import type { QueuedJobBackup, WorkerJobQueue } from '../job-queue.ts'
import { resetDatabaseToMigrations, findUnknownMigrations } from '../migrations.ts'
import { readArchive, type BackupSection } from './archive.ts'
import { createDamagedBackupError } from './damage.ts'
import {
  listBackupTables,
  restoreTableRows,
  toTableSectionName,
  restoreSequences,
  type BackupTable,
  runWithoutTriggersOrForeignKeys,
} from './tables.ts'
import { type BackupInfo, FILE_SECTION_PREFIX, BACKUP_KEY_CHECK_LABEL, QUEUED_JOBS_SECTION_NAME } from './write-backup.ts'

/** Reads a backup completely, so that any damage is found before anything is written. */
export async function checkBackup(path: string, backupKeys: DerivedKeys): Promise<BackupInfo> {
  await access(path).catch(() => {
    throw new AppError('not_found', `Cannot read the file ${path}`)
  })
  const { about } = await readArchive<BackupInfo>(path, backupKeys)
  const unknown = await findUnknownMigrations(about.migrations)
  if (unknown.length > 0) {
    const message = `The backup was made by another version of Lanyard, which has ${unknown.join(', ')}: restore it with that version`
    throw new AppError('precondition_failed', message)
  }
  return about
}

/** Whether the installation's key can decrypt the encrypted values in the backup's rows. */
export const canDecryptSealedValues = ({ sealedWith }: BackupInfo, keys: DerivedKeys): boolean =>
  keys.open(BACKUP_KEY_CHECK_LABEL, sealedWith, '') !== null

export interface RestoreDependencies {
  pool: Pool
  queue: WorkerJobQueue
  files: FileStore
  backupKeys: DerivedKeys
}

/** Tables that may contain rows in an installation that was never used, so that a restore accepts them. */
const SELF_FILLED_TABLES = ['setup_keys', 'recurring_slots', 'rate_windows', 'sign_in_failures']

/** Restores a checked backup: the rows into an empty database in one transaction, the files into the file store. */
export async function restoreBackup(
  path: string,
  about: BackupInfo,
  { pool, queue, files, backupKeys }: RestoreDependencies,
): Promise<void> {
  const storedKeys: string[] = []
  const connection = await pool.connect()
  try {
    await connection.query('begin')
    await connection.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
    await requireEmptyDatabase(connection)
    await resetDatabaseToMigrations(connection, about.migrations)
    const tables = await listBackupTables(connection)
    await runWithoutTriggersOrForeignKeys(connection, tables, async () => {
      for (const { name } of tables.filter((table) => SELF_FILLED_TABLES.includes(table.name)))
        await connection.query(`delete from ${name}`)
      const waiting: QueuedJobBackup[] = []
      await readArchive(path, backupKeys, async (section) => {
        if (section.name.startsWith(FILE_SECTION_PREFIX)) await restoreFile(files, section, storedKeys)
        else if (section.name === QUEUED_JOBS_SECTION_NAME) waiting.push(...(await readWork(section)))
        else await loadSection(connection, tables, section, about)
      })
      await queue.restoreWork(connection, waiting)
    })
    await restoreSequences(connection, about.sequences)
    await connection.query('commit')
  } catch (error) {
    // Removes the files that the failed restore has already stored.
    for (const key of storedKeys) await files.remove(key)
    throw error
  } finally {
    connection.release()
  }
}

async function requireEmptyDatabase(connection: PooledConnection): Promise<void> {
  for (const { name } of await listBackupTables(connection)) {
    if (SELF_FILLED_TABLES.includes(name)) continue
    const { rows } = await connection.query(`select from ${name} limit 1`)
    if (rows.length === 0) continue
    throw new AppError(
      'precondition_failed',
      `A backup can only be restored into an empty database, and this one is in use (${name} has rows): choose another with DATABASE_URL or LANYARD_DATA_DIR`,
    )
  }
}

async function loadSection(
  connection: PooledConnection,
  tables: readonly BackupTable[],
  section: BackupSection,
  about: BackupInfo,
): Promise<void> {
  const table = tables.find((one) => toTableSectionName(one) === section.name)
  if (!table || (await restoreTableRows(connection, table, section.content)) !== about.rows[table.name]) throw createDamagedBackupError()
}

async function readWork({ content }: BackupSection): Promise<QueuedJobBackup[]> {
  const waiting: QueuedJobBackup[] = []
  for await (const piece of content) waiting.push(...(JSON.parse(piece.toString()) as QueuedJobBackup[]))
  return waiting
}

async function restoreFile(files: FileStore, { name, content }: BackupSection, put: string[]): Promise<void> {
  const key = name.slice(FILE_SECTION_PREFIX.length)
  put.push(key)
  // Removes a file that an earlier, killed restore may have left.
  await files.remove(key)
  await files.put(key, Readable.from(content, { objectMode: false }))
}
