import { isCategoricalField } from '../dictionary/classes.ts'
import type { FieldAccessClass, FieldType } from '../dictionary/types.ts'
import { type CompiledGroupKey, compileGroupKey } from './buckets.ts'
import { createGroupCurrencyConversion } from './convert.ts'
import type { ConditionTree } from './data-query.ts'
import { compileConditionTree } from './filter.ts'
import { type Aggregate, type GroupByKey, createInvalidArgumentError } from './names.ts'
import { type DataDictionary, StatementPlan, type QueryPlanField } from './plan.ts'
import type { QueryScope } from './scope.ts'

/** An aggregate of a query, optionally over only those rows that match a filter of its own. */
export interface FilteredAggregate extends Aggregate {
  /** Path of the aggregate in the tool's arguments. */
  at: string
  filter?: ConditionTree | undefined
  /** Path of the aggregate's filter in the tool's arguments. */
  filterAt?: string
  /** If set, a sum is computed for each value of this field, and the aggregate is the largest of these sums. */
  peakOf?: string | undefined
}

export interface GroupQueryRequest {
  entity: string
  keys: readonly { key: GroupByKey; at: string }[]
  aggregates: readonly FilteredAggregate[]
  /** Conditions on rows, with their paths in the tool's arguments. */
  filters: readonly { tree: ConditionTree; at: string }[]
  includeTestData: boolean
  /** The field whose day decides which exchange rate applies to a row. */
  dateField?: string | null
  /** Whether counts are divided by currency, because amounts of the same result are divided by currency. */
  splitsCurrencies?: boolean
}

export interface CompiledAggregate {
  name: string
  label: string
  type: FieldType
  /** Access class of the values. A count does not have the class of the counted field, because it shows none of its values. */
  class: FieldAccessClass
  sql: string
  /** Whether the values of several groups can be added up. */
  isAdditive: boolean
  /** SQL condition on the rows that a `count` includes; absent if it includes all rows of the group. */
  counted?: string
}

/** A compiled SQL query that groups rows. Its columns are k0… (the group keys), currency, test and a0… (the aggregates). */
export interface CompiledGroupQuery {
  plan: StatementPlan
  keys: readonly CompiledGroupKey[]
  aggregates: readonly CompiledAggregate[]
  /** Whether the statement has the column `currency`, which divides its groups by the currency of their amounts. */
  hasCurrencies: boolean
  hasTestKey: boolean
  /** Paths of the group keys with few possible values, by which large groups of people may be counted without personal.read. */
  categories: readonly string[]
  /** Whether a group key is a personal field, so that a small group could reveal something about a person. */
  hasPersons: boolean
  /** Whether all aggregates are counts. */
  countsOnly: boolean
  /** Returns the SQL text of the statement. `only` is an SQL condition that rows must meet in addition. */
  toSql: (options?: { only?: string; withoutKeys?: boolean; limit?: number }) => string
  /**
   * Returns the SQL text of a statement that counts the people of each group. Its columns are: part (event and test data flag); key (part
   * and group keys); people; and persons. `persons` is the number of people in the smallest count of the group that is not 0, because a
   * count with a condition of its own may describe fewer people than the group has. Without keys, people are counted for each part.
   */
  toPersonsSql: (options: { only: string; withoutKeys?: boolean; limit?: number }) => string
  /** Returns the SQL condition that a row belongs to one of the given groups of the query result. `keys` are their group keys. */
  isInGroups: (keys: readonly string[]) => string
  /** Returns the SQL text of a statement that counts the rows in all groups. A row that is in several groups counts once. */
  toCountSql: () => string
}

