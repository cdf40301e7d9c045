import { isDeepStrictEqual } from 'node:util'
import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { z } from 'zod'
import { announceToWebhooks, type WebhookAnnouncementKind, type WebhookAnnouncementScope } from './announce.ts'
import { type PendingAuditEntry, recordChange } from './audit.ts'
import type { Db, Tables } from './columns.ts'
import { conflict, invalidArguments } from './errors.ts'
import { checkRevision } from './revisions.ts'
import { checkStateChange } from './states.ts'

/**
 * A record is declared once: its table, its name in audit log and errors, and its fields with column, type and meaning. The arguments and
 * results of tools (`record-shapes.ts`), the REST entity, edits, audit entries and webhook announcements derive from that declaration.
 * The database itself counts `revision` and sets `updated_at`, and leaves both alone if an update changes no column.
 */

export type RecordTable = { [T in keyof Tables]: Selectable<Tables[T]> extends { id: string; revision: number } ? T : never }[keyof Tables]
export type RecordRow<T extends RecordTable> = Selectable<Tables[T]>
type Column<T extends RecordTable> = keyof Updateable<Tables[T]> & keyof RecordRow<T> & string

/** True for a JSON column, which is written as text but read as a value of another type. */
type IsJson<T extends RecordTable, C extends Column<T>> = [NonNullable<Updateable<Tables[T]>[C]>] extends [string]
  ? [NonNullable<RecordRow<T>[C]>] extends [string]
    ? false
    : true
  : false
type PlainColumn<T extends RecordTable> = { [C in Column<T>]: IsJson<T, C> extends true ? never : C }[Column<T>]

/** The properties of a field that arguments and results of tools need. Records that only the console edits omit them. */
interface FieldShape {
  type?: z.ZodType
  /** One sentence about the field, for the documentation. */
  meaning?: string
  /** The field is shown in results, but never edited. */
  readOnly?: true
}

/**
 * The column of a field. `empty` is the value that `clear` writes. A JSON column is replaced as a whole, or merged key by key. An object
 * may be stored in one column per key.
 */
export type RecordField<T extends RecordTable> =
  | {
      [C in Column<T>]: IsJson<T, C> extends true
        ? { column: C; json: 'whole' | 'merged'; empty?: ReadonlyArrays<RecordRow<T>[C]> } & FieldShape
        : C | ({ column: C; empty?: ReadonlyArrays<RecordRow<T>[C]> } & FieldShape)
    }[Column<T>]
  | ({ columns: Record<string, PlainColumn<T>> } & FieldShape)

export type RecordFieldDefinitions<T extends RecordTable> = Record<string, RecordField<T>>

export interface RecordDefinition<T extends RecordTable, F extends RecordFieldDefinitions<T>> {
  table: T
  /** The kind of record in the audit log. */
  kind: string
  /** The kind of record as error messages write it before the record's name, as in "Client acme". */
  noun: string
  name: (row: RecordRow<T>) => string
  primaryKey: readonly (keyof RecordRow<T> & string)[]
  /** The kinds of announcement to webhook subscribers when a record is created or edited. */
  announced?: { created?: WebhookAnnouncementKind; updated?: WebhookAnnouncementKind }
  /** The states of the record's status column. An edit that changes the status is checked against them. */
  states?: Parameters<typeof checkStateChange>[0]
  fields: F
}

export const defineRecord = <T extends RecordTable, const F extends RecordFieldDefinitions<T>>(
  record: RecordDefinition<T, F>,
): RecordDefinition<T, F> => record

type ReadonlyArrays<V> = V extends readonly (infer Item)[] ? readonly Item[] : V
type Merged<V> = { [K in keyof V]?: V[K] | null | undefined }

