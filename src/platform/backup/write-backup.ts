import { createWriteStream } from 'node:fs'
import { access, constants, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createHash, randomUUID } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../kernel/errors.ts'
import type { PooledConnection, FileStore, Pool } from '../../kernel/ports.ts'
import type { DerivedKeys } from '../../kernel/secrets.ts'
import { listQueuedJobsForBackup } from '../job-queue.ts'
import { type AppliedMigration, readAppliedMigrations } from '../migrations.ts'
import { createArchive, type BackupSection } from './archive.ts'
import { listBackupTables, readSequences, type Sequence, createTableSection } from './tables.ts'

/** The description of a backup, checked before anything is restored. */
export interface BackupInfo {
  madeAt: string
  migrations: AppliedMigration[]
  rows: Record<string, number>
  sequences: Sequence[]
  files: number
  /** Files whose bytes were missing in the file store. */
  missingFiles: string[]
  /** Files whose bytes differ from those that were uploaded. */
  changedFiles: string[]
  /** A test value encrypted with the same key as the encrypted values in the rows, to check the key before a restore. */
  sealedWith: string
}

export interface BackupDependencies {
  /** A separate connection pool, so that the backup blocks no other work. */
  reader: Pool
  files: FileStore
  /** The encryption keys of the installation. */
  keys: DerivedKeys
  /** Keys that encrypt the backup in place of the installation's keys. */
  backupKeys?: DerivedKeys
  /** Lists the files that belong to the backup, in the same database snapshot from which the table rows are read. */
  listFiles: (connection: PooledConnection) => Promise<BackedUpFile[]>
}

export interface BackedUpFile {
  key: string
  sha256: string
}

export const BACKUP_KEY_CHECK_LABEL = 'backup of sealed values'
export const QUEUED_JOBS_SECTION_NAME = 'waiting work'
export const FILE_SECTION_PREFIX = 'file '

const WORK_BATCH_SIZE = 1000

/** Writes a consistent backup of the installation to one file, which is created completely or not at all. */
export async function writeBackup(path: string, parts: BackupDependencies): Promise<BackupInfo & { bytes: number }> {
  await requireWritableTarget(path)
  const about: BackupInfo = {
    madeAt: '',
    migrations: [],
    rows: {},
    sequences: [],
    files: 0,
    missingFiles: [],
    changedFiles: [],
    sealedWith: parts.keys.seal(BACKUP_KEY_CHECK_LABEL, '', ''),
  }
  const part = `${path}.${randomUUID()}.part`
  const connection = await parts.reader.connect()
  try {
    const bytes = createArchive(readSections(connection, parts, about), () => about, parts.backupKeys ?? parts.keys)
    await pipeline(bytes, createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }))
    const { size } = await stat(part)
    await rename(part, path)
    return { ...about, bytes: size }
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    connection.release()
  }
}

async function requireWritableTarget(path: string): Promise<void> {
  const canAccess = (place: string, mode?: number) =>
    access(place, mode).then(
      () => true,
      () => false,
    )
  if (await canAccess(path)) throw new AppError('conflict', `${path} already exists: choose another name for the backup, or move that file`)
  const folder = dirname(path)
  if (!(await canAccess(folder, constants.W_OK))) throw new AppError('not_found', `Cannot write to the folder ${folder}`)
}

async function* readSections(
  connection: PooledConnection,
  { files, listFiles }: BackupDependencies,
  about: BackupInfo,
): AsyncGenerator<BackupSection> {
  await connection.query('begin isolation level repeatable read read only')
  // Reading all tables in one transaction may take longer than the usual timeouts.
  await connection.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
  const { rows } = await connection.query<{ now: Date }>('select now()')
  about.madeAt = rows[0]!.now.toISOString()
  about.migrations = await readAppliedMigrations(connection)
  for (const table of await listBackupTables(connection)) {
    about.rows[table.name] = 0
    yield createTableSection(connection, table, (count) => (about.rows[table.name]! += count))
  }
  yield { name: QUEUED_JOBS_SECTION_NAME, content: workPieces(connection) }
  about.sequences = await readSequences(connection)
  const wanted = await listFiles(connection)
  await connection.query('commit')
  /*
   * File bytes never change, so they are read after the rows. The bytes of a deleted file are kept for a day, except those of an upload
   * that a participant replaced: if that happens during the backup, the backup reports the file as missing.
   */
  for (const file of wanted) yield* fileSection(files, file, about)
}

async function* workPieces(connection: PooledConnection): AsyncGenerator<Buffer> {
  const waiting = await listQueuedJobsForBackup(connection)
  for (let at = 0; at < waiting.length; at += WORK_BATCH_SIZE) yield Buffer.from(JSON.stringify(waiting.slice(at, at + WORK_BATCH_SIZE)))
}

async function* fileSection(files: FileStore, { key, sha256 }: BackedUpFile, about: BackupInfo): AsyncGenerator<BackupSection> {
  const content = await files.open(key)
  if (!content) {
    about.missingFiles.push(key)
    return
  }
  const hash = createHash('sha256')
  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const piece of content as AsyncIterable<Buffer>) {
      hash.update(piece)
      yield piece
    }
  }
  yield { name: `${FILE_SECTION_PREFIX}${key}`, content: hashed() }
  about.files++
  if (hash.digest('hex') !== sha256) about.changedFiles.push(key)
}
