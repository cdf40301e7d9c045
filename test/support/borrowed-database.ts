import type { Pool } from '../../src/kernel/ports.ts'
import { type FreshDatabase, createFreshDatabase } from './database.ts'
import { listFilledTables } from './filled-tables.ts'

interface ReusableDatabase {
  fresh: FreshDatabase
  /** Fingerprint of the tables, functions and constraints before the first test used the database. */
  schema: string
  /** Row counts and newest transaction ids of the system catalogs. Detects schema changes, and is cheaper to read than `schema`. */
  written: string
  /** Tables that are not empty in a new database, because migrations or the job queue insert rows. */
  filled: ReadonlySet<string>
  lent: number
}

/** Open, empty databases of this test worker. Opening a database takes ten times as long as emptying one. */
const idle: ReusableDatabase[] = []
const MAX_IDLE = 2
/** Deleted rows stay in the files until a vacuum, which tests never run, so a database is replaced after this many tests. */
const MAX_REUSES = 60

/**
 * Returns an empty database, reusing one that an earlier test released. A database is discarded instead of reused if a test changed its
 * schema, left rows locked or left a connection open. Queries after `drop` are rejected.
 */
export async function borrowDatabase(): Promise<FreshDatabase> {
  // Emptying a database needs settings of a session, which PgBouncer does not keep.
  if (process.env['TEST_POOLER_URL']) return createFreshDatabase()
  const lent = idle.pop() ?? (await openReusable())
  lent.lent++
  const { fresh } = lent
  let closed: Promise<void> | undefined
  let over = false
  const whileLent = (pool: Pool): Pool => {
    const refuse = () => {
      if (over) throw new Error('a query after the end of its test')
    }
    return {
      ...pool,
      connect: async () => {
        refuse()
        return pool.connect()
      },
      query: async (text, values) => {
        refuse()
        return pool.query(text, values)
      },
    }
  }
  return {
    ...fresh,
    pool: whileLent(fresh.pool),
    reader: whileLent(fresh.reader),
    close: () => (closed ??= fresh.close()),
    async drop(filledNow) {
      over = true
      if (closed === undefined && idle.length < MAX_IDLE && lent.lent < MAX_REUSES && (await emptyTables(lent, filledNow))) idle.push(lent)
      else await fresh.drop()
    },
  }
}

async function openReusable(): Promise<ReusableDatabase> {
  const fresh = await createFreshDatabase()
  return {
    fresh,
    schema: await readSchemaDigest(fresh.pool),
    written: await readCatalogFingerprint(fresh.pool),
    filled: new Set(await listFilledTables(fresh.pool)),
    lent: 0,
  }
}

const OWN_TABLES_SQL = `
    with ours as (
      select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'pgboss') and c.relkind in ('r', 'p') and c.relname not like 'fixture\\_%')`

/**
 * The row count and the newest transaction id of every catalog table that `readSchemaDigest` reads. It also differs after a schema change
 * that was undone.
 */
async function readCatalogFingerprint(pool: Pool): Promise<string> {
  const latest = (from: string) => `(select concat(count(*), '/', max(t.xmin::text::bigint)) from ${from})`
  const { rows } = await pool.query<{ written: string }>(
    `${OWN_TABLES_SQL}
    select concat_ws(' ',
      ${latest('pg_attribute t where t.attrelid in (select oid from ours) and t.attnum > 0')},
      ${latest('pg_constraint t where t.conrelid in (select oid from ours)')},
      ${latest('pg_trigger t where t.tgrelid in (select oid from ours) and not t.tgisinternal')},
      ${latest('pg_index t where t.indrelid in (select oid from ours)')},
      ${latest(`pg_proc t join pg_namespace n on n.oid = t.pronamespace where n.nspname = 'public' and t.proname <> 'lanyard_now'`)}) as written`,
    [],
  )
  return rows[0]!.written
}

/**
 * A digest of everything except rows: columns, constraints, triggers, indexes and functions. It excludes the clock function, which every
 * test
 * replaces, and tables that tests create for themselves.
 */
async function readSchemaDigest(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ schema: string }>(`${OWN_TABLES_SQL}
    select md5(concat_ws('|',
      (select string_agg(concat_ws(' ', attrelid, attname, atttypid, attnotnull, attisdropped), ',' order by attrelid, attnum)
        from pg_attribute where attrelid in (select oid from ours) and attnum > 0),
      (select string_agg(concat_ws(' ', conrelid, conname, contype, convalidated, conkey, confrelid, confkey, confupdtype, confdeltype, md5(conbin::text)), ',' order by conrelid, conname)
        from pg_constraint where conrelid in (select oid from ours)),
      (select string_agg(concat_ws(' ', tgrelid, tgname, tgenabled, tgfoid), ',' order by tgrelid, tgname)
        from pg_trigger where tgrelid in (select oid from ours) and not tgisinternal),
      (select string_agg(concat_ws(' ', indexrelid, indisvalid), ',' order by indexrelid) from pg_index where indrelid in (select oid from ours)),
      (select string_agg(concat_ws(' ', p.oid, md5(p.prosrc)), ',' order by p.oid) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname = 'public' and p.proname <> 'lanyard_now'))) as schema`)
  return rows[0]!.schema
}

async function isUnchanged(lent: ReusableDatabase): Promise<boolean> {
  const { pool } = lent.fresh
  const written = await readCatalogFingerprint(pool)
  if (written === lent.written) return true
  lent.written = written
  return (await readSchemaDigest(pool)) === lent.schema
}

/**
 * Deletes all rows without running triggers or checking foreign keys. Returns false if the database cannot be restored to its initial
 * state.
 */
async function emptyTables(lent: ReusableDatabase, filledNow?: readonly string[]): Promise<boolean> {
  const { fresh, filled } = lent
  const { pool } = fresh
  try {
    if (!(await isUnchanged(lent)) || (await hasOtherConnections(fresh))) return false
    const used = (filledNow ?? (await listFilledTables(pool))).filter((name) => !filled.has(name))
    const connection = await pool.connect()
    try {
      await connection.query(`set session_replication_role = replica`)
      await connection.query(`set statement_timeout = '5s'`)
      for (const name of used) await connection.query(`delete from ${name.replace(/([^.]+)\.(.+)/, '"$1"."$2"')}`)
      await connection.query(
        `select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) from pg_sequences where last_value is not null`,
      )
    } finally {
      await connection.query(`reset session_replication_role`)
      await connection.query(`reset statement_timeout`)
      connection.release()
    }
    return true
  } catch {
    return false
  }
}

/** Whether another client is connected, such as a server that a test started and did not stop. */
async function hasOtherConnections({ engine, pool, reader }: FreshDatabase): Promise<boolean> {
  if (engine === 'embedded') return false
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  )
  return rows[0]!.count > pool.usage().open + reader.usage().open
}
