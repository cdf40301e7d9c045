import type { z } from 'zod'
import type { Db } from '../../kernel/columns.ts'
import { maybe, type Schema, toSchema } from './schemas.ts'

/** One property of a record: its schema and the SQL that produces it. */
export interface EntityField {
  name: string
  schema: Schema
  /** Expression over `r` (the record's row), `e` (event), `c` (client) and `t` (tenant). For records of a client, `e` has no code. */
  sql: string
}

/** A filter of a list. */
export interface EntityFilter {
  name: string
  schema: Schema
  /** Condition on `x`, the record's row; `place` is the parameter. */
  where: (place: string) => string
}

/** One kind of record of the REST API. Lists, single records, the OpenAPI document and webhook payloads are all derived from it. */
export interface Entity {
  /** In URLs: `participants`. */
  path: string
  /** In webhooks and deletions: `participant`. */
  name: string
  about: string
  table: string
  /** Where the rows belong: an event, the event itself, a client, or either. */
  at: 'event' | 'itself' | 'client' | 'either'
  hasTestData: boolean
  /** Condition on `x` that hides rows which are not records of the API. */
  shown?: string
  /** Additional joins besides `r`. */
  beside?: string
  /** Expression over a row whose value changes the ETag but not the record. Default: the event's live version. */
  version?: (row: string) => string
  /** List-only, without the common properties: used for deletions. */
  bare?: true
  /** Properties besides the common ones. */
  fields: readonly EntityField[]
  filters: readonly EntityFilter[]
  /** Properties that SQL alone cannot produce, as JSON text appended to the object. */
  completed?: {
    fields: readonly Pick<EntityField, 'name' | 'schema'>[]
    complete: CompleteRows
    /** Estimated bytes over `r`, to limit a page before these properties are produced. */
    bytes: string
  }
}

export interface EventOfRows {
  id: string
  code: string
}

/** Maps row ids of one event to their additional properties. A row that is not in the map is left out. */
export type CompleteRows = (
  db: Db,
  at: { tenantId: number; event: EventOfRows; isTestData: boolean },
  ids: readonly string[],
) => Promise<ReadonlyMap<string, Record<string, unknown>>>

const columnOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A property stored in the column of the same name. */
export const column = (name: string, schema: Schema): EntityField => ({ name, schema, sql: `r.${columnOf(name)}` })

export const instantColumn = (name: string, schema: Schema): EntityField => ({ name, schema, sql: `instant_shown(r.${columnOf(name)})` })

export const equals = (name: string, schema: Schema): EntityFilter => ({ name, schema, where: (place) => `x.${columnOf(name)} = ${place}` })

interface DeclaredRecord {
  fields: Readonly<Record<string, unknown>>
}

type DeclaredField = { column: string; type: z.ZodType; empty?: unknown; meaning?: string }

/** A field that can be cleared to null is nullable. */
const schemaOf = ({ type, empty }: DeclaredField): Schema => (empty === null ? maybe(toSchema(type)) : toSchema(type))

/** Fields of a record's declaration, each with the schema of its type. */
export const recordFields = ({ fields }: DeclaredRecord, names: readonly string[]): EntityField[] =>
  names.map((name) => {
    const field = fields[name] as DeclaredField
    return { name, schema: schemaOf(field), sql: `r.${field.column}` }
  })

/** Schemas of a record's fields by name, described by their meanings. */
export const recordSchemas = ({ fields }: DeclaredRecord, names: readonly string[]): Record<string, Schema> =>
  Object.fromEntries(
    names.map((name) => {
      const field = fields[name] as DeclaredField
      return [name, { ...schemaOf(field), ...(field.meaning ? { description: field.meaning } : {}) }]
    }),
  )
