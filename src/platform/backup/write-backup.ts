import { createWriteStream } from 'node:fs'
import { access, constants, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createHash, randomUUID } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../kernel/errors.ts'
import type { Connection, FileStore, Pool } from '../../kernel/ports.ts'
import type { Keys } from '../../kernel/secrets.ts'
import { listWaitingWork } from '../job-queue.ts'
import { type Applied, readApplied } from '../migrations.ts'
import { archived, type Section } from './archive.ts'
import { listTables, readSequences, type Sequence, tableSection } from './tables.ts'

/** What is to be known of a backup before any of it is restored. */
export interface About {
  madeAt: string
  migrations: Applied[]
  rows: Record<string, number>
  sequences: Sequence[]
  files: number
  /** Of these the store had no bytes. */
  missingFiles: string[]
  /** Of these it had others than were once put there. */
  changedFiles: string[]
  /** Opens with the key that the sealed values among the rows were sealed with. */
  sealedWith: string
}

export interface BackupParts {
  /** Takes part in nothing that others wait for. */
  reader: Pool
  files: FileStore
  /** Of the installation. */
  keys: Keys
  /** Seals the backup, where it is not to be the installation's own. */
  backupKeys?: Keys
  /** The files whose bytes belong to it, as the rows of the same moment tell. */
  listFiles: (connection: Connection) => Promise<BackedUpFile[]>
}

export interface BackedUpFile {
  key: string
  sha256: string
}

export const SEALED_LABEL = 'backup of sealed values'
export const WAITING_WORK = 'waiting work'
export const FILE = 'file '

const WORK_AT_ONCE = 1000

/** All of one moment, in one file that is there whole or not at all. */
export async function writeBackup(path: string, parts: BackupParts): Promise<About & { bytes: number }> {
  await refusePlace(path)
  const about: About = {
    madeAt: '',
    migrations: [],
    rows: {},
    sequences: [],
    files: 0,
    missingFiles: [],
    changedFiles: [],
    sealedWith: parts.keys.seal(SEALED_LABEL, '', ''),
  }
  const part = `${path}.${randomUUID()}.part`
  const connection = await parts.reader.connect()
  try {
    const bytes = archived(sectionsOf(connection, parts, about), () => about, parts.backupKeys ?? parts.keys)
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

async function refusePlace(path: string): Promise<void> {
  const reaches = (place: string, mode?: number) =>
    access(place, mode).then(
      () => true,
      () => false,
    )
  if (await reaches(path)) throw new AppError('conflict', `${path} is there already: give the backup another name, or move that one away`)
  const folder = dirname(path)
  if (!(await reaches(folder, constants.W_OK))) throw new AppError('not_found', `There is no folder ${folder} that can be written to`)
}

async function* sectionsOf(connection: Connection, { files, listFiles }: BackupParts, about: About): AsyncGenerator<Section> {
  await connection.query('begin isolation level repeatable read read only')
  // However long it takes to write down what was read.
  await connection.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
  const { rows } = await connection.query<{ now: Date }>('select now()')
  about.madeAt = rows[0]!.now.toISOString()
  about.migrations = await readApplied(connection)
  for (const table of await listTables(connection)) {
    about.rows[table.name] = 0
    yield tableSection(connection, table, (count) => (about.rows[table.name]! += count))
  }
  yield { name: WAITING_WORK, content: workPieces(connection) }
  about.sequences = await readSequences(connection)
  const wanted = await listFiles(connection)
  await connection.query('commit')
  // After the rows: bytes never change, and those of a file that is deleted meanwhile stay for a day.
  for (const file of wanted) yield* fileSection(files, file, about)
}

async function* workPieces(connection: Connection): AsyncGenerator<Buffer> {
  const waiting = await listWaitingWork(connection)
  for (let at = 0; at < waiting.length; at += WORK_AT_ONCE) yield Buffer.from(JSON.stringify(waiting.slice(at, at + WORK_AT_ONCE)))
}

async function* fileSection(files: FileStore, { key, sha256 }: BackedUpFile, about: About): AsyncGenerator<Section> {
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
  yield { name: `${FILE}${key}`, content: hashed() }
  about.files++
  if (hash.digest('hex') !== sha256) about.changedFiles.push(key)
}
