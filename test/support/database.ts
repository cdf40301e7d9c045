import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import pg from 'pg'
import { type DatabasePools, openDatabase } from '../../src/platform/database.ts'
import { prepareJobQueue } from '../../src/platform/job-queue.ts'
import { migrate, hashMigrations } from '../../src/platform/migrations.ts'
import { readPackageVersion } from '../../src/platform/package-version.ts'
import { createTestFolder } from './folder.ts'

export interface FreshDatabase extends DatabasePools {
  /** The connection URL; only set on PostgreSQL. */
  url?: string
  /** The connection URL of the replica; only set in a cluster. */
  replicaUrl?: string
  /** Deletes the database. `filled` lists the tables that contain rows, if the caller already knows them. */
  drop: (filled?: readonly string[]) => Promise<void>
}

/** A new, migrated, empty database: on the given PostgreSQL server or that of TEST_DATABASE_URL, otherwise an embedded one. */
export async function createFreshDatabase(server = process.env['TEST_DATABASE_URL']): Promise<FreshDatabase> {
  return server ? freshPostgres(server) : freshEmbedded()
}

async function freshEmbedded(): Promise<FreshDatabase> {
  const dataDir = createTestFolder()
  const remove = () => rm(dataDir, { recursive: true, force: true })
  const database = await openDatabase({ dataDir }).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  // Test tables are small, so a generic query plan is as good as any, and planning again takes longer than executing.
  await database.pool.query('set plan_cache_mode = force_generic_plan')
  const drop = async () => {
    await database.close()
    await remove()
  }
  return { ...database, drop }
}

/** A hundred concurrent buyers wait long for a connection on a busy machine. Their requests must not time out. */
export const TIMEOUT_FACTOR = 10

async function freshPostgres(server: string): Promise<FreshDatabase> {
  const template = await ensurePostgresTemplate(server)
  const name = `lanyard_test_${randomUUID().replaceAll('-', '')}`
  // Copying files is faster than logging the copy when the server runs without fsync, as a test server should.
  await administer(server, (admin) => admin.query(`create database ${name} template ${template} strategy file_copy`))
  const { TEST_POOLER_URL: pooler, TEST_REPLICA_URL: replica } = server === process.env['TEST_DATABASE_URL'] ? process.env : {}
  const url = databaseUrl(pooler ?? server, name)
  const replicaUrl = replica && databaseUrl(replica, name)
  const database = await openDatabase({ url, replicaUrl, dataDir: '', timeoutFactor: TIMEOUT_FACTOR })
  const drop = async () => {
    await database.close()
    await administer(server, (admin) => admin.query(`drop database if exists ${name} with (force)`))
  }
  return { ...database, url, ...(replicaUrl ? { replicaUrl } : {}), drop }
}

/**
 * Returns the name of the migrated template database that test databases are copied from. The first call for the current migrations
 * creates it.
 */
export async function ensurePostgresTemplate(server: string): Promise<string> {
  const name = `lanyard_template_${(await readPackageVersion('pg-boss')).replaceAll('.', '_')}_${(await hashMigrations()).slice(0, 16)}`
  await administer(server, async (admin) => {
    if (await exists(admin, name)) return
    await admin.query(`select pg_advisory_lock(hashtext('lanyard_template'))`)
    if (await exists(admin, name)) return
    const building = `${name}_building`
    await admin.query(`drop database if exists ${building} with (force)`)
    await admin.query(`create database ${building}`)
    const database = await openDatabase({ url: databaseUrl(server, building), dataDir: '' })
    try {
      await migrate(database.pool)
      await prepareJobQueue(database.pool)
    } finally {
      await database.close()
    }
    await admin.query(`alter database ${building} rename to ${name}`)
  })
  return name
}

const exists = async (admin: pg.Client, name: string) =>
  (await admin.query('select from pg_database where datname = $1', [name])).rowCount === 1

/** Runs administrative statements on a separate connection. Closing it at the end releases its locks. */
async function administer<T>(server: string, run: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  try {
    return await run(admin)
  } finally {
    await admin.end()
  }
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
