import type { Pool } from '../kernel/ports.ts'
import type { RecurringTask } from '../kernel/recurring.ts'

/**
 * Selects the tables to vacuum or analyze by PostgreSQL's autovacuum thresholds: 50 rows plus 10% of the table for analyze, plus 20% for
 * vacuum.
 */
const TABLES_DUE = `
  select format('%I.%I', s.schemaname, s.relname) as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where (c.reltuples < 0 and s.n_live_tup > 0)
    or s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0)
    or s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)`

/** Vacuums and analyzes tables with many changed rows, one statement per table. */
export async function vacuumChangedTables(pool: Pool): Promise<void> {
  // PostgreSQL delays its counters of changed rows by up to a second, unless they are flushed.
  await pool.query('select pg_stat_force_next_flush()')
  const { rows } = await pool.query<{ name: string }>(TABLES_DUE)
  for (const { name } of rows) await pool.query(`vacuum (analyze) ${name}`)
}

/** Replaces autovacuum, which the embedded database does not have. */
export const createDatabaseVacuumTask = (pool: Pool): RecurringTask => ({
  name: 'upkeep',
  schedule: { everySeconds: 600 },
  run: () => vacuumChangedTables(pool),
})
