import type { ColumnType, Kysely } from 'kysely'
import type { SchemaTables } from '../../migrations/tables.d.ts'

/** All tables of the database, by their SQL names. */
export interface Tables extends SchemaTables {}

/** A connection pool, or the open transaction: domain functions work with either. */
export type Db = Kysely<Tables>

/**
 * TypeScript types of column values that the database schema does not define, such as the type of a JSON column, by `table.column`. Each
 * domain adds its own by declaration merging in its `tables.ts`; everything else in `migrations/tables.d.ts` is generated from the
 * schema.
 */
export interface ColumnTypes {
  'messages.headers': Record<string, string>
}

export type Json<T> = ColumnType<T, string, string>
export type JsonColumnWithDefault<T> = ColumnType<T, string | undefined, string>
export type NullableJsonColumn<T> = ColumnType<T | null, string | null | undefined, string | null>
export type NullableColumn<T> = ColumnType<T | null, T | null | undefined, T | null>
export type Timestamp = ColumnType<Date, Date | string, Date | string>
export type DefaultTimestamp = ColumnType<Date, Date | string | undefined, Date | string>
export type NullableTimestamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
/** The type of a column that the database computes: never inserted or updated. */
export type ComputedColumn<T> = ColumnType<T, never, never>
