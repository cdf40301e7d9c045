import type { Db } from '../../kernel/columns.ts'
import type { Schema } from './schemas.ts'

/** One property of a record as programs read it: what it may be, and how the database makes it. */
export interface Field {
  name: string
  schema: Schema
  /** Over `r`, the record's row; `e`, `c` and `t` are its event, client and tenant. Of what is at a client, `e` has no code. */
  sql: string
}

/** What a list may be narrowed by. */
export interface Filter {
  name: string
  schema: Schema
  /** A condition on `x`, the record's row, for the value at this place among the parameters. */
  where: (place: string) => string
}

/** One kind of record as programs read it. Lists, single records, the OpenAPI document and what webhooks send all come from this. */
export interface Entity {
  /** In addresses: `participants`. */
  path: string
  /** In webhooks and deletions: `participant`. */
  name: string
  about: string
  table: string
  /** Where its rows are: at an event, which those of `events` are themselves; at a client as a whole; or some here, some there. */
  at: 'event' | 'itself' | 'client' | 'either'
  hasTestData: boolean
  /** Rows that are there for other reasons and are no records to programs: a condition on `x`. */
  shown?: string
  /** What else its properties are made of: joins beside `r`. */
  beside?: string
  /** Over a row of this name: what a record is read with and does not change it. Else the event's live version. */
  version?: (row: string) => string
  /** Only ever listed, and of its own properties alone: a deletion. */
  bare?: true
  /** Beyond what every record has. */
  fields: readonly Field[]
  filters: readonly Filter[]
  /** Properties that need more than the database knows, as a text to stand at the end of the object. */
  completed?: {
    fields: readonly Pick<Field, 'name' | 'schema'>[]
    complete: Complete
    /** About how many bytes that comes to, over `r`: a page is bounded before they are made. */
    bytes: string
  }
}

export interface EventOfRows {
  id: string
  code: string
}

/** Of rows at one event: their ids to the further properties. A row that is not answered for is left as it is gone. */
export type Complete = (
  db: Db,
  at: { tenantId: number; event: EventOfRows; isTestData: boolean },
  ids: readonly string[],
) => Promise<ReadonlyMap<string, Record<string, unknown>>>

const columnOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A property that is kept in the column of its name. */
export const column = (name: string, schema: Schema): Field => ({ name, schema, sql: `r.${columnOf(name)}` })

export const instantColumn = (name: string, schema: Schema): Field => ({ name, schema, sql: `instant_shown(r.${columnOf(name)})` })

export const equals = (name: string, schema: Schema): Filter => ({ name, schema, where: (place) => `x.${columnOf(name)} = ${place}` })