export function compileGroupQuery(dictionary: DataDictionary, scope: QueryScope, request: GroupQueryRequest): CompiledGroupQuery {
  const plan = new StatementPlan(dictionary, scope, dictionary.get(request.entity)!)
  const keys = request.keys.map(({ key, at }) => compileGroupKey(plan, key, plan.field(key.path, at, 'key'), at))
  const currencies = new Set<string>(listKeyCurrencies(plan, keys))
  const aggregates = request.aggregates.map((aggregate) => compileAggregate(plan, aggregate, currencies))
  if (request.splitsCurrencies && !scope.event) currencies.add(`${plan.eventRow()}.currency`)
  if (currencies.size > 1)
    throw createInvalidArgumentError('aggregates', 'amounts of different currencies cannot be in one result: ask for them separately')
  const conditions = [plan.scopeCondition(null), ...request.filters.map(({ tree, at }) => compileConditionTree(plan, tree, at))]
  const hasTestData = !plan.root.noTestData
  if (hasTestData && !request.includeTestData) conditions.push(`not ${plan.row}.is_test_data`)
  const hasTestKey = hasTestData && request.includeTestData
  const exploded = keys.map((key, i) => (key.isExploded ? ` left join lateral unnest(${key.sql}) e${i}(member) on true` : '')).join('')
  // The minimum group size applies only if a group key is personal or sensitive. It counts the people whom that key describes.
  const persons = keys.find(({ used }) => used.class === 'personal' || used.class === 'sensitive')?.used.person ?? null
  const part = `jsonb_build_array(${[`${plan.row}.event_id`, ...(hasTestKey ? [`${plan.row}.is_test_data`] : [])].join(', ')})`
  const group = `jsonb_build_array(${[part, ...keys.map((key, i) => (key.isExploded ? `e${i}.member` : key.sql))].join(', ')})`
  const [currency] = currencies
  const converted = currency !== undefined && scope.conversion ? createGroupCurrencyConversion(plan, request, aggregates, currency) : null
  const columns = [
    ...keys.map((key, i) => `${key.isExploded ? `e${i}.member` : key.sql} as k${i}`),
    ...(currency === undefined ? [] : [`${currency} as currency`]),
    ...(hasTestKey ? [`${plan.row}.is_test_data as test`] : []),
  ]
  const measures = aggregates.map(({ sql }, i) => `${sql} as a${i}`)
  return {
    plan,
    keys,
    aggregates,
    hasCurrencies: currency !== undefined,
    hasTestKey,
    categories: keys.filter(({ used }) => isCategoricalField(used.field)).map(({ key }) => key.path),
    toCountSql: () => `select count(*) as total from ${plan.from()} where ${conditions.join(' and ')}`,
    hasPersons: persons !== null,
    countsOnly: request.aggregates.every(({ fn }) => fn === 'count' || fn === 'countDistinct'),
    isInGroups: (found) => `(${group} = any(${plan.bind([...found], 'text[]')}::jsonb[]))`,
    toPersonsSql: ({ only, withoutKeys = false, limit }) => {
      const shown = [`${part}::text as part`, ...(withoutKeys ? [] : [`${group}::text as key`])]
      const where = [...conditions, only].join(' and ')
      const people = `count(distinct ${persons})`
      const counted = [...new Set(aggregates.flatMap((aggregate) => aggregate.counted ?? []))]
      const smallest = [people, ...counted.map((condition) => `nullif(${people} filter (where ${condition}), 0)`)]
      return `select ${shown.join(', ')}, ${people} as people, least(${smallest.join(', ')}) as persons from ${plan.from()}${exploded} where ${where}
        group by ${shown.map((_, i) => i + 1).join(', ')}${limit === undefined ? '' : ` limit ${limit}`}`
    },
    toSql: ({ only, withoutKeys = false, limit } = {}) => {
      const shown = withoutKeys ? columns.slice(keys.length) : columns
      const where = [...conditions, ...(only === undefined ? [] : [only])].join(' and ')
      const groupedBy = shown.map((_, i) => (withoutKeys ? undefined : keys[i]?.groupSql) ?? i + 1)
      const grouped = shown.length === 0 ? '' : ` group by ${groupedBy.join(', ')}`
      const limited = limit === undefined ? '' : ` limit ${limit}`
      if (converted)
        return `${converted({ keys: shown.filter((one) => !one.endsWith(' as currency')), measures, where, exploded })}${limited}`
      return `select ${[...shown, ...measures].join(', ')} from ${plan.from()}${exploded} where ${where}${grouped}${limited}`
    },
  }
}

/** Returns the SQL for the currency of a money field; null for other fields, and for the currency of the query's only event. */
const currencyOf = (plan: StatementPlan, { field, currency }: QueryPlanField): string | null =>
  field.type !== 'money' ? null : (currency ?? (plan.scope.event ? null : `${plan.eventRow()}.currency`))

/**
 * Lists the currencies of group keys that are amounts. Such amounts stay in their own currency, so a result cannot also contain converted
 * ones.
 */
