import { isDeepStrictEqual } from 'node:util'
import type { Kysely, Selectable, Updateable } from 'kysely'
import { type AuditDraft, recordChange } from './audit.ts'
import type { Db, Tables } from './columns.ts'
import { conflict, invalidArguments } from './errors.ts'
import { checkRevision } from './revisions.ts'

/**
 * One way to edit a record: only what is given changes, what changes nothing is not written, and a row that moved on since it was
 * read is refused. The database itself counts `revision` and stamps `updated_at`.
 */

type TableName = { [T in keyof Tables]: Selectable<Tables[T]> extends { id: string; revision: number } ? T : never }[keyof Tables]
type RowOf<T extends TableName> = Selectable<Tables[T]>
type Column<T extends TableName> = keyof Updateable<Tables[T]> & keyof RowOf<T> & string

/** Written as text and read as something else: kept as JSON. */
type IsJson<T extends TableName, C extends Column<T>> = [NonNullable<Updateable<Tables[T]>[C]>] extends [string]
  ? [NonNullable<RowOf<T>[C]>] extends [string]
    ? false
    : true
  : false
type PlainColumn<T extends TableName> = { [C in Column<T>]: IsJson<T, C> extends true ? never : C }[Column<T>]

/**
 * Where an argument is kept: in a column; in one that `clear` can empty; in one of JSON, replaced as a whole or merged key by key;
 * or, an object, in a column for each of its keys.
 */
type Field<T extends TableName> =
  | {
      [C in Column<T>]: IsJson<T, C> extends true
        ? { column: C; json: 'whole' | 'merged'; empty?: Loose<RowOf<T>[C]> }
        : C | { column: C; empty: Loose<RowOf<T>[C]> }
    }[Column<T>]
  | { columns: Record<string, PlainColumn<T>> }

type Fields<T extends TableName> = Record<string, Field<T>>

/** A record's editable fields, as its tools name them. */
export interface EditableRecord<T extends TableName, F extends Fields<T>> {
  table: T
  /** In the audit log. */
  kind: string
  /** In a refusal: `noun` and `name` together, such as "Client acme". */
  noun: string
  name: (row: RowOf<T>) => string
  /** The primary key. */
  key: readonly (keyof RowOf<T> & string)[]
  fields: F
}

export const editableRecord = <T extends TableName, const F extends Fields<T>>(record: EditableRecord<T, F>): EditableRecord<T, F> => record

type Loose<V> = V extends readonly (infer Item)[] ? readonly Item[] : V
type Merged<V> = { [K in keyof V]?: V[K] | null | undefined }

type ValueOf<T extends TableName, D> = D extends keyof RowOf<T>
  ? Loose<RowOf<T>[D]>
  : D extends { column: infer C extends keyof RowOf<T>; json: 'merged' }
    ? Merged<NonNullable<RowOf<T>[C]>>
    : D extends { column: infer C extends keyof RowOf<T> }
      ? Loose<RowOf<T>[C]>
      : D extends { columns: infer P extends Record<string, keyof RowOf<T>> }
        ? { [K in keyof P]?: RowOf<T>[P[K]] | undefined }
        : never

type Clearable<F> = { [N in keyof F]: F[N] extends { empty: unknown } ? N : never }[keyof F]

/** What an edit may ask for: some of the fields, names of fields to empty, and the revision it was made from. */
type Edit<T extends TableName, F> = { [N in keyof F]?: ValueOf<T, F[N]> | undefined } & {
  clear?: readonly Clearable<F>[] | undefined
  ifRevision?: number | undefined
}
export type EditOf<R extends { table: TableName; fields: object }> = Edit<R['table'], R['fields']>

type AnyRow = { id: string; revision: number } & Record<string, unknown>

/** What an edit comes to, before it is written. */
export interface PlannedEdit<R, Row> {
  record: R
  before: Row
  columns: Record<string, unknown>
  /** Names of the fields that would hold something else than they do. */
  changed: readonly string[]
}

/** Operators change what belongs to no tenant, and tell of it in notes: for them there is no audit log. */
export interface EditContext {
  db: Db
  audit?: AuditDraft
}

/** Nobody else changes the row until the transaction ends. */
export async function lockRecord<T extends TableName, F extends Fields<T>>(
  { db }: EditContext,
  { table }: EditableRecord<T, F>,
  where: Partial<RowOf<T>>,
): Promise<RowOf<T> | null> {
  let rows = anyTable(db)
    .selectFrom(table as string)
    .selectAll()
  for (const [column, value] of Object.entries(where)) rows = rows.where(column, value === null ? 'is' : '=', value)
  return ((await rows.forNoKeyUpdate().executeTakeFirst()) as RowOf<T> | undefined) ?? null
}

/** Refuses an edit that was made from an older state than the row has. Asked first where an edit has more to check: who is late learns that before anything else. */
export function refuseStale<T extends TableName, F extends Fields<T>>(
  { noun, name }: EditableRecord<T, F>,
  row: RowOf<T>,
  ifRevision: number | undefined,
): void {
  checkRevision({ kind: noun, name: name(row), revision: (row as { revision: number }).revision }, ifRevision)
}

