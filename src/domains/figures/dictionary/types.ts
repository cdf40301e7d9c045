import type { ToolsetName } from '../../../kernel/permissions.ts'

export const FIELD_TYPES = [
  'id',
  'code',
  'text',
  'integer',
  'decimal',
  'percent',
  'money',
  'boolean',
  'day',
  'instant',
  'enum',
  'list',
  'country',
] as const
export type FieldType = (typeof FIELD_TYPES)[number]

/** Who may see a field: see CLASS_NEEDS in classes.ts. Hidden columns are not in the dictionary. */
export const FIELD_CLASSES = ['open', 'identity', 'personal', 'sensitive'] as const
export type FieldClass = (typeof FIELD_CLASSES)[number]

/** A field of an entity: its type and class, the texts that describe it, and the SQL that reads it. */
export interface EntityField {
  type: FieldType
  /** Open unless said. */
  class?: FieldClass
  label: string
  help?: string
  /** Other words that people use for it, for the search of describe_data. */
  synonyms?: readonly string[]
  /** The values of an enum. */
  choices?: readonly string[]
  /** The values are codes, which are stored as comparisons fold them: ASCII in lower case. Indexes on the column can be used. */
  isFolded?: true
  /** The SQL of the value in a row with this alias. Money is in minor units, lists are text arrays, days are of type date. */
  sql: (row: string) => string
  /** The SQL of the currency of a money field that is not in the currency of the event. */
  currency?: (row: string) => string
  /** A custom field that the live version does not ask any more; describe_data shows it only if it holds answers. */
  isRetired?: true
  /** The field is computed by a subquery over other tables and needs no index of its own. */
  derived?: true
}

export interface EntityRelation {
  /** The name of the other entity. */
  to: string
  many: boolean
  /** The SQL that joins a row of this entity to a row of the other. Tenant and event of both are compared by the compiler. */
  on: (from: string, to: string) => string
}

/** A kind of row that can be queried. */
export interface Entity {
  name: string
  label: string
  /** What one row is, such as "one person's registration". */
  rowIs: string
  /** The toolset whose read permission is needed beyond reports.read. */
  area: ToolsetName
  /**
   * A table, or a subquery in parentheses, with the columns tenant_id, event_id and id; is_test_data too unless `noTestData`. A subquery
   * must not filter by tenant or event: the compiler does.
   */
  source: string
  /** The tables that the source and the derived fields read, for the rights of the database role. */
  tables: readonly string[]
  /** The rows have no mark of test data, because they are configuration or belong to no registration. */
  noTestData?: true
  /** The entity can be the start of a query across events only, because its rows belong to a client and not to one event. */
  onlyAcrossEvents?: true
  fields: Readonly<Record<string, EntityField>>
  relations: Readonly<Record<string, EntityRelation>>
}
