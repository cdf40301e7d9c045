import type { Pool } from '../../src/kernel/ports.ts'

export interface RowChange {
  table: string
  kind: 'added' | 'changed' | 'removed'
  /** The primary key of the changed row, as JSON. */
  key: string
}

/** Tables for rate limit counters: every call updates them, even a call that changes nothing. */
const COUNTER_TABLES = ['rate_windows']

/**
 * Triggers note every written row in the same transaction, so that a rollback leaves no note, and the cost depends on the rows written
 * and not on the size of the database. Last-used times are ignored, because reading updates them too.
 */
const NOTE_TRIGGERS_SQL = `
create schema contract;
create unlogged table contract.notes (at bigint generated always as identity, of text, key text, before text, after text);
create function contract.note() returns trigger language plpgsql as $$
declare
  before jsonb := case when TG_OP in ('UPDATE', 'DELETE') then to_jsonb(old) - 'last_used_at' end;
  after jsonb := case when TG_OP in ('UPDATE', 'INSERT') then to_jsonb(new) - 'last_used_at' end;
  names text[] := TG_ARGV[1]::text[];
begin
  if before is not distinct from after then return null; end if;
  if before is not null then
    insert into contract.notes (of, key, before) select TG_ARGV[0], jsonb_agg(before -> name order by at)::text, before::text
    from unnest(names) with ordinality n(name, at);
  end if;
  if after is not null then
    insert into contract.notes (of, key, after) select TG_ARGV[0], jsonb_agg(after -> name order by at)::text, after::text
    from unnest(names) with ordinality n(name, at);
  end if;
  return null;
end $$;
create function contract.note_all() returns trigger language plpgsql as $$
begin
  insert into contract.notes (of, key, before) values (TG_ARGV[0], '["all of it"]', 'all of it');
  return null;
end $$`

const TABLES = `
select c.relname as name, array_agg(a.attname::text order by a.attnum)::text as columns
from pg_class c
left join pg_index i on i.indrelid = c.oid and i.indisprimary
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and (i.indkey is null or a.attnum = any(i.indkey))
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and not (c.relname = any($1))
group by c.relname order by c.relname`

const installed = new WeakMap<Pool, Promise<void>>()

async function keepNotes(pool: Pool): Promise<void> {
  await pool.query(NOTE_TRIGGERS_SQL)
  const { rows } = await pool.query<{ name: string; columns: string }>(TABLES, [COUNTER_TABLES])
  const triggers = rows.map(
    ({ name, columns }) => `
create trigger contract_note after insert or update or delete on ${name} for each row execute function contract.note('${name}', '${columns}');
create trigger contract_note_all after truncate on ${name} execute function contract.note_all('${name}')`,
  )
  await pool.query(triggers.join(';'))
}

interface Note {
  of: string
  key: string
  before: string | null
  after: string | null
}

async function takeNotes(pool: Pool): Promise<Note[]> {
  if (!installed.has(pool)) installed.set(pool, keepNotes(pool))
  await installed.get(pool)
  const { rows } = await pool.query<Note & { at: string }>('delete from contract.notes returning at, of, key, before, after')
  return rows.toSorted((a, b) => Number(a.at) - Number(b.at))
}

/** Several writes of one row count as one change; a row with its original content does not count. */
function changesIn(notes: readonly Note[]): RowChange[] {
  const rows = new Map<string, { table: string; key: string; before: string | null; after: string | null }>()
  for (const { of: table, key, before, after } of notes) {
    const row = rows.get(`${table} ${key}`)
    if (row) row.after = after
    else rows.set(`${table} ${key}`, { table, key, before, after })
  }
  const inOrder = [...rows.values()].toSorted((a, b) => a.table.localeCompare(b.table))
  return inOrder.flatMap(({ table, key, before, after }): RowChange[] => {
    if (before === after) return []
    return [{ table, key, kind: before === null ? 'added' : after === null ? 'removed' : 'changed' }]
  })
}

export async function recordRowChanges<T>(pool: Pool, run: () => Promise<T>): Promise<{ answer: T; changes: RowChange[] }> {
  await takeNotes(pool)
  const answer = await run()
  return { answer, changes: changesIn(await takeNotes(pool)) }
}

/** Formats the number of changed rows per table, for error messages. */
export function describeChanges(changes: readonly RowChange[]): string {
  const counts = new Map<string, number>()
  for (const { table, kind } of changes) counts.set(`${table} ${kind}`, (counts.get(`${table} ${kind}`) ?? 0) + 1)
  return [...counts].map(([what, n]) => `${n} ${what}`).join(', ')
}
