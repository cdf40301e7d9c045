import type { QueryEntity, QueryEntityField, EntityRelation, FieldType } from './types.ts'

type Texts = Omit<QueryEntityField, 'type' | 'sql'>
type Sql = string | ((row: string) => string)
type FieldSql = string | QueryEntityField['sql']

/** Returns a function that builds the SQL of a value from the alias of its table. Accepts such a function, or a column name. */
const toSql = (value: FieldSql): QueryEntityField['sql'] => (typeof value === 'string' ? (row) => `${row}.${value}` : value)

const field =
  (type: FieldType) =>
  (label: string, value: FieldSql, texts: Partial<Texts> = {}): QueryEntityField => ({ type, label, ...texts, sql: toSql(value) })

export const idField = field('id')
export const codeField = field('code')
export const textField = field('text')
export const integerField = field('integer')
export const decimalField = field('decimal')
export const moneyField = field('money')
export const booleanField = field('boolean')
export const dayField = field('day')
export const instantField = field('instant')
export const listField = field('list')
export const countryField = field('country')

export const choiceField = (label: string, value: FieldSql, choices: readonly string[], texts: Partial<Texts> = {}): QueryEntityField => ({
  type: 'enum',
  label,
  choices,
  ...texts,
  sql: toSql(value),
})

/** SQL condition that two rows belong to the same tenant and event, for subqueries. */
export const buildSameEventSql = (a: string, b: string): string => `${a}.tenant_id = ${b}.tenant_id and ${a}.event_id = ${b}.event_id`

/** Returns an SQL subquery over the rows of another table at the same event, such as `(select sum(l.net) from order_lines l where …)`. */
export const buildLookupSql =
  (select: string, from: string, where: (row: string) => string) =>
  (row: string): string => {
    const alias = from.slice(from.lastIndexOf(' ') + 1)
    return `(select ${select} from ${from} where ${buildSameEventSql(alias, row)} and ${where(row)})`
  }

const eventFact =
  (select: string) =>
  (row: string): string =>
    `(select ${select} from events ev where ev.tenant_id = ${row}.tenant_id and ev.id = ${row}.event_id)`

/**
 * SQL for the time zone of a row's event. In queries over one event, the compiler replaces this SQL, and that of the functions below,
 * with bound values.
 */
export const buildEventTimezoneSql = eventFact('ev.timezone')
export const buildEventStartDaySql = eventFact('ev.starts_on')
export const buildEventEndDaySql = eventFact('ev.ends_on')
export const eventCurrencySql = eventFact('ev.currency')
export const buildEventLocalTodaySql = eventFact('(lanyard_now() at time zone ev.timezone)::date')

/** SQL for the day of an instant in the time zone of the event. */
export const localDaySql = (row: string, value: string): string => `(${value} at time zone ${buildEventTimezoneSql(row)})::date`

/** A to-one relation. `key` is the column, or SQL expression, with the id of the related row. */
export interface ToOneRelation {
  to: string
  key: Sql
}

export const defineToOneRelation = (to: string, key: Sql): ToOneRelation => ({ to, key })

/** Defines a to-many relation. `column` is the column of the related rows that has the id of the row they belong to. */
export const defineToManyRelation = (to: string, column: string): EntityRelation => ({
  to,
  many: true,
  on: (from, other) => `${other}.${column} = ${from}.id`,
})

interface Definition extends Omit<QueryEntity, 'fields' | 'relations' | 'tables'> {
  /** Tables that the SQL of the entity's fields reads, in addition to the tables in `source`. */
  reads?: readonly string[]
  /** SQL for the time when the row was created; null if that time is not stored. */
  created?: Sql | null
  updated?: Sql | null
  fields: Readonly<Record<string, QueryEntityField>>
  /** To-one relations of the entity. The id of each related row is also a field, such as `orderId`. */
  one?: Readonly<Record<string, ToOneRelation>>
  /** Relations whose join condition is not the equality of one id column. */
  relations?: Readonly<Record<string, EntityRelation>>
}

/** Lists the tables named in `from` and `join` clauses of SQL text. */
export const listTablesInSql = (sql: string): string[] =>
  [...sql.matchAll(/\b(?:from|join)\s+(?!lateral\b)([a-z_]+)\b(?![.(])/g)].map(([, table]) => table!)

/** Defines an entity that can be queried, with the fields that all entities have and the ids of its to-one relations. */
export function defineQueryEntity(definition: Definition): QueryEntity {
  const { created = 'created_at', updated = 'updated_at', one: ones = {}, reads = [], relations = {}, ...entity } = definition
  const fields: Record<string, QueryEntityField> = { id: idField('Id', 'id'), ...definition.fields }
  for (const [name, { key }] of Object.entries(ones)) fields[`${name}Id`] ??= idField(`${labelOf(name)} id`, key)
  if (created !== null) fields.createdAt ??= instantField('Created', created)
  if (updated !== null) fields.updatedAt ??= instantField('Last changed', updated)
  if (!definition.noTestData) fields.isTestData = booleanField('Test data', 'is_test_data')
  const toOneRelations = Object.entries(ones).map(([name, { to, key }]): [string, EntityRelation] => [
    name,
    { to, many: false, on: (from, other) => `${other}.id = ${toSql(key)(from)}` },
  ])
  const joins = [...toOneRelations.map(([, { on }]) => on), ...Object.values(relations).map(({ on }) => on)].map((on) => on('r', 't'))
  const used = [entity.source, ...joins, ...Object.values(fields).map((one) => one.sql('r'))].flatMap(listTablesInSql)
  const own = entity.source.startsWith('(') ? [] : [entity.source]
  return {
    ...entity,
    tables: [...new Set([...own, ...used, ...reads])].toSorted(),
    fields,
    relations: { ...Object.fromEntries(toOneRelations), ...relations },
  }
}

/** Converts a field name to a label: "staffOf" becomes "Staff of". */
const labelOf = (name: string): string =>
  name.charAt(0).toUpperCase() + name.slice(1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
