import type { Pool } from '../../src/kernel/ports.ts'

/** A table that never had a row has no pages and is not looked into, as most of them in most tests. */
const LOOKING = `
select string_agg(format('select %L as name where exists (select from %I.%I)', n.nspname || '.' || c.relname, n.nspname, c.relname), ' union all ') as text
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('public', 'pgboss') and c.relkind = 'r' and pg_relation_size(c.oid) > 0`

/** The tables that have rows, with their schemas. */
export async function filledTables(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ text: string | null }>(LOOKING)
  const text = rows[0]!.text
  return text === null ? [] : (await pool.query<{ name: string }>(text)).rows.map(({ name }) => name)
}
