import { access } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { AppError } from '../../kernel/errors.ts'
import type { Connection, FileStore, Pool } from '../../kernel/ports.ts'
import type { Keys } from '../../kernel/secrets.ts'
import type { WaitingWork, WorkQueue } from '../job-queue.ts'
import { migrateExactly, unknownMigrations } from '../migrations.ts'
import { readArchive, type Section } from './archive.ts'
import { damaged } from './damage.ts'
import { listTables, loadTable, sectionOf, setSequences, type Table, withoutReactions } from './tables.ts'
import { type About, FILE, SEALED_LABEL, WAITING_WORK } from './write-backup.ts'

/** Reads a backup from its first byte to its last, so that whatever is wrong with it is known before anything is written. */
export async function checkBackup(path: string, backupKeys: Keys): Promise<About> {
  await access(path).catch(() => {
    throw new AppError('not_found', `There is no file ${path} that can be read`)
  })
  const { about } = await readArchive<About>(path, backupKeys)
  const unknown = await unknownMigrations(about.migrations)
  if (unknown.length > 0) {
    const says = `The backup was made by another version of Lanyard, which has ${unknown.join(', ')}: restore it with that version`
    throw new AppError('precondition_failed', says)
  }
  return about
}

/** Whether what is sealed among its rows opens here. */
export const opensHere = ({ sealedWith }: About, keys: Keys): boolean => keys.open(SEALED_LABEL, sealedWith, '') !== null

export interface RestoreParts {
  pool: Pool
  queue: WorkQueue
  files: FileStore
  backupKeys: Keys
}

/** What a service that nobody has used yet has written by itself. */
const BEGUN = ['setup_keys', 'recurring_slots', 'rate_windows', 'sign_in_failures']

/** Puts a backup that was checked into an empty database, in one transaction, and its files into the file store. */
export async function restoreBackup(path: string, about: About, { pool, queue, files, backupKeys }: RestoreParts): Promise<void> {
  const put: string[] = []
  const connection = await pool.connect()
  try {
    await connection.query('begin')
    await connection.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
    await refuseUsed(connection)
    await migrateExactly(connection, about.migrations)
    const tables = await listTables(connection)
    await withoutReactions(connection, tables, async () => {
      for (const { name } of tables.filter((table) => BEGUN.includes(table.name))) await connection.query(`delete from ${name}`)
      const waiting: WaitingWork[] = []
      await readArchive(path, backupKeys, async (section) => {
        if (section.name.startsWith(FILE)) await putFile(files, section, put)
        else if (section.name === WAITING_WORK) waiting.push(...(await readWork(section)))
        else await loadSection(connection, tables, section, about)
      })
      await queue.putBack(connection, waiting)
    })
    await setSequences(connection, about.sequences)
    await connection.query('commit')
  } catch (error) {
    // Of a restore that came to nothing nothing is left, in neither place.
    for (const key of put) await files.remove(key)
    throw error
  } finally {
    connection.release()
  }
}

async function refuseUsed(connection: Connection): Promise<void> {
  for (const { name } of await listTables(connection)) {
    if (BEGUN.includes(name)) continue
    const { rows } = await connection.query(`select from ${name} limit 1`)
    if (rows.length === 0) continue
    throw new AppError(
      'precondition_failed',
      `A backup is restored into an empty database only, and this one is in use (${name} has rows): name another by DATABASE_URL or LANYARD_DATA_DIR`,
    )
  }
}

async function loadSection(connection: Connection, tables: readonly Table[], section: Section, about: About): Promise<void> {
  const table = tables.find((one) => sectionOf(one) === section.name)
  if (!table || (await loadTable(connection, table, section.content)) !== about.rows[table.name]) throw damaged()
}

async function readWork({ content }: Section): Promise<WaitingWork[]> {
  const waiting: WaitingWork[] = []
  for await (const piece of content) waiting.push(...(JSON.parse(piece.toString()) as WaitingWork[]))
  return waiting
}

async function putFile(files: FileStore, { name, content }: Section, put: string[]): Promise<void> {
  const key = name.slice(FILE.length)
  put.push(key)
  // What an earlier try that was killed has left would be in the way.
  await files.remove(key)
  await files.put(key, Readable.from(content, { objectMode: false }))
}