type ValueOf<T extends RecordTable, D> = D extends keyof RecordRow<T>
  ? ReadonlyArrays<RecordRow<T>[D]>
  : D extends { column: infer C extends keyof RecordRow<T>; json: 'merged' }
    ? Merged<NonNullable<RecordRow<T>[C]>>
    : D extends { column: infer C extends keyof RecordRow<T> }
      ? ReadonlyArrays<RecordRow<T>[C]>
      : D extends { columns: infer P extends Record<string, keyof RecordRow<T>> }
        ? { [K in keyof P]?: RecordRow<T>[P[K]] | undefined }
        : never

type Clearable<F> = { [N in keyof F]: F[N] extends { empty: unknown } ? N : never }[keyof F]

type ReadOnlyField<F> = { [N in keyof F]: F[N] extends { readOnly: true } ? N : never }[keyof F]

/** An edit of a record: the fields to change, the names of fields to clear, and the revision that the caller has read. */
type Edit<T extends RecordTable, F> = { [N in Exclude<keyof F, ReadOnlyField<F>>]?: ValueOf<T, F[N]> | undefined } & {
  clear?: readonly Clearable<F>[] | undefined
  ifRevision?: number | undefined
}
export type RecordEdit<R extends { table: RecordTable; fields: object }> = Edit<R['table'], R['fields']>

type AnyRow = { id: string; revision: number } & Record<string, unknown>

export interface PlannedRecordEdit<R, Row> {
  record: R
  before: Row
  columns: Record<string, unknown>
  /** Names of the fields whose value the edit changes. */
  changed: readonly string[]
}

/** The fields of `Context` that an edit needs. Edits by operators have no audit log, because their records belong to no tenant. */
export interface RecordEditContext {
  db: Db
  audit?: PendingAuditEntry
}

/** Locks a record's row against changes by other transactions. */
export async function lockRecord<T extends RecordTable, F extends RecordFieldDefinitions<T>>(
  { db }: RecordEditContext,
  { table }: RecordDefinition<T, F>,
  where: Partial<RecordRow<T>>,
): Promise<RecordRow<T> | null> {
  let rows = untypedDb(db)
    .selectFrom(table as string)
    .selectAll()
  for (const [column, value] of Object.entries(where)) rows = rows.where(column, value === null ? 'is' : '=', value)
  return ((await rows.forNoKeyUpdate().executeTakeFirst()) as RecordRow<T> | undefined) ?? null
}

/**
 * Refuses an edit based on an outdated revision. Edits with further checks call this function first, so that its error comes before all
 * others.
 */
export function rejectStaleEdit<T extends RecordTable, F extends RecordFieldDefinitions<T>>(
  { noun, name }: RecordDefinition<T, F>,
  row: RecordRow<T>,
  ifRevision: number | undefined,
): void {
  checkRevision({ kind: noun, name: name(row), revision: (row as { revision: number }).revision }, ifRevision)
}

/** Compares an edit with the record's current row and returns the columns to change. Nothing is written yet. */
export function planEdit<T extends RecordTable, F extends RecordFieldDefinitions<T>>(
  record: RecordDefinition<T, F>,
  before: RecordRow<T>,
  edit: Edit<T, F>,
): PlannedRecordEdit<RecordDefinition<T, F>, RecordRow<T>> {
  const row: AnyRow = before as never
  const given = edit as Record<string, unknown> & { clear?: readonly string[]; ifRevision?: number }
  rejectStaleEdit(record, before, given.ifRevision)
  const columns: Record<string, unknown> = {}
  const changed: string[] = []
  for (const [name, declared] of Object.entries(record.fields)) {
    const field = toStoredField(declared)
    if (field.readOnly) continue
    const differing = Object.entries(requestedColumns(name, field, row, given)).filter(
      ([column, value]) => !isDeepStrictEqual(value, row[column]),
    )
    for (const [column, value] of differing) columns[column] = field.json && value !== null ? JSON.stringify(value) : value
    if (differing.length > 0) changed.push(name)
  }
  return { record, before, columns, changed }
}

