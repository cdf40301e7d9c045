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
import { migrate, hashMigrations } from './migrations.ts'
import { findInstallationCacheFolder, isPrivateFolder } from './private-cache.ts'
import { createEmbeddedPool } from './pool.ts'
import { ensurePrivateFolder } from './private-folder.ts'
import { readPackageVersion } from './package-version.ts'

export interface EmbeddedDatabase {
  pool: Pool
  close: () => Promise<void>
}

/** Opens the database in `<dataDir>/postgres`, creates it on the first start, and migrates it. */
export async function openEmbeddedPostgres(dataDir: string): Promise<EmbeddedDatabase> {
  const lock = await lockDirectory(dataDir)
  try {
    const folder = join(dataDir, 'postgres')
    if (await isEmpty(folder)) await copyTemplate(folder)
    await ensurePrivateFolder(folder)
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
  const pool = await createEmbeddedPool(lite)
  try {
    await migrate(pool)
    return pool
  } catch (error) {
    await pool.end()
    throw error
  }
}

const isEmpty = async (folder: string) => !existsSync(folder) || (await readdir(folder)).length === 0

/** Copies the template database to a temporary name and renames it, so that an interrupted start leaves no partial database. */
async function copyTemplate(folder: string): Promise<void> {
  const copy = `${folder}.new`
  await rm(copy, { recursive: true, force: true })
  cpSync(await ensureTemplateDatabase(), copy, { recursive: true })
  await rename(copy, folder)
}

/** Version of the template database. Increase it when the template is built differently. */
const TEMPLATE_FORMAT = 2

/**
 * Returns the folder of the template: a migrated, empty database with an empty queue. It is copied for new databases, because building a
 * database takes seconds. Built once for each set of migrations.
 */
export async function ensureTemplateDatabase(): Promise<string> {
  const cache = await cacheFolder()
  const folder = join(
    cache,
    `template-${TEMPLATE_FORMAT}-${await readPackageVersion('@electric-sql/pglite')}-${await readPackageVersion('pg-boss')}-${(await hashMigrations()).slice(0, 16)}`,
  )
  if (existsSync(folder)) return folder
  const building = `${folder}.${randomUUID()}`
  try {
    const pool = await openMigrated(building)
    await prepareJobQueue(pool)
    // Buffers are reduced from 128 MB, which suit a dedicated server: the embedded database allocates all of them at the start.
    await pool.query(`alter system set shared_buffers = '32MB'`)
    // Without statistics, the planner assumes ten pages for every empty table and replans each time.
    await pool.query('analyze')
    await pool.query('checkpoint')
    await pool.end()
    await rename(building, folder)
  } catch (error) {
    await rm(building, { recursive: true, force: true })
    // The rename also fails if another process has built the same template first; that template is then used.
    if (!existsSync(folder)) throw error
  }
  await removeOldTemplates(cache)
  return folder
}

async function cacheFolder(): Promise<string> {
  const installed = await findInstallationCacheFolder()
  if (installed !== null) return installed
  const ownTemporary = join(tmpdir(), `lanyard-${process.getuid?.() ?? 'cache'}`)
  return (await isPrivateFolder(ownTemporary)) ? ownTemporary : mkdtemp(join(tmpdir(), 'lanyard-'))
}

const WEEK_MS = 7 * 24 * 3600 * 1000

async function removeOldTemplates(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!name.startsWith('template-')) continue
    const path = join(cache, name)
    const found = await lstat(path).catch(() => undefined)
    if (found && found.mtimeMs < Date.now() - WEEK_MS) await rm(path, { recursive: true, force: true })
  }
}
