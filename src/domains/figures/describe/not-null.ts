import { sql } from 'kysely'
import type { QueryEntity } from '../dictionary/types.ts'
import type { QuerySnapshot } from '../query/snapshot.ts'

/** Cache of the non-null columns of each table. The schema does not change while a server runs. */
const known = new Map<string, ReadonlySet<string>>()

/** Reads the fields of an entity that are never null: non-null columns of its own table. */
export async function readNonNullFields({ db }: Pick<QuerySnapshot, 'db'>, { source, fields }: QueryEntity): Promise<ReadonlySet<string>> {
  if (source.startsWith('(')) return new Set(['id'])
  const columns = known.get(source) ?? (await readColumns(db, source))
  known.set(source, columns)
  return new Set(Object.entries(fields).flatMap(([name, field]) => (columns.has(field.sql('r').replace(/^r\./, '')) ? [name] : [])))
}

async function readColumns(db: QuerySnapshot['db'], table: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select a.attname as name from pg_attribute a where a.attrelid = ${table}::regclass and a.attnotnull and a.attnum > 0 and not a.attisdropped`.execute(
    db,
  )
  return new Set(rows.map(({ name }) => name))
}
