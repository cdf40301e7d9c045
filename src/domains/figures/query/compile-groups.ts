import { isCategory } from '../dictionary/classes.ts'
import type { FieldType } from '../dictionary/types.ts'
import { type CompiledKey, compileKey } from './buckets.ts'
import { convertGroups } from './convert.ts'
import type { QueryTree } from './data-query.ts'
import { compileTree } from './filter.ts'
import { type Aggregate, type GroupKey, invalidArgumentAt } from './names.ts'
import { type Dictionary, Plan, type UsedField } from './plan.ts'
import type { QueryScope } from './scope.ts'

/** An aggregate with its own condition. */
export interface FilteredAggregate extends Aggregate {
  /** Path of the aggregate in the tool's arguments. */
  at: string
  filter?: QueryTree | undefined
  /** Path of the aggregate's filter in the tool's arguments. */
  filterAt?: string
}

export interface GroupRequest {
  entity: string
  keys: readonly { key: GroupKey; at: string }[]
  aggregates: readonly FilteredAggregate[]
  /** Conditions on rows, with their paths in the tool's arguments. */
  filters: readonly { tree: QueryTree; at: string }[]
  includeTestData: boolean
  /** The field whose day decides the exchange rate of a row. */
  dateField?: string | null
  /** Whether groups are divided by currency, because other figures of the result are. */
  splitsCurrencies?: boolean
}

export interface CompiledAggregate {
  name: string
  label: string
  type: FieldType
  sql: string
  /** Whether sums of the aggregate over groups are meaningful. */
  isAdditive: boolean
}

/** A compiled statement that computes groups. Its columns are k0…, currency, test, a0… and, if requested, persons. */
export interface CompiledGroups {
  plan: Plan
  keys: readonly CompiledKey[]
  aggregates: readonly CompiledAggregate[]
  /** Whether amounts are in several currencies, one per group. */
  hasCurrencies: boolean
  hasTestKey: boolean
  /** Paths of the group keys by which people may be counted without personal.read, if groups are large enough. */
  categories: readonly string[]
  /**
   * Returns the text of the statement; `only` restricts it to some of the groups. The different people of a group are counted only if
   * requested, because that sorts all rows.
   */
  toSql: (options?: { only?: string; withoutKeys?: boolean; limit?: number; countsPersons?: boolean }) => string
  /** Returns the text of a statement that counts the rows of all groups, each once. */
  toCountSql: () => string
}

export function compileGroups(dictionary: Dictionary, scope: QueryScope, request: GroupRequest): CompiledGroups {
  const plan = new Plan(dictionary, scope, dictionary.get(request.entity)!)
  const keys = request.keys.map(({ key, at }) => compileKey(plan, key, plan.field(key.path, at, 'key'), at))
  const currencies = new Set<string>(listKeyCurrencies(plan, keys))
  const aggregates = request.aggregates.map((aggregate) => compileAggregate(plan, aggregate, currencies))
  if (request.splitsCurrencies && !scope.event) currencies.add(`${plan.eventRow()}.currency`)
  if (currencies.size > 1)
    throw invalidArgumentAt('aggregates', 'amounts of different currencies cannot be in one result: ask for them separately')
  const conditions = [plan.scopeCondition(null), ...request.filters.map(({ tree, at }) => compileTree(plan, tree, at))]
  const hasTestData = !plan.root.noTestData
  if (hasTestData && !request.includeTestData) conditions.push(`not ${plan.row}.is_test_data`)
  const hasTestKey = hasTestData && request.includeTestData
  const exploded = keys.map((key, i) => (key.isExploded ? ` left join lateral unnest(${key.sql}) e${i}(member) on true` : '')).join('')
  // Small groups are recognized by the number of people; only groups by personal fields can be refused for it.
  const persons = keys.find(({ used }) => used.class === 'personal' || used.class === 'sensitive')?.used.person ?? null
  const [currency] = currencies
  const converted = currency !== undefined && scope.conversion ? convertGroups(plan, request, aggregates, currency) : null
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
    categories: keys.filter(({ used }) => isCategory(used.field)).map(({ key }) => key.path),
    toCountSql: () => `select count(*) as total from ${plan.from()} where ${conditions.join(' and ')}`,
    toSql: ({ only, withoutKeys = false, limit, countsPersons = false } = {}) => {
      const measured = countsPersons && persons !== null ? [...measures, `count(distinct ${persons}) as persons`] : measures
      const shown = withoutKeys ? columns.slice(keys.length) : columns
      const where = [...conditions, ...(only === undefined ? [] : [only])].join(' and ')
      const groupedBy = shown.map((_, i) => (withoutKeys ? undefined : keys[i]?.groupSql) ?? i + 1)
      const grouped = shown.length === 0 ? '' : ` group by ${groupedBy.join(', ')}`
      const limited = limit === undefined ? '' : ` limit ${limit}`
      if (converted)
        return `${converted({ keys: shown.filter((one) => !one.endsWith(' as currency')), measures: measured, where, exploded })}${limited}`
      return `select ${[...shown, ...measured].join(', ')} from ${plan.from()}${exploded} where ${where}${grouped}${limited}`
    },
  }
}

