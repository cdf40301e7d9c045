import type { Pool } from '../../src/kernel/ports.ts'

/** Table, then primary key, then a digest of the row. */
type Rows = ReadonlyMap<string, ReadonlyMap<string, string>>

export interface RowChange {
  table: string
  kind: 'added' | 'changed' | 'removed'
  key: string
}

/** Every call counts itself there, also one that changes nothing. */
const COUNTERS = ['rate_windows']

const statements = new WeakMap<Pool, string>()

/** Every row of the product, without when something was last used, which reading tells too. */
async function readRows(pool: Pool): Promise<Rows> {
  let statement = statements.get(pool)
  if (!statement) statements.set(pool, (statement = await statementFor(pool)))
  const { rows } = await pool.query<{ table: string; key: string; digest: string }>(statement)
  const tables = new Map<string, Map<string, string>>()
  for (const { table, key, digest } of rows) {
    if (!tables.has(table)) tables.set(table, new Map())
    tables.get(table)!.set(key, digest)
  }
  return tables
}

async function statementFor(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ table: string; key: string }>(
    `select c.relname as table, string_agg(format('%I', a.attname), ', ' order by a.attnum) as key
     from pg_class c
     join pg_index i on i.indrelid = c.oid and i.indisprimary
     join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not (c.relname = any($1))
     group by c.relname order by c.relname`,
    [COUNTERS],
  )
  return rows
    .map(
      ({ table, key }) =>
        `select '${table}' as table, jsonb_build_array(${key})::text as key, md5((to_jsonb(t) - 'last_used_at')::text) as digest from ${table} t`,
    )
    .join(' union all ')
}

function changesBetween(before: Rows, after: Rows): RowChange[] {
  const none = new Map<string, string>()
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((table) => {
    const [old, now] = [before.get(table) ?? none, after.get(table) ?? none]
    return [
      ...[...now].flatMap(([key, digest]): RowChange[] => {
        if (!old.has(key)) return [{ table, kind: 'added', key }]
        return old.get(key) === digest ? [] : [{ table, kind: 'changed', key }]
      }),
      ...[...old.keys()].filter((key) => !now.has(key)).map((key): RowChange => ({ table, kind: 'removed', key })),
    ]
  })
}

/** Runs something and returns its answer with the rows that changed meanwhile. */
export async function watched<T>(pool: Pool, run: () => Promise<T>): Promise<{ answer: T; changes: RowChange[] }> {
  const before = await readRows(pool)
  const answer = await run()
  return { answer, changes: changesBetween(before, await readRows(pool)) }
}

/** For messages: each table once, with how many of its rows. */
export function inWords(changes: readonly RowChange[]): string {
  const counts = new Map<string, number>()
  for (const { table, kind } of changes) counts.set(`${table} ${kind}`, (counts.get(`${table} ${kind}`) ?? 0) + 1)
  return [...counts].map(([what, n]) => `${n} ${what}`).join(', ')
}
