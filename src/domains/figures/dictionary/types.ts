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

/** Access classes of fields, the strictest last. ACCESS_CLASS_PERMISSIONS in classes.ts has the permissions to read each of them. */
export const FIELD_ACCESS_CLASSES = ['open', 'identity', 'personal', 'sensitive'] as const
export type FieldAccessClass = (typeof FIELD_ACCESS_CLASSES)[number]

/** Values that code computes for all rows of an event, because SQL cannot: see computed-values.ts. */
export type ComputedValuesName = 'boothTypes' | 'companyPoints' | 'responseScores'

/** A field of an entity: its type and class, the texts that describe it, and the SQL that reads it. */
export interface QueryEntityField {
  type: FieldType
  /** How sensitive the values are, which decides the permission to read them; by default `open`. */
  class?: FieldAccessClass
  label: string
  help?: string
  /** Other words that people use for the field, for the search of describe_data. */
  synonyms?: readonly string[]
  /** Possible values of an enum field. */
  choices?: readonly string[]
  /** Whether stored values are already in lower-case ASCII, so that comparisons can use an index on the column. */
  isFolded?: true
  /**
   * Returns the SQL that reads the value from a row with this alias. Money is in minor units, lists are text arrays, days are of type date.
   * `values` is the placeholder of the computed values, a JSON object.
   */
  sql: (row: string, values?: string) => string
  /** The computed values that the field reads. Such a field can only be queried at one event. */
  computedFrom?: ComputedValuesName
  /** Returns the SQL for the currency of an amount, for money fields that are not in the currency of the event. */
  currency?: (row: string) => string
  /** The type of the custom question. Fields of the same field type may come from different types of questions. */
  responseType?: string
  /** Whether the live configuration no longer asks this custom question. describe_data shows the field only if it has answers. */
  isRetired?: true
  /** Whether a subquery over other tables computes the field. Such a field needs no index of its own. */
  derived?: true
}

export interface EntityRelation {
  /** Name of the entity that the relation leads to. */
  to: string
  many: boolean
  /** Returns the join condition in SQL. The query compiler adds the comparison of tenant and event. */
  on: (from: string, to: string) => string
  /** Whether the relation leads to rows of all events of the query, not only to rows of the same event. */
  acrossEvents?: true
}

/** An entity: a kind of record, such as orders, that queries for reports can read. */
export interface QueryEntity {
  name: string
  label: string
  /** Description of one row, such as "one person's registration". */
  rowIs: string
  /** The toolset whose read permission is needed to query the entity, in addition to reports.read. */
  area: ToolsetName
  /**
   * A table, or a subquery in parentheses, with the columns tenant_id, event_id and id; is_test_data too unless `noTestData`. A subquery
   * must not filter by tenant or event: the compiler does.
   */
  source: string
  /** The tables that the SQL of the source and of computed fields reads. The database role of reports gets access to them. */
  tables: readonly string[]
  /** Whether the rows have no test data flag, because they are configuration or belong to no registration. */
  noTestData?: true
  /** Whether only queries across events can start from this entity, because its rows belong to a client and not to one event. */
  onlyAcrossEvents?: true
  /** Returns the SQL source for queries over several events that start from this entity. The arguments are placeholders of bound values. */
  sourceAcross?: (scope: { tenant: string; events: string }) => string
  fields: Readonly<Record<string, QueryEntityField>>
  relations: Readonly<Record<string, EntityRelation>>
}