/**
 * Writes a planned edit together with further columns, and records every changed field in the audit log. The update applies only to the
 * revision that was planned from, so that of two concurrent edits the second fails instead of overwriting the first.
 */
export async function saveEdit<T extends RecordTable, F extends RecordFieldDefinitions<T>>(
  ctx: RecordEditContext,
  { record, before, columns }: PlannedRecordEdit<RecordDefinition<T, F>, RecordRow<T>>,
  along: Updateable<Tables[T]> | Record<string, never> = {},
): Promise<{ row: RecordRow<T>; changed: string[] }> {
  const set = { ...columns, ...along }
  if (Object.keys(set).length === 0) return { row: before, changed: [] }
  const was: AnyRow = before as never
  if (record.states) checkStateChange(record.states, was, set)
  let update = untypedDb(ctx.db)
    .updateTable(record.table as string)
    .set(set)
    .where('revision', '=', was.revision)
  for (const column of record.primaryKey as readonly string[]) update = update.where(column, '=', was[column])
  const row = (await update.returningAll().executeTakeFirst()) as RecordRow<T> | undefined
  if (!row) throw createConcurrentChangeError(`${record.noun} ${record.name(before)}`)
  const [old, now] = [toRecordFieldValues(record, before), toRecordFieldValues(record, row)]
  const changed = Object.keys(now).filter((name) => !isDeepStrictEqual(old[name], now[name]))
  if (ctx.audit) recordChange({ audit: ctx.audit }, { kind: record.kind, id: was.id, before: old, after: now })
  if (changed.length > 0) announceRecord(ctx, record, record.announced?.updated, row, changed)
  return { row, changed }
}

/** Plans and saves an edit of a record. The columns in `along` are written only if the edit changes a field. */
export async function editRecord<T extends RecordTable, F extends RecordFieldDefinitions<T>>(
  ctx: RecordEditContext,
  record: RecordDefinition<T, F>,
  before: RecordRow<T>,
  edit: Edit<T, F>,
  along: Updateable<Tables[T]> | Record<string, never> = {},
): Promise<{ row: RecordRow<T>; changed: string[] }> {
  const planned = planEdit(record, before, edit)
  return saveEdit(ctx, planned, planned.changed.length > 0 ? along : {})
}

/** The declared fields of a row by name, as results and the audit log show them. */
export function toRecordFieldValues<T extends RecordTable, F extends RecordFieldDefinitions<T>>(
  { fields }: RecordDefinition<T, F>,
  row: RecordRow<T>,
): Record<keyof F & string, unknown> {
  const columns = row as Record<string, unknown>
  const entries = Object.entries(fields).map(([name, declared]) => {
    const { column, parts } = toStoredField(declared)
    return [name, parts ? Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, columns[part]])) : columns[column]]
  })
  return Object.fromEntries(entries) as Record<keyof F & string, unknown>
}

/** Values for all editable fields of a new record. Fields that can be cleared are optional. */
export type NewRecord<R extends { table: RecordTable; fields: object }> = {
  [N in Exclude<keyof R['fields'], ReadOnlyField<R['fields']> | Clearable<R['fields']>>]: ValueOf<R['table'], R['fields'][N]>
} & { [N in Exclude<Clearable<R['fields']>, ReadOnlyField<R['fields']>>]?: ValueOf<R['table'], R['fields'][N]> | undefined }

/** Returns the columns of a new row. Omitted fields get the value that clearing them would write. */
export function toRecordColumns<T extends RecordTable, F extends RecordFieldDefinitions<T>>(
  { fields }: RecordDefinition<T, F>,
  values: Partial<NewRecord<{ table: T; fields: F }>>,
): Partial<Insertable<Tables[T]>> {
  const given = values as Record<string, unknown>
  const entries = Object.entries(fields).flatMap(([name, declared]): [string, unknown][] => {
    const field = toStoredField(declared)
    if (field.parts) return Object.entries(partColumns(field.parts, given[name]))
    const value = given[name] ?? field.empty
    if (field.json === 'merged' && value) return [[field.column, JSON.stringify(mergeKeys(field.empty, value))]]
    return value === undefined ? [] : [[field.column, field.json && value !== null ? JSON.stringify(value) : value]]
  })
  return Object.fromEntries(entries) as Partial<Insertable<Tables[T]>>
}

