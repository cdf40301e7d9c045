import type { z } from 'zod'
import type { Db } from '../../kernel/columns.ts'
import { nullableSchema, type Schema, toJsonSchema } from './schemas.ts'

/** One property of a record: its schema and the SQL that produces it. */
export interface RestEntityField {
  name: string
  schema: Schema
  /**
   * SQL expression over the table aliases `r` (the record's row), `e` (event), `c` (client) and `t` (tenant). For records of a client,
   * `e` has no code.
   */
  sql: string
}

/** A query parameter that filters a list. */
export interface EntityFilter {
  name: string
  schema: Schema
  /** SQL condition on the record's row, whose alias is `x`; `place` is the placeholder of the filter value, such as `$10`. */
  where: (place: string) => string
  /** Converts the value of the query parameter to the form in which it is stored. */
  toStored?: (value: string) => string
}

/** One kind of record of the REST API. Lists, single records, the OpenAPI document and webhook payloads are all derived from it. */
export interface RestEntity {
  /** The record type in URLs, such as `participants`. */
  path: string
  /** The record type in webhooks and deletions, such as `participant`. */
  name: string
  about: string
  table: string
  /** Where the records belong: to an event, to a client, or to either of them; `itself` if the record is the event. */
  at: 'event' | 'itself' | 'client' | 'either'
  hasTestData: boolean
  /** SQL condition on the record's row (alias `x`) that hides rows which are not records of the API. */
  shown?: string
  /** SQL joins in addition to the record's own table, whose alias is `r`. */
  beside?: string
  /** SQL expression for a value that changes the ETag but is not in the record. Default: the event's published configuration version. */
  version?: (row: string) => string
  /** True for records that can only be listed and lack the common properties: used for deletions. */
  bare?: true
  /** Properties of the record besides those that all records have. */
  fields: readonly RestEntityField[]
  filters: readonly EntityFilter[]
  /** Properties that SQL alone cannot produce. They are appended to the JSON text of the record. */
  completed?: {
    fields: readonly Pick<RestEntityField, 'name' | 'schema'>[]
    complete: AdditionalPropertiesReader
    /**
     * SQL expression over `r` (the record's row) that estimates the bytes of these properties, to limit a page before they are produced.
     */
    bytes: string
  }
}

export interface EventReference {
  id: string
  code: string
}

/** Reads the additional properties of records of one event, by record id. Records without an entry are left out of responses. */
export type AdditionalPropertiesReader = (
  db: Db,
  at: { tenantId: number; event: EventReference; isTestData: boolean },
  ids: readonly string[],
) => Promise<ReadonlyMap<string, Record<string, unknown>>>

const columnOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A property stored in the column of the same name. */
export const buildColumnProperty = (name: string, schema: Schema): RestEntityField => ({ name, schema, sql: `r.${columnOf(name)}` })

export const buildInstantProperty = (name: string, schema: Schema): RestEntityField => ({
  name,
  schema,
  sql: `instant_shown(r.${columnOf(name)})`,
})

export const buildEqualsFilter = (name: string, schema: Schema): EntityFilter => ({
  name,
  schema,
  where: (place) => `x.${columnOf(name)} = ${place}`,
})

interface DeclaredRecord {
  fields: Readonly<Record<string, unknown>>
}

type DeclaredField = { column: string; type: z.ZodType; empty?: unknown; meaning?: string }

/** Returns the schema of a declared field. A field that can be cleared to null is nullable. */
const schemaOf = ({ type, empty }: DeclaredField): Schema => (empty === null ? nullableSchema(toJsonSchema(type)) : toJsonSchema(type))

/** Converts declared fields of a record to REST properties, each with the schema of its type. */
export const buildRecordProperties = ({ fields }: DeclaredRecord, names: readonly string[]): RestEntityField[] =>
  names.map((name) => {
    const field = fields[name] as DeclaredField
    return { name, schema: schemaOf(field), sql: `r.${field.column}` }
  })

/** Returns the schemas of a record's declared fields by name, with their meanings as descriptions. */
export const buildFieldSchemas = ({ fields }: DeclaredRecord, names: readonly string[]): Record<string, Schema> =>
  Object.fromEntries(
    names.map((name) => {
      const field = fields[name] as DeclaredField
      return [name, { ...schemaOf(field), ...(field.meaning ? { description: field.meaning } : {}) }]
    }),
  )
