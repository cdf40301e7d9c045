import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PooledConnection, Pool } from '../kernel/ports.ts'

/** The folder of the migrations. src/ and dist/ are equally deep, so the path is valid in both. */
export const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

interface Migration {
  number: number
  name: string
  sql: string
  sha256: string
}

export type AppliedMigration = Pick<Migration, 'number' | 'name' | 'sha256'>

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  const migrations = await Promise.all(
    names.map(async (name) => {
      if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(name)) throw new Error(`The migration ${name} must be named like 0001_what_it_adds.sql.`)
      // A checkout on Windows may have changed the line ends, which does not count as a change.
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      return { number: Number(name.slice(0, 4)), name, sql, sha256: sha256(sql) }
    }),
  )
  const twice = migrations.find((migration, index) => migration.number === migrations[index + 1]?.number)
  if (twice) throw new Error(`Two migrations have the number of ${twice.name}.`)
  return migrations
}

/** Hashes all migrations together. */
export async function hashMigrations(folder = migrationsFolder): Promise<string> {
  const migrations = await readMigrations(folder)
  return sha256(migrations.map((m) => `${m.name} ${m.sha256}\n`).join(''))
}

/** Returns the pending migrations in order. Throws if an applied migration is missing in these files or differs from its file. */
function findPending(migrations: Migration[], applied: AppliedMigration[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.number, migration]))
  for (const { number, name, sha256: appliedHash } of applied) {
    const file = known.get(number)
    if (!file) throw new Error(`The database is ahead of this version of Lanyard: it has migration ${name}. Start the newer version.`)
    if (file.sha256 !== appliedHash) {
      throw new Error(`The migration ${file.name} was changed after it was applied. Restore it and put the change into a new migration.`)
    }
  }
  const done = new Set(applied.map((migration) => migration.number))
  const pending = migrations.filter((migration) => !done.has(migration.number))
  const last = applied.at(-1)
  const skipped = pending.find((migration) => last && migration.number < last.number)
  if (skipped)
    throw new Error(`The migration ${skipped.name} was added before ${last?.name}, which is already applied. Give it a higher number.`)
  return pending
}

export async function readAppliedMigrations(database: Pick<Pool, 'query'>): Promise<AppliedMigration[]> {
  const { rows } = await database.query<{ exists: boolean }>(`select to_regclass('lanyard_migrations') is not null as exists`)
  if (!rows[0]?.exists) return []
  return (await database.query<AppliedMigration>('select number, name, sha256 from lanyard_migrations order by number')).rows
}

export async function listPendingMigrations(pool: Pool, folder = migrationsFolder): Promise<string[]> {
  return findPending(await readMigrations(folder), await readAppliedMigrations(pool)).map((migration) => migration.name)
}

/** Returns the names of migrations of another database, such as that of a backup, that have no file with the same content here. */
export async function findUnknownMigrations(applied: readonly AppliedMigration[], folder = migrationsFolder): Promise<string[]> {
  const known = new Set((await readMigrations(folder)).map((migration) => migration.sha256))
  return applied.filter((migration) => !known.has(migration.sha256)).map((migration) => migration.name)
}

/**
 * Migrates an empty database to exactly these migrations, in the caller's transaction. Migrations cannot be reverted, so if the database
 * has others, all tables and functions are dropped first, except those of extensions.
 */
export async function resetDatabaseToMigrations(
  connection: PooledConnection,
  wanted: readonly AppliedMigration[],
  folder = migrationsFolder,
): Promise<void> {
  await connection.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK_ID})`)
  const numbers = (some: readonly AppliedMigration[]) => some.map(({ number }) => number).join()
  if (numbers(await readAppliedMigrations(connection)) === numbers(wanted)) return
  const { rows } = await connection.query<{ statement: string }>(DROP_STATEMENTS)
  for (const { statement } of rows) await connection.query(statement)
  const migrations = await readMigrations(folder)
  for (const { number } of wanted)
    await applyMigration(
      connection,
      migrations.find((migration) => migration.number === number)!,
    )
}

const DROP_STATEMENTS = `
  with ours as (
    select 1 as turn, 'table' as what, oid::regclass::text as name, oid from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r'
    union all
    select 2, 'function', oid::regprocedure::text, oid from pg_proc where pronamespace = current_schema()::regnamespace)
  select format('drop %s if exists %s cascade', what, name) as statement from ours
  where not exists (select from pg_depend d where d.objid = ours.oid and d.deptype = 'e') order by turn`

/** Runs pending migrations, one transaction per file, and returns their names. Safe to call from several processes concurrently. */
export async function migrate(pool: Pool, folder = migrationsFolder): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const names: string[] = []
  const connection = await pool.connect()
  try {
    for (;;) {
      const name = await applyNext(connection, migrations)
      if (!name) return names
      names.push(name)
    }
  } finally {
    // The pool rolls back a transaction that a failure left open.
    connection.release()
  }
}

const MIGRATION_LOCK_ID = 7_233_102

async function applyNext(connection: PooledConnection, migrations: Migration[]): Promise<string | undefined> {
  // Read committed isolation sees migrations that another process applied while this process waited for the lock.
  await connection.query('begin isolation level read committed')
  await connection.query('set local statement_timeout = 0')
  await connection.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK_ID})`)
  const [next] = findPending(migrations, await readAppliedMigrations(connection))
  if (next) await applyMigration(connection, next)
  await connection.query('commit')
  return next?.name
}

async function applyMigration(connection: PooledConnection, { number, name, sql, sha256: hash }: Migration): Promise<void> {
  await connection.query(`create table if not exists lanyard_migrations (
    number int primary key, name text not null, sha256 text not null, applied_at timestamptz not null default clock_timestamp())`)
  try {
    await connection.query(sql)
  } catch (error) {
    const { message, position } = error as Error & { position?: string }
    const line = position ? ` at line ${sql.slice(0, Number(position)).split('\n').length}` : ''
    throw new Error(`The migration ${name} failed${line}: ${message}`, { cause: error })
  }
  await connection.query('insert into lanyard_migrations (number, name, sha256) values ($1, $2, $3)', [number, name, hash])
}