function listKeyCurrencies(plan: StatementPlan, keys: readonly CompiledGroupKey[]): string[] {
  const money = keys.find(({ type }) => type === 'money')
  if (money && plan.scope.conversion)
    throw createInvalidArgumentError('groupBy', `${money.key.path} is an amount, by which converted amounts cannot be grouped`)
  return keys.flatMap(({ used }) => currencyOf(plan, used) ?? [])
}

const NUMBERS: readonly FieldType[] = ['integer', 'decimal', 'percent', 'money']
const ORDERED: readonly FieldType[] = [...NUMBERS, 'day', 'instant']

function compileAggregate(plan: StatementPlan, aggregate: FilteredAggregate, currencies: Set<string>): CompiledAggregate {
  const { fn, path, at, name } = aggregate
  const condition = aggregate.filter === undefined ? null : compileConditionTree(plan, aggregate.filter, aggregate.filterAt ?? at)
  const only = condition === null ? '' : ` filter (where ${condition})`
  const counts = { type: 'integer', class: 'open' } as const
  if (path === null)
    return { ...counts, name, label: 'Count', sql: `count(*)${only}`, isAdditive: true, ...(condition ? { counted: condition } : {}) }
  const used = plan.field(path, at, 'column')
  const { field, sql: x } = used
  const label = `${LABELS[fn]} ${field.label}`
  if (fn === 'count' || fn === 'countDistinct') {
    const value = fn === 'count' && field.type === 'list' ? `nullif(cardinality(${x}), 0)` : x
    const counted = `${value} is not null${condition === null ? '' : ` and ${condition}`}`
    const sql = fn === 'count' ? `count(${value})${only}` : `count(distinct ${value})${only}`
    return { ...counts, name, label, sql, isAdditive: fn === 'count', counted }
  }
  requireSummable(plan, used, aggregate)
  const currency = currencyOf(plan, used)
  if (currency !== null) currencies.add(currency)
  const isWhole = field.type === 'money' || (field.type === 'integer' && fn !== 'avg' && fn !== 'percentile')
  const type: FieldType = fn === 'avg' || fn === 'percentile' ? (field.type === 'money' ? 'money' : 'decimal') : field.type
  const digits = isWhole ? 0 : 4
  const shown = { name, label, type, class: used.class }
  if (aggregate.peakOf !== undefined) {
    const per = plan.field(aggregate.peakOf, at, 'column').sql
    const sums = `select sum(pv.value) as total from unnest(array_agg(${per})${only}, array_agg(${x})${only}) pv(per, value) group by pv.per`
    return { ...shown, sql: `(select max(ps.total) from (${sums}) ps)`, isAdditive: false }
  }
  if (fn === 'percentile') {
    const value = `percentile_cont(${plan.bind(aggregate.fraction, 'double precision')}) within group (order by ${x})${only}`
    return { ...shown, sql: `round((${value})::numeric, ${digits})`, isAdditive: false }
  }
  if (fn === 'avg') return { ...shown, sql: `round((avg(${x})${only})::numeric, ${digits})`, isAdditive: false }
  if (fn === 'sum') return { ...shown, sql: `coalesce(sum(${x})${only}, 0)`, isAdditive: true }
  return { ...shown, sql: `${fn}(${x})${only}`, isAdditive: false }
}

const LABELS: Readonly<Record<string, string>> = {
  count: 'Count of',
  countDistinct: 'Different values of',
  sum: 'Sum of',
  avg: 'Average of',
  min: 'Smallest',
  max: 'Largest',
  percentile: 'Percentile of',
}

function requireSummable(plan: StatementPlan, { field, isRelated, path, entity }: QueryPlanField, { fn, at }: FilteredAggregate): void {
  const fitting = fn === 'min' || fn === 'max' ? ORDERED : NUMBERS
  if (!fitting.includes(field.type))
    throw createInvalidArgumentError(
      at,
      `${fn} needs ${fn === 'min' || fn === 'max' ? 'a number, a day or an instant' : 'a number'}; ${path} is of type ${field.type}`,
    )
  if (isRelated && (fn === 'sum' || fn === 'avg' || fn === 'percentile'))
    throw createInvalidArgumentError(at, `${path} repeats for each ${plan.root.name} — start from ${entity.name}`)
}
