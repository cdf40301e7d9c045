import type { PooledConnection } from '../../kernel/ports.ts'
import type { BackupSection } from './archive.ts'

export interface BackupTable {
  /** The table's name, quoted for SQL. */
  name: string
  /** The table's columns without generated ones, which the database computes. */
  columns: { name: string; type: string }[]
}

/** The table of applied migrations. The migrations fill it, so it is not part of the backup. */
const MIGRATIONS_TABLE = 'lanyard_migrations'

export async function listBackupTables(connection: PooledConnection): Promise<BackupTable[]> {
  const { rows } = await connection.query<BackupTable>(
    `select quote_ident(c.relname) as name,
       json_agg(json_build_object('name', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> '${MIGRATIONS_TABLE}'
     group by c.relname order by c.relname`,
  )
  return rows
}

/** The approximate size in bytes of one batch of table rows. */
const BATCH_BYTES = 1024 * 1024
const MAX_BATCH_ROWS = 1000

/**
 * Reads a table as lines for the backup, each a JSON array with the columns of a row as PostgreSQL's own text. No value passes through a
 * JavaScript type, so nothing is lost.
 */
export function createTableSection(
  connection: PooledConnection,
  { name, columns }: BackupTable,
  count: (rows: number) => void,
): BackupSection {
  async function* content(): AsyncGenerator<Buffer> {
    const texts = columns.map((column) => `${column.name}::text`)
    await connection.query(`declare lines no scroll cursor for select to_json(array[${texts.join(', ')}])::text as line from ${name}`)
    for (let batch = 50; ;) {
      const { rows } = await connection.query<{ line: string }>(`fetch ${batch} from lines`)
      if (rows.length === 0) break
      count(rows.length)
      const piece = Buffer.from(rows.map(({ line }) => line).join('\n'))
      yield piece
      batch = Math.max(1, Math.min(MAX_BATCH_ROWS, Math.floor((rows.length * BATCH_BYTES) / piece.length)))
    }
    await connection.query('close lines')
  }
  return { name: toTableSectionName({ name, columns }), content: content() }
}

/** The name of a table's section in the backup. It includes the column names, so that lines are never loaded into other columns. */
export const toTableSectionName = ({ name, columns }: BackupTable) => `table ${name} (${columns.map((column) => column.name).join(', ')})`

/** Inserts the rows of a table. Each chunk of `content` is a batch, inserted by one statement. */
export async function restoreTableRows(
  connection: PooledConnection,
  { name, columns }: BackupTable,
  content: AsyncIterable<Buffer>,
): Promise<number> {
  const values = columns.map(({ type }, index) => `(line ->> ${index})::${type}`)
  const names = columns.map((column) => column.name)
  let loaded = 0
  for await (const piece of content) {
    const { rowCount } = await connection.query(
      `insert into ${name} (${names.join(', ')}) overriding system value select ${values.join(', ')} from json_array_elements($1::json) line`,
      [`[${piece.toString().replaceAll('\n', ',')}]`],
    )
    loaded += rowCount ?? 0
  }
  return loaded
}

export interface Sequence {
  name: string
  last: string
  called: boolean
}

/**
 * Reads the next values of all sequences. They are read after the tables, so that no number is issued twice. Numbers drawn in between are
 * skipped.
 */
export async function readSequences(connection: PooledConnection): Promise<Sequence[]> {
  const { rows } = await connection.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'S' order by relname`,
  )
  const sequences: Sequence[] = []
  for (const { name } of rows) {
    const { rows: state } = await connection.query<Omit<Sequence, 'name'>>(
      `select last_value::text as last, is_called as called from ${name}`,
    )
    sequences.push({ name, ...state[0]! })
  }
  return sequences
}

export async function restoreSequences(connection: PooledConnection, sequences: readonly Sequence[]): Promise<void> {
  for (const { name, last, called } of sequences)
    await connection.query('select setval($1::regclass, $2::text::bigint, $3)', [name, last, called])
}

interface Reference {
  table: string
  name: string
  definition: string
}

/**
 * Runs a function with foreign keys and triggers disabled: rows arrive in any order, so references are checked when all rows are loaded,
 * and values that triggers would derive are part of the backup. Requires only the rights of the tables' owner.
 */
export async function runWithoutTriggersOrForeignKeys<T>(
  connection: PooledConnection,
  tables: readonly BackupTable[],
  run: () => Promise<T>,
): Promise<T> {
  const { rows: references } = await connection.query<Reference>(
    `select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`,
  )
  const all = (statements: readonly string[]) => connection.query(statements.join(';\n'))
  await all(references.map(({ table, name }) => `alter table ${table} drop constraint ${name}`))
  await all(tables.map(({ name }) => `alter table ${name} disable trigger user`))
  const result = await run()
  await all(tables.map(({ name }) => `alter table ${name} enable trigger user`))
  await all(references.map(({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`))
  return result
}