/** Which fields an edit would change. */
export function planEdit<T extends TableName, F extends Fields<T>>(
  record: EditableRecord<T, F>,
  before: RowOf<T>,
  edit: Edit<T, F>,
): PlannedEdit<EditableRecord<T, F>, RowOf<T>> {
  const row: AnyRow = before as never
  const given = edit as Record<string, unknown> & { clear?: readonly string[]; ifRevision?: number }
  refuseStale(record, before, given.ifRevision)
  const columns: Record<string, unknown> = {}
  const changed: string[] = []
  for (const [name, declared] of Object.entries(record.fields)) {
    const field = stored(declared)
    const differing = Object.entries(wantedOf(name, field, row, given)).filter(([column, value]) => !isDeepStrictEqual(value, row[column]))
    for (const [column, value] of differing) columns[column] = field.json && value !== null ? JSON.stringify(value) : value
    if (differing.length > 0) changed.push(name)
  }
  return { record, before, columns, changed }
}

/**
 * Writes a planned edit and the columns that go with it, and notes every field that differs afterwards. The update holds only for
 * the row as it was read: of two that were planned from one state the second is refused, and loses nothing in silence.
 */
export async function keepEdit<T extends TableName, F extends Fields<T>>(
  ctx: EditContext,
  { record, before, columns }: PlannedEdit<EditableRecord<T, F>, RowOf<T>>,
  along: Updateable<Tables[T]> | Record<string, never> = {},
): Promise<{ row: RowOf<T>; changed: string[] }> {
  const set = { ...columns, ...along }
  if (Object.keys(set).length === 0) return { row: before, changed: [] }
  const was: AnyRow = before as never
  let update = anyTable(ctx.db)
    .updateTable(record.table as string)
    .set(set)
    .where('revision', '=', was.revision)
  for (const column of record.key as readonly string[]) update = update.where(column, '=', was[column])
  const row = (await update.returningAll().executeTakeFirst()) as RowOf<T> | undefined
  if (!row) throw movedOn(`${record.noun} ${record.name(before)}`)
  const [old, now] = [fieldsOf(record, before), fieldsOf(record, row)]
  const changed = Object.keys(now).filter((name) => !isDeepStrictEqual(old[name], now[name]))
  if (ctx.audit) recordChange({ audit: ctx.audit }, { kind: record.kind, id: was.id, before: old, after: now })
  return { row, changed }
}

/** The whole edit of a record that nothing else depends on. What goes `along` is written only with a real change. */
export async function editRecord<T extends TableName, F extends Fields<T>>(
  ctx: EditContext,
  record: EditableRecord<T, F>,
  before: RowOf<T>,
  edit: Edit<T, F>,
  along: Updateable<Tables[T]> | Record<string, never> = {},
): Promise<{ row: RowOf<T>; changed: string[] }> {
  const planned = planEdit(record, before, edit)
  return keepEdit(ctx, planned, planned.changed.length > 0 ? along : {})
}

/** The editable fields of a row, under the names that callers and the audit log know. */
export function fieldsOf<T extends TableName, F extends Fields<T>>(
  { fields }: EditableRecord<T, F>,
  row: RowOf<T>,
): Record<keyof F & string, unknown> {
  const columns = row as Record<string, unknown>
  const told = Object.entries(fields).map(([name, declared]) => {
    const { column, parts } = stored(declared)
    return [name, parts ? Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, columns[part]])) : columns[column]]
  })
  return Object.fromEntries(told) as Record<keyof F & string, unknown>
}

interface Stored {
  column: string
  json?: 'whole' | 'merged'
  empty?: unknown
  /** Columns of the keys of an object. */
  parts?: Record<string, string>
}

const stored = (declared: unknown): Stored => {
  if (typeof declared === 'string') return { column: declared }
  const { columns: parts, ...field } = declared as Stored & { columns?: Record<string, string> }
  return parts ? { column: '', parts } : field
}

/** The columns that the edit speaks of, with what they are to hold. */
function wantedOf(name: string, field: Stored, row: AnyRow, given: Record<string, unknown> & { clear?: readonly string[] }) {
  const value = given[name]
  const emptied = given.clear?.includes(name) ?? false
  if (field.parts) return ofParts(field.parts, value)
  if (field.json === 'merged') {
    // Emptied and given at once: the keys given are all it then has.
    const base = emptied ? field.empty : row[field.column]
    return value === undefined && !emptied ? {} : { [field.column]: merged(base, value) }
  }
  if (emptied && value !== undefined)
    throw invalidArguments([{ path: name, message: 'is given and named in clear: leave one of the two out' }])
  if (emptied) return { [field.column]: field.empty }
  return value === undefined ? {} : { [field.column]: field.json ? asKept(value) : value }
}

const ofParts = (parts: Record<string, string>, value: unknown) =>
  Object.fromEntries(
    Object.entries((value ?? {}) as Record<string, unknown>).flatMap(([key, part]) => (part === undefined ? [] : [[parts[key]!, part]])),
  )

/** A key that is not given keeps its value, and null takes it away. */
const merged = (base: unknown, given: unknown) => {
  const all = { ...(base as object | null), ...(asKept(given ?? {}) as object) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}

/** As it comes back from the database, where nothing is undefined. */
const asKept = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

export const movedOn = (which: string) =>
  conflict(`${which} was changed by somebody else at the same moment: read it again and repeat the edit on what it says now`, {
    reason: 'movedOn',
  })

/** Which table it is, only the declaration knows, and its types were checked there. */
const anyTable = (db: Db) => db as unknown as Kysely<Record<string, Record<string, unknown>>>