/** Records a new record in the audit log and announces it to webhook subscribers. `more` are audited values that are not columns. */
export function auditNewRecord<T extends RecordTable, F extends RecordFieldDefinitions<T>>(
  ctx: RecordEditContext,
  record: RecordDefinition<T, F>,
  row: RecordRow<T>,
  more: Record<string, unknown> = {},
): void {
  if (ctx.audit)
    recordChange(
      { audit: ctx.audit },
      { kind: record.kind, id: (row as AnyRow).id, after: { ...toRecordFieldValues(record, row), ...more } },
    )
  announceRecord(ctx, record, record.announced?.created, row, [])
}

function announceRecord<T extends RecordTable, F extends RecordFieldDefinitions<T>>(
  ctx: RecordEditContext,
  { kind: entity }: RecordDefinition<T, F>,
  kind: WebhookAnnouncementKind | undefined,
  row: RecordRow<T>,
  changed: readonly string[],
): void {
  if (!kind) return
  const { id, is_test_data: isTestData = false } = row as AnyRow & { is_test_data?: boolean }
  announceToWebhooks(ctx as RecordEditContext & WebhookAnnouncementScope, { kind, entity, id, changed, isTestData })
}

interface StoredField {
  column: string
  readOnly?: true
  json?: 'whole' | 'merged'
  empty?: unknown
  /** The column of each key, for a field that is an object stored in several columns. */
  parts?: Record<string, string>
}

const toStoredField = (declared: unknown): StoredField => {
  if (typeof declared === 'string') return { column: declared }
  const { columns: parts, ...field } = declared as StoredField & { columns?: Record<string, string> }
  return parts ? { column: '', parts } : field
}

/** Returns the columns that the edit of one field writes, with their new values. */
function requestedColumns(name: string, field: StoredField, row: AnyRow, given: Record<string, unknown> & { clear?: readonly string[] }) {
  const value = given[name]
  const emptied = given.clear?.includes(name) ?? false
  if (field.parts) return partColumns(field.parts, value)
  if (field.json === 'merged') {
    // An edit that both clears and sets an object leaves only the keys that it sets.
    const base = emptied ? field.empty : row[field.column]
    return value === undefined && !emptied ? {} : { [field.column]: mergeKeys(base, value) }
  }
  if (emptied && value !== undefined)
    throw invalidArguments([{ path: name, message: 'is given and named in clear: leave one of the two out' }])
  if (emptied) return { [field.column]: field.empty }
  return value === undefined ? {} : { [field.column]: field.json ? asStored(value) : value }
}

const partColumns = (parts: Record<string, string>, value: unknown) =>
  Object.fromEntries(
    Object.entries((value ?? {}) as Record<string, unknown>).flatMap(([key, part]) => (part === undefined ? [] : [[parts[key]!, part]])),
  )

/** Merges an object into a stored one. Null removes a key; keys that are not given keep their value. */
const mergeKeys = (base: unknown, given: unknown) => {
  const all = { ...(base as object | null), ...(asStored(given ?? {}) as object) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}

/** Converts a JSON value to the form in which the database returns it, without undefined keys. */
const asStored = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

export const createConcurrentChangeError = (which: string) =>
  conflict(`${which} was changed concurrently. Read it again and repeat the edit.`, {
    reason: 'movedOn',
  })

/** Casts to a query builder without column types, because `defineRecord` has already checked the columns. */
const untypedDb = (db: Db) => db as unknown as Kysely<Record<string, Record<string, unknown>>>