/** Returns the SQL for the currency of amounts that are not in the currency of the query's only event. */
const currencyOf = (plan: Plan, { field, currency }: UsedField): string | null =>
  field.type !== 'money' ? null : (currency ?? (plan.scope.event ? null : `${plan.eventRow()}.currency`))

/**
 * Lists the currencies of group keys that are amounts. Such amounts stay in their own currency, so a result cannot also contain converted
 * ones.
 */
function listKeyCurrencies(plan: Plan, keys: readonly CompiledKey[]): string[] {
  const money = keys.find(({ type }) => type === 'money')
  if (money && plan.scope.conversion)
    throw invalidArgumentAt('groupBy', `${money.key.path} is an amount, by which converted amounts cannot be grouped`)
  return keys.flatMap(({ used }) => currencyOf(plan, used) ?? [])
}

const NUMBERS: readonly FieldType[] = ['integer', 'decimal', 'percent', 'money']
const ORDERED: readonly FieldType[] = [...NUMBERS, 'day', 'instant']

function compileAggregate(plan: Plan, aggregate: FilteredAggregate, currencies: Set<string>): CompiledAggregate {
  const { fn, path, at, name } = aggregate
  const only = aggregate.filter === undefined ? '' : ` filter (where ${compileTree(plan, aggregate.filter, aggregate.filterAt ?? at)})`
  if (path === null) return { name, label: 'Count', type: 'integer', sql: `count(*)${only}`, isAdditive: true }
  const used = plan.field(path, at, 'column')
  const { field, sql: x } = used
  const label = `${LABELS[fn]} ${field.label}`
  if (fn === 'count') {
    const counted = field.type === 'list' ? `nullif(cardinality(${x}), 0)` : x
    return { name, label, type: 'integer', sql: `count(${counted})${only}`, isAdditive: true }
  }
  if (fn === 'countDistinct') return { name, label, type: 'integer', sql: `count(distinct ${x})${only}`, isAdditive: false }
  requireSummable(plan, used, aggregate)
  const currency = currencyOf(plan, used)
  if (currency !== null) currencies.add(currency)
  const isWhole = field.type === 'money' || (field.type === 'integer' && fn !== 'avg' && fn !== 'percentile')
  const type: FieldType = fn === 'avg' || fn === 'percentile' ? (field.type === 'money' ? 'money' : 'decimal') : field.type
  const digits = isWhole ? 0 : 4
  if (fn === 'percentile') {
    const value = `percentile_cont(${plan.bind(aggregate.fraction, 'double precision')}) within group (order by ${x})${only}`
    return { name, label, type, sql: `round((${value})::numeric, ${digits})`, isAdditive: false }
  }
  if (fn === 'avg') return { name, label, type, sql: `round((avg(${x})${only})::numeric, ${digits})`, isAdditive: false }
  if (fn === 'sum') return { name, label, type, sql: `coalesce(sum(${x})${only}, 0)`, isAdditive: true }
  return { name, label, type, sql: `${fn}(${x})${only}`, isAdditive: false }
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

function requireSummable(plan: Plan, { field, isRelated, path, entity }: UsedField, { fn, at }: FilteredAggregate): void {
  const fitting = fn === 'min' || fn === 'max' ? ORDERED : NUMBERS
  if (!fitting.includes(field.type))
    throw invalidArgumentAt(
      at,
      `${fn} needs ${fn === 'min' || fn === 'max' ? 'a number, a day or an instant' : 'a number'}; ${path} is of type ${field.type}`,
    )
  if (isRelated && (fn === 'sum' || fn === 'avg' || fn === 'percentile'))
    throw invalidArgumentAt(at, `${path} repeats for each ${plan.root.name} — start from ${entity.name}`)
}
