import type { Pool } from '../kernel/ports.ts'
import type { Recurring } from '../kernel/recurring.ts'

/** By the measure that PostgreSQL goes by: fifty rows and a tenth of the table for what it knows of it, a fifth for what was deleted. */
const DUE = `
  select format('%I.%I', s.schemaname, s.relname) as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where (c.reltuples < 0 and s.n_live_tup > 0)
    or s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0)
    or s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)`

/** Removes the dead rows of tables that changed much, and counts what is left, which plans are made by. Each table is a statement of its own. */
export async function keepUp(pool: Pool): Promise<void> {
  // What changed is else told a second later.
  await pool.query('select pg_stat_force_next_flush()')
  const { rows } = await pool.query<{ name: string }>(DUE)
  for (const { name } of rows) await pool.query(`vacuum (analyze) ${name}`)
}

/** PostgreSQL does this by itself; the embedded database has no process that could. */
export const embeddedUpkeep = (pool: Pool): Recurring => ({ name: 'upkeep', schedule: { everySeconds: 600 }, run: () => keepUp(pool) })
