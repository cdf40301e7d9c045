import { PGlite } from '@electric-sql/pglite'
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { randomUUID } from 'node:crypto'
import { cpSync, existsSync } from 'node:fs'
import { lstat, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pool } from '../kernel/ports.ts'
import { lockDirectory } from './directory-lock.ts'
import { prepareJobQueue } from './job-queue.ts'
import { migrate, migrationsHash } from './migrations.ts'
import { installedCache, isOurs } from './own-cache.ts'
import { embeddedPool } from './pool.ts'
import { privateFolder } from './private-folder.ts'
import { versionOf } from './version.ts'

export interface EmbeddedDatabase {
  pool: Pool
  close: () => Promise<void>
}

/** Opens the database in `<dataDir>/postgres`, makes it on the first start, and brings it up to date. */
export async function openEmbedded(dataDir: string): Promise<EmbeddedDatabase> {
  const lock = await lockDirectory(dataDir)
  try {
    const folder = join(dataDir, 'postgres')
    if (await isEmpty(folder)) await copyTemplate(folder)
    await privateFolder(folder)
    const pool = await openMigrated(folder)
    const close = async () => {
      try {
        await pool.end()
      } finally {
        await lock.release()
      }
    }
    return { pool, close }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function openMigrated(folder: string): Promise<Pool> {
  const lite = await PGlite.create({ dataDir: folder, extensions: { btree_gist, pg_trgm } })
  const pool = await embeddedPool(lite)
  try {
    await migrate(pool)
    return pool
  } catch (error) {
    await pool.end()
    throw error
  }
}

const isEmpty = async (folder: string) => !existsSync(folder) || (await readdir(folder)).length === 0

/** Copied beside its place and then renamed, so that a start which was cut off is not taken for a database. */
async function copyTemplate(folder: string): Promise<void> {
  const copy = `${folder}.new`
  await rm(copy, { recursive: true, force: true })
  cpSync(await templateDirectory(), copy, { recursive: true })
  await rename(copy, folder)
}

/** Another number for every other way of making it. */
const MADE = 2

/** A migrated, empty database with an empty queue that is copied instead of being made anew, which takes seconds. Built once for each set of migrations. */
export async function templateDirectory(): Promise<string> {
  const cache = await cacheFolder()
  const folder = join(
    cache,
    `template-${MADE}-${await versionOf('@electric-sql/pglite')}-${await versionOf('pg-boss')}-${(await migrationsHash()).slice(0, 16)}`,
  )
  if (existsSync(folder)) return folder
  const building = `${folder}.${randomUUID()}`
  try {
    const pool = await openMigrated(building)
    await prepareJobQueue(pool)
    // All of them are cleared at every start, and held for as long as it runs: the usual 128 MB are for a server of its own.
    await pool.query(`alter system set shared_buffers = '32MB'`)
    // An empty table that nobody has counted is planned for as if it had ten pages, and every time anew.
    await pool.query('analyze')
    await pool.query('checkpoint')
    await pool.end()
    await rename(building, folder)
  } catch (error) {
    await rm(building, { recursive: true, force: true })
    // Another process may have put its own there first: it is as good.
    if (!existsSync(folder)) throw error
  }
  await removeOldTemplates(cache)
  return folder
}

async function cacheFolder(): Promise<string> {
  const installed = await installedCache()
  if (installed !== null) return installed
  const ownTemporary = join(tmpdir(), `lanyard-${process.getuid?.() ?? 'cache'}`)
  return (await isOurs(ownTemporary)) ? ownTemporary : mkdtemp(join(tmpdir(), 'lanyard-'))
}

const WEEK = 7 * 24 * 3600 * 1000

async function removeOldTemplates(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!name.startsWith('template-')) continue
    const path = join(cache, name)
    const found = await lstat(path).catch(() => undefined)
    if (found && found.mtimeMs < Date.now() - WEEK) await rm(path, { recursive: true, force: true })
  }
}
