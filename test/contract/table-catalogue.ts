import type { Pool } from '../../src/kernel/ports.ts'

interface Column {
  name: string
  required: boolean
}

interface Reference {
  name: string
  columns: string[]
  to: string
  toColumns: string[]
}

export interface Table {
  name: string
  columns: Column[]
  primary: string[]
  /** Every unique index of the table, including the primary key; expressions in an index are left out. */
  uniques: { name: string; columns: string[] }[]
  references: Reference[]
}

const namesOf = (table: string, numbers: string) =>
  `(select coalesce(json_agg(a.attname order by k.at), '[]') from unnest(${numbers}) with ordinality k(number, at)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = k.number)`

const keyOf = (index: string) => `(${index}.indkey::int2[])[0:${index}.indnkeyatts - 1]`

/** Reads the tables from PostgreSQL's own catalogue, so that the check does not depend on the migration files. */
const CATALOGUE = `
select c.relname as name,
  (select json_agg(json_build_object('name', a.attname, 'required', a.attnotnull) order by a.attnum)
   from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
  coalesce((select ${namesOf('c.oid', keyOf('i'))} from pg_index i where i.indrelid = c.oid and i.indisprimary), '[]') as primary,
  (select coalesce(json_agg(json_build_object('name', n.relname, 'columns', ${namesOf('c.oid', keyOf('i'))}) order by n.relname), '[]')
   from pg_index i join pg_class n on n.oid = i.indexrelid where i.indrelid = c.oid and i.indisunique) as uniques,
  (select coalesce(json_agg(json_build_object('name', f.conname, 'columns', ${namesOf('c.oid', 'f.conkey')},
     'to', f.confrelid::regclass::text, 'toColumns', ${namesOf('f.confrelid', 'f.confkey')}) order by f.conname), '[]')
   from pg_constraint f where f.conrelid = c.oid and f.contype = 'f') as references
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
order by c.relname`

export async function readCatalogue(pool: Pool): Promise<Table[]> {
  return (await pool.query<Table>(CATALOGUE)).rows
}

const has = (table: Table | undefined, column: string) => table?.columns.some(({ name }) => name === column) ?? false
const requires = (table: Table | undefined, column: string) =>
  table?.columns.some(({ name, required }) => name === column && required) ?? false

/** True when the foreign key forces both rows to share the value of the column. */
const bindsColumn = ({ columns, toColumns }: Reference, column: string) =>
  columns.some((name, i) => name === column && toColumns[i] === column)

/** A row cannot reference another tenant or event if every key and foreign key includes the tenant and the event. */
export function findTableProblems(tables: readonly Table[], global: ReadonlySet<string>): string[] {
  const byName = new Map(tables.map((table) => [table.name, table]))
  return tables.flatMap((table) => {
    const report = (wrong: boolean, fault: string) => (wrong ? [`${table.name}: ${fault}`] : [])
    const ofReferences = table.references.flatMap((reference) => {
      const to = byName.get(reference.to)
      return [
        ...report(
          has(table, 'tenant_id') && has(to, 'tenant_id') && !bindsColumn(reference, 'tenant_id'),
          `${reference.name} does not include the tenant`,
        ),
        ...report(
          has(table, 'event_id') && requires(to, 'event_id') && !bindsColumn(reference, 'event_id'),
          `${reference.name} does not include the event`,
        ),
      ]
    })
    if (global.has(table.name)) return ofReferences
    const pointing = ['event_id', 'client_id'].filter(
      (column) => has(table, column) && !table.references.some(({ columns }) => columns.includes(column)),
    )
    return [
      ...report(!requires(table, 'tenant_id'), 'has no tenant_id, or one that may be null'),
      ...report(table.primary[0] !== 'tenant_id', 'its primary key does not start with tenant_id'),
      ...table.uniques.flatMap(({ name, columns }) => report(!columns.includes('tenant_id'), `${name} is unique across tenants`)),
      ...pointing.map((column) => `${table.name}: ${column} has no foreign key`),
      ...ofReferences,
    ]
  })
}
