import type { Pool } from '../../src/kernel/ports.ts'

/** The number of tables per SQL statement: few enough that PostgreSQL caches the plan. */
const TABLES_PER_STATEMENT = 80

/**
 * Lists the tables that contain rows, with their schemas. The SQL statements are identical at the end of each test, so they are planned
 * once.
 */
export async function listFilledTables(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; spelt: string }>(
    `select n.nspname || '.' || c.relname as name, format('%I.%I', n.nspname, c.relname) as spelt
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname in ('public', 'pgboss') and c.relkind = 'r' order by c.oid`,
    [],
  )
  const filled: string[] = []
  for (let from = 0; from < rows.length; from += TABLES_PER_STATEMENT) {
    const some = rows.slice(from, from + TABLES_PER_STATEMENT)
    const looking = some.map(({ spelt }) => `exists(select from ${spelt})`)
    const { have } = (await pool.query<{ have: boolean[] }>(`select array[${looking.join()}] as have`, [])).rows[0]!
    filled.push(...some.filter((_, at) => have[at]).map(({ name }) => name))
  }
  return filled
}
